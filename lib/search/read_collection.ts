import type { Content } from "../http/cache/representation.ts";
import { type CollectionQuery, paginate, type Pagination } from "../roadmap/collection.ts";
import { type ItemFilter, resolveFilter } from "../roadmap/filter/filter.ts";
import type { ItemCache } from "../roadmap/item_cache.ts";
import type { Item } from "../roadmap/item.ts";
import type { ItemOrder } from "../roadmap/items_sql.ts";
import type { PageSizes } from "../roadmap/page_sizes.ts";
import type { Selection, Selections } from "../roadmap/selections.ts";
import type { Site } from "../roadmap/sites.ts";
import { formatQuarter, isoDate, quarterDays } from "../text/dates.ts";
import type { Found, SemanticSearch } from "./semantic_search.ts";

/** A response that fell back to substrings expires soon. */
const FALLBACK_SECONDS = 60;

/** What a collection is read from; the context of a route is one. */
export interface CollectionContext {
  readonly services: {
    readonly selections: Selections;
    readonly items: ItemCache;
    readonly pageSizes: PageSizes;
    readonly semantic: SemanticSearch | null;
    readonly clock: () => Date;
  };
  readonly site: Site;
  /** Whom a new question to the embedding service is counted for. */
  readonly client: string;
}

/** A page of a collection, with how it was found. */
export interface CollectionPage extends Omit<Selected, "selection"> {
  items: Item[];
  pagination: Pagination;
}

/** Reads a page of a collection, of the requested size or as long texts allow. */
export async function readCollection(
  query: CollectionQuery,
  context: CollectionContext,
): Promise<CollectionPage> {
  const { services } = context;
  const { page } = query;
  const { items: page_size } = await services.pageSizes.fit(query.page_size);
  const start = (page - 1) * page_size;
  const end = start + page_size;
  const { selection, ...found } = await select(query, { ...context, end });
  const items = await services.items.read(selection.slice(start, end));
  return { items, pagination: paginate({ page, page_size }, selection.count), ...found };
}

/** What a collection holds, and how it was found. */
interface Selected extends Pick<Content, "shortLived"> {
  selection: Selection;
  /** How `q` was searched; null: there was none. */
  mode: "semantic" | "substring" | null;
}

/** Finds the items of a collection: by meaning if the variant does so and it is possible. */
async function select(
  query: CollectionQuery,
  { end, ...context }: CollectionContext & { end: number },
): Promise<Selected> {
  const { services } = context;
  const { sort } = query;
  const order: ItemOrder["order"] = query.order ?? "desc";
  const today = isoDate(services.clock());
  const filter = resolveFilter(query, today);
  const byDate = sort === undefined || sort === "relevance" ? undefined : { sort, order };
  const nearest = await findByMeaning(filter, { ...context, order: byDate });
  if (nearest?.selection) return { selection: nearest.selection, mode: "semantic" };
  const byWords = {
    sort: sort ?? "last_modified",
    order,
    ...sort === "soonest" && { from: quarterDays(formatQuarter(today))!.first },
  };
  return {
    selection: await services.selections.select(filter, byWords, { end }),
    mode: filter.q === undefined ? null : "substring",
    ...nearest && fallbackLifetime(nearest),
  };
}

/** How long, and for whom, a response that fell back to substrings may be cached. */
export function fallbackLifetime({ isPrivate }: Found): Pick<Content, "shortLived"> {
  return { shortLived: { seconds: FALLBACK_SECONDS, isPrivate } };
}

/** The items whose meaning is near the `q` of a filter; null: search substrings. */
export async function findByMeaning(
  filter: ItemFilter,
  { services: { semantic }, site, client, order }: CollectionContext & { order?: ItemOrder },
): Promise<Found | null> {
  const { q } = filter;
  if (q === undefined || semantic === null || !site.variant.searchesByMeaning) return null;
  return await semantic.select({ filter: { ...filter, q }, order, client });
}
