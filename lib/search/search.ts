import { type CollectionQuery, paginate, type Pagination } from "../roadmap/collection.ts";
import { type Filter, type ItemFilter, resolveFilter } from "../roadmap/filter/filter.ts";
import { type ItemCache, Selection, type Selections } from "../roadmap/releases.ts";
import type { Item } from "../roadmap/item.ts";
import { countFiltered, type ItemOrder } from "../roadmap/items_sql.ts";
import { formatQuarter, isoDate, quarterDays } from "../text/dates.ts";
import type { Connection } from "../database/database.ts";
import type { Content } from "../http/responses/representation.ts";
import type { Site } from "../roadmap/sites.ts";
import { searchStrictly, searchWords, type WordsMode } from "../roadmap/words/search_words.ts";
import { sortIds } from "./embeddings_sql.ts";
import type { RelatedWords } from "./related_words.ts";
import type { SemanticSearch } from "./semantic_search.ts";
import { countFacets, type Facets } from "../roadmap/filter/filter_options_sql.ts";
import { FILTER_GROUPS, LIST_NAMES, type ListName } from "../roadmap/filter/filter_values.ts";

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

/** A response that fell back to words expires soon. */
const FALLBACK_SECONDS = 60;

/** How a question was searched. */
type SearchMode = "semantic" | "related" | WordsMode;

/** What releases are found with; the context of a route is one. */
export interface SearchContext {
  readonly services: {
    readonly database: Connection;
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
  mode: SearchMode | null;
}

/** What a filter finds. */
export interface FoundReleases extends ReadQuestion {
  /** What meaning and words have found, in its order. */
  selection?: Selection;
}

/**
 * Finds releases: by meaning and words where the variant does so and it is possible, else by words, and
 * by related ones where no release has every word.
 *
 * @param options `order`: of a selection; absent: the best match first. `wider`: what is found passes
 *   these filters in the place of its own, while its own decide how words are searched. `isRule`:
 *   `match=words` demands every word, as the address of a feed or a calendar does
 */
export async function findReleases(
  filter: ItemFilter,
  { services: { semantic, related, database }, site, client }: SearchContext,
  { order, wider = {}, isRule = false }: {
    order?: ItemOrder;
    wider?: Partial<ItemFilter>;
    isRule?: boolean;
  } = {},
): Promise<FoundReleases> {
  if (isRule && filter.match === "words") return await searchStrictly(filter, database);
  const { q } = filter;
  const byMeaning = q !== undefined && semantic !== null && site.variant.searchesByMeaning
    ? await semantic.select({ filter: { ...filter, q }, order, wider, client })
    : null;
  if (byMeaning?.selection) return { filter, selection: byMeaning.selection, mode: "semantic" };
  const { filter: read, mode, open } = await searchWords(filter, database);
  if (related && open && q !== undefined) {
    const ids = await related.find({ filter: { ...read, ...wider, q }, ...open });
    if (ids) {
      const ordered = order ? await sortIds(database, ids, order) : ids;
      return { filter: { ...read, ...wider }, selection: Selection.of(ordered), mode: "related" };
    }
  }
  const shortLived = byMeaning && { seconds: FALLBACK_SECONDS, isPrivate: byMeaning.isPrivate };
  return { filter: { ...read, ...wider }, mode, ...shortLived && { shortLived } };
}

const NOTHING_CHOSEN = {
  ...Object.fromEntries(LIST_NAMES.map((name) => [name, undefined])),
  release_date_from: undefined,
  release_date_to: undefined,
};

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
  const wanted = resolveFilter(filter, today);
  // What is near in meaning is selected by the other choices, words are read for all of them.
  const isRead = found !== undefined && found.mode !== "semantic" && found.mode !== "related";
  const { filter: { words }, selection, shortLived }: FoundReleases = isRead
    ? found
    : await findReleases(wanted, context, { wider: NOTHING_CHOSEN });
  const among = selection?.slice(0, selection.count);
  const facets = await countFacets(database, { ...wanted, words }, { today, among, listed });
  return { facets, shortLived };
}

/** How many releases a search without some of its filters finds. */
interface CountWithout {
  names: readonly (keyof Filter)[];
  count: number;
}

/** What a search that finds nothing would find without each of its filters, where that is anything. */
export async function countWithout(
  query: CollectionQuery,
  context: SearchContext & { services: { clock: () => Date } },
): Promise<CountWithout[]> {
  const { database, clock } = context.services;
  const today = isoDate(clock());
  const chosen = FILTER_GROUPS.filter((names) => names.some((name) => query[name] !== undefined));
  const counts = await Promise.all(chosen.map(async (names) => {
    const without = Object.fromEntries(names.map((name) => [name, undefined]));
    const wanted = resolveFilter({ ...query, ...without }, today);
    const { filter, selection } = await findReleases(wanted, context);
    return { names, count: selection?.count ?? await countFiltered(database, filter) };
  }));
  return counts.filter(({ count }) => count > 0);
}
