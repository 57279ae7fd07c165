import type { Content } from "../http/representation.ts";
import { type CollectionQuery, paginate, type Pagination } from "../roadmap/collection.ts";
import { type ItemFilter, resolveFilter } from "../roadmap/filter.ts";
import type { KeptItems } from "../roadmap/item_cache.ts";
import type { Item } from "../roadmap/item.ts";
import type { ItemOrder } from "../roadmap/items_sql.ts";
import type { Selection, Selections } from "../roadmap/selections.ts";
import type { Site } from "../roadmap/sites.ts";
import { isoDate } from "../text/dates.ts";
import type { SemanticSearch } from "./semantic_search.ts";

/** An answer that had to do without meaning is soon asked for again. */
const FALLBACK_SECONDS = 60;

/** What a collection is read from; the context of a route is one. */
export interface CollectionContext {
  readonly services: {
    readonly selections: Selections;
    readonly items: KeptItems;
    readonly semantic: SemanticSearch | null;
    readonly clock: () => Date;
  };
  readonly site: Site;
}

/** A page of a collection, with how it was found. */
export interface CollectionPage extends Pick<Found, "mode" | "shortLived"> {
  items: Item[];
  pagination: Pagination;
}

/** Reads a page of a collection. */
export async function readCollection(
  query: CollectionQuery,
  context: CollectionContext,
): Promise<CollectionPage> {
  const start = (query.page - 1) * query.page_size;
  const end = start + query.page_size;
  const { selection, mode, shortLived } = await select(query, { ...context, end });
  const items = await context.services.items.read(selection.slice(start, end));
  return { items, pagination: paginate(query, selection.count), mode, shortLived };
}

interface Found extends Pick<Content, "shortLived"> {
  selection: Selection;
  /** How `q` was searched; null: there was none. */
  mode: "semantic" | "substring" | null;
}

/** Finds the items of a collection: by meaning where the variant does and it is possible just now. */
async function select(
  query: CollectionQuery,
  context: CollectionContext & { end: number },
): Promise<Found> {
  const { services } = context;
  const { sort } = query;
  const order: ItemOrder["order"] = query.order ?? "desc";
  const filter = resolveFilter(query, isoDate(services.clock()));
  const byDate = sort === undefined || sort === "relevance" ? undefined : { sort, order };
  const nearest = await findByMeaning(filter, { ...context, order: byDate });
  if (nearest) return { selection: nearest, mode: "semantic" };
  return {
    selection: await services.selections.select(filter, { sort: sort ?? "last_modified", order }, {
      end: context.end,
    }),
    mode: filter.q === undefined ? null : "substring",
    shortLived: isForMeaning(filter, context) ? { seconds: FALLBACK_SECONDS } : undefined,
  };
}

/** The items whose meaning is near to the `q` of a filter; null: it goes by its letters. */
export async function findByMeaning(
  filter: ItemFilter,
  { order, end, ...context }: CollectionContext & { order?: ItemOrder; end: number },
): Promise<Selection | null> {
  const { semantic } = context.services;
  const { q } = filter;
  if (q === undefined || semantic === null || !isForMeaning(filter, context)) return null;
  return await semantic.select({ filter: { ...filter, q }, order, end });
}

function isForMeaning({ q }: ItemFilter, { services, site }: CollectionContext): boolean {
  return q !== undefined && services.semantic !== null && site.variant.searchesByMeaning;
}
