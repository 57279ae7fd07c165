import { type CollectionQuery, paginate, type Pagination } from "../roadmap/collection.ts";
import { type Filter, type ItemFilter, resolveFilter } from "../roadmap/filter/filter.ts";
import { type ItemCache, Selection, type Selections } from "../roadmap/releases.ts";
import type { Item } from "../roadmap/item.ts";
import { countEach, type ItemOrder, narrowIds } from "../roadmap/items_sql.ts";
import { formatQuarter, isoDate, quarterDays } from "../text/dates.ts";
import type { Content } from "../http/responses/representation.ts";
import type { Site } from "../roadmap/sites.ts";
import {
  questionOf,
  searchStrictly,
  searchWords,
  type WordServices,
  type WordsMode,
} from "../roadmap/words/search_words.ts";
import { isWebAddress } from "../roadmap/words/question_parts.ts";
import type { RelatedWords } from "./related_words.ts";
import { findById } from "./named_releases_sql.ts";
import type { SemanticSearch } from "./semantic_search.ts";
import { countFacets, type Facets } from "../roadmap/filter/filter_options_sql.ts";
import { type ListName } from "../roadmap/filter/filter_values.ts";
import { FILTER_GROUPS } from "../roadmap/filter/filter_words.ts";

/** What a collection is read from; the context of a route is one. */
export type CollectionContext = SearchContext & {
  readonly services: {
    readonly selections: Selections;
    readonly items: ItemCache;
    readonly clock: () => Date;
  };
};

/** Reads a page of a collection. */
export async function readCollection(
  query: CollectionQuery,
  context: CollectionContext,
): Promise<ReadQuestion & { items: Item[]; pagination: Pagination }> {
  const { services } = context;
  const { page, page_size } = query;
  const start = (page - 1) * page_size;
  const { selection, ...found } = await selectReleases(query, context);
  const items = await services.items.read(selection.slice(start, start + page_size));
  return { items, pagination: paginate({ page, page_size }, selection.count), ...found };
}

/** Finds the items of a collection; those that a question finds by its words are best first. */
export async function selectReleases(
  query: CollectionQuery,
  context: CollectionContext,
): Promise<ReadQuestion & { selection: Selection }> {
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

/** A response that fell back to words expires soon. */
const FALLBACK_SECONDS = 60;

/** What releases are found with; the context of a route is one. */
export interface SearchContext {
  readonly services: WordServices & {
    readonly semantic: SemanticSearch | null;
    /** Null: an embedding service knows meanings, or nothing does. */
    readonly related: RelatedWords | null;
  };
  readonly site: Site;
  /** Whom a new question to the embedding service is counted for. */
  readonly client: string;
}

/** How the question of a filter was read and searched. */
export interface ReadQuestion extends Pick<Content, "shortLived"> {
  /** What it lets through is found, unless there is a selection. */
  filter: ItemFilter;
  /** Null: there was no question. */
  mode: "semantic" | "related" | WordsMode | null;
  /** The ids of all that answers the question, best first, where that is more than having words. */
  among?: readonly string[];
}

/**
 * Finds releases: those that the question names by an id or an address, else by meaning and words where
 * the variant does so and it is possible, else by words, and by related ones where no release has every
 * word. What answers the question is chosen once, whatever else is filtered by: so that a filter never
 * finds more, and a count of what it leaves is true.
 *
 * @param options `order`: of a selection; absent: the best match first. `isRule`: `match=words`
 *   demands every word, as the address of a feed or a calendar does
 */
export async function findReleases(
  filter: ItemFilter,
  context: SearchContext,
  { order, isRule = false }: { order?: ItemOrder; isRule?: boolean } = {},
): Promise<ReadQuestion & { selection?: Selection }> {
  const { database, related } = context.services;
  if (isRule && filter.match === "words") return await searchStrictly(filter, context.services);
  const { q } = filter;
  if (q === undefined) return { filter, mode: null };
  const named = filter.match === "words" ? await findById(database, q, filter) : [];
  if (named.length > 0) return await narrow({ filter, mode: "words" }, named, context, order);
  const byMeaning = isWebAddress(q) ? null : await searchByMeaning({ ...filter, q }, context);
  if (byMeaning?.ids) {
    return await narrow({ filter, mode: "semantic" }, byMeaning.ids, context, order);
  }
  const { open, ...read } = await searchWords(filter, context.services);
  const ids = related && open
    ? await related.find({ filter: { ...questionOf(read.filter), q }, ...open })
    : null;
  if (ids) return await narrow({ ...read, mode: "related" }, ids, context, order);
  const shortLived = byMeaning && { seconds: FALLBACK_SECONDS, isPrivate: byMeaning.isPrivate };
  return { ...read, ...shortLived && { shortLived } };
}

/** What answers the question of a filter by meaning and words; null: the site does not search so. */
async function searchByMeaning(
  filter: ItemFilter & { q: string },
  { services, site, client }: SearchContext,
) {
  const { semantic } = services;
  if (semantic === null || !site.variant.searchesByMeaning) return null;
  const { filter: read } = await searchWords({ ...filter, match: "words" }, services);
  return await semantic.select({ filter: { ...questionOf(read), q: filter.q }, client });
}

/** What of the answers to a question passes the other filters, in their order or another one. */
async function narrow(
  found: ReadQuestion,
  among: readonly string[],
  { services: { database } }: SearchContext,
  order: ItemOrder | undefined,
): Promise<ReadQuestion & { selection?: Selection }> {
  const { q: _, words: __, match: ___, ...filter } = found.filter;
  const ids = await narrowIds(database, among, filter, order);
  return { ...found, among, selection: Selection.of(ids) };
}

/**
 * Counts what each choice of a filter would find, the other choices being as they are.
 *
 * @param listed the only values of each list to count; absent: all
 * @param found how the question of this filter was read before; absent: it was not
 */
export async function countChoices(
  filter: Filter,
  { listed, found, ...context }: SearchContext & {
    services: { clock: () => Date };
    listed?: Readonly<Record<ListName, readonly string[]>>;
    found?: ReadQuestion;
  },
): Promise<{ facets: Facets } & Pick<Content, "shortLived">> {
  const { database, clock } = context.services;
  const today = isoDate(clock());
  const read = found ?? await findReleases(resolveFilter(filter, today), context);
  const { among, shortLived } = read;
  return { facets: await countFacets(database, read.filter, { today, among, listed }), shortLived };
}

/** What a search that finds nothing would find without each of its filters, where that is anything. */
export async function countWithout(
  query: CollectionQuery,
  { filter, among }: ReadQuestion,
  { services: { database } }: SearchContext,
): Promise<{ names: readonly (keyof Filter)[]; count: number }[]> {
  const { q: _, words: __, match: ___, ...others } = filter;
  const chosen = FILTER_GROUPS.filter((names) => names.some((name) => query[name] !== undefined));
  const without = chosen.map((names) => ({
    ...others,
    ...Object.fromEntries(names.map((name) => [name, undefined])),
  }));
  const counts = await countEach(database, among ?? questionOf(filter), without);
  return chosen.map((names, place) => ({ names, count: counts[place]! }))
    .filter(({ count }) => count > 0);
}
