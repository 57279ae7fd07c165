import { type CollectionQuery, paginate, type Pagination } from "../roadmap/collection.ts";
import { resolveFilter } from "../roadmap/filter/filter.ts";
import type { ItemCache, Selection, Selections } from "../roadmap/releases.ts";
import type { Item } from "../roadmap/item.ts";
import type { ItemOrder } from "../roadmap/items_sql.ts";
import { formatQuarter, isoDate, quarterDays } from "../text/dates.ts";
import { findReleases, type ReadQuestion, type SearchContext } from "./find_releases.ts";

/** What a collection is read from; the context of a route is one. */
export type CollectionContext = SearchContext & {
  readonly services: {
    readonly selections: Selections;
    readonly items: ItemCache;
    readonly clock: () => Date;
  };
};

/** A page of a collection, with how it was found. */
interface CollectionPage extends Omit<Selected, "selection"> {
  items: Item[];
  pagination: Pagination;
}

/** Reads a page of a collection. */
export async function readCollection(
  query: CollectionQuery,
  context: CollectionContext,
): Promise<CollectionPage> {
  const { services } = context;
  const { page, page_size } = query;
  const start = (page - 1) * page_size;
  const { selection, ...found } = await selectReleases(query, context);
  const items = await services.items.read(selection.slice(start, start + page_size));
  return { items, pagination: paginate({ page, page_size }, selection.count), ...found };
}

/** What a collection holds, and how it was found. */
interface Selected extends ReadQuestion {
  selection: Selection;
}

/** Finds the items of a collection; those that a question finds by its words are best first. */
export async function selectReleases(
  query: CollectionQuery,
  context: CollectionContext,
): Promise<Selected> {
  const { services } = context;
  const { sort } = query;
  const order: ItemOrder["order"] = query.order ?? "desc";
  const byDate = sort === undefined || sort === "relevance" ? undefined : { sort, order };
  const today = isoDate(services.clock());
  const { filter, selection, ...found } = await findReleases(
    resolveFilter(query, today),
    context,
    { order: byDate },
  );
  if (selection) return { filter, selection, ...found };
  const defaultSort = filter.words ? "relevance" : "last_modified";
  const inOrder = {
    sort: sort ?? defaultSort,
    order,
    ...sort === "soonest" && { from: quarterDays(formatQuarter(today))!.first },
  };
  const ordered = await services.selections.select(filter, inOrder);
  return { filter, selection: ordered, ...found };
}
