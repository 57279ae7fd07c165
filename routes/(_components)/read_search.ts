import { z } from "zod";
import type { SearchAnswer, SearchQuery } from "../../components/search/search_query.ts";
import { waysOfStages } from "../../lib/import/mapping/column_names.ts";
import { choice, parseParameters, quarter } from "../../lib/http/requests/parameters.ts";
import type { Content } from "../../lib/http/responses/representation.ts";
import { type CollectionQuery, parseAsOf, parseCollection } from "../../lib/roadmap/collection.ts";
import { type ItemFilter, resolveFilter } from "../../lib/roadmap/filter/filter.ts";
import {
  type FilterOptions,
  type ListedValues,
  Spellings,
  valuesByList,
} from "../../lib/roadmap/filter/filter_options.ts";
import { LIST_NAMES, toFilterValues } from "../../lib/roadmap/filter/filter_values.ts";
import { toFoundItem } from "../../lib/roadmap/found_item.ts";
import type { ItemSort } from "../../lib/roadmap/items_sql.ts";
import { limitCells } from "../../lib/roadmap/quarters/quarter_grid.ts";
import { toBoard, toToneBoard } from "../../lib/roadmap/quarters/quarter_views.ts";
import { readCells, readToneRows } from "../../lib/roadmap/quarters/quarters_sql.ts";
import { type AskedChanges, readChangesInWords } from "../../lib/roadmap/words/asked_changes.ts";
import { type AskedDates, readDatesInWords } from "../../lib/roadmap/words/dates_in_words.ts";
import { type DateNames, nameDates } from "../../lib/roadmap/words/question_tokens.ts";
import {
  countChoices,
  countWithout,
  findReleases,
  readCollection,
  type ReadQuestion,
  type SearchContext,
} from "../../lib/search/search.ts";
import { roadmapAsOf, type RoadmapServices } from "../../lib/service/services.ts";
import { isNameOf } from "../../lib/search/named_releases_sql.ts";
import { formatQuarter, quarterBoundedBy } from "../../lib/text/dates.ts";
import { saySearch } from "../../lib/ui/said_search.ts";
import { type Marks, marksOf } from "../../lib/text/match_words.ts";
import { type ClientContext, type Context, type RouteInput, today } from "../route.ts";

const VIEW_QUERY = z.object({
  sort: choice(["last_modified", "release_date", "relevance"]),
  view: choice(["board"]),
  from: quarter(),
  group: choice(["status"]),
});

/** Reads the search from the parameters of a request. */
export function parseSearch({ query }: RouteInput, { services, site }: Context): ParsedSearch {
  const as_of = parseAsOf(query, today(services));
  const parsed = parseCollection(query, site.variant);
  const changes = parsed.q === undefined ? null : readChangesInWords(parsed.q, today(services));
  const collection = { ...parsed, match: "words" as const, as_of };
  const { sort = "", view = "", from = "", group = "" } = parseParameters(VIEW_QUERY, query);
  const { order = "", page } = collection;
  const filter = toFilterValues({ ...parsed, match: undefined });
  const { release_date_from: first, release_date_to: last } = filter;
  const search = {
    ...filter,
    release_date_from: quarterBoundedBy(first, "first") ?? first,
    release_date_to: quarterBoundedBy(last, "last") ?? last,
    sort: sort === "relevance" ? "" : sort,
    order,
    view,
    from,
    group,
    page: view === "" ? page : 1,
    ...as_of && { as_of },
  };
  return {
    collection,
    search,
    dates: null,
    changes,
    roadmap: roadmapAsOf(services, as_of, parsed.date_name),
  };
}

/** A search with the dates that its words ask for, unless others are chosen. */
export async function askForDates(
  parsed: ParsedSearch,
  { services, site: { variant } }: Context,
): Promise<ParsedSearch> {
  const { roadmap, changes, collection, search } = parsed;
  const { q, as_of, release_date_from, release_date_to, due } = collection;
  if (q === undefined || changes || release_date_from || release_date_to || due) return parsed;
  // A name that is chosen is asked by, whatever the words name.
  const options = search.date_name === "" ? await roadmap.listedOptions.read() : null;
  const found = readDatesInWords(q, as_of ?? today(services), {
    precision: variant.datePrecision,
    names: options?.date_names.length ? namesOf(options) : undefined,
  });
  if (found === null) return parsed;
  const { rest, ...asked } = found;
  return {
    ...parsed,
    dates: { rest, asked: { ...asked, q: rest || undefined } },
    collection: { ...collection, ...asked, q: rest || undefined },
    ...asked.date_name !== undefined && {
      roadmap: {
        ...roadmapAsOf(services, as_of, asked.date_name),
        listedOptions: roadmap.listedOptions,
      },
    },
  };
}

/** What finds the names of dates, made once for each state of the roadmap. */
const NAMES = new WeakMap<object, DateNames>();

function namesOf(options: FilterOptions<ListedValues>): DateNames {
  const names = NAMES.get(options) ??
    nameDates(waysOfStages(options.date_names.map(({ name }) => name)));
  NAMES.set(options, names);
  return names;
}

/** The answer of a search, the values that its filters list, and how long both may be kept. */
interface AnsweredSearch extends Pick<Content, "shortLived"> {
  answer: SearchAnswer;
  options: FilterOptions<ListedValues>;
}

/**
 * Searches, and counts what further choices would find. Words that are the name of a release, or that
 * find nothing as dates and stand in a release as they are, are searched as they were typed.
 */
export async function answerSearch(
  asTyped: ParsedSearch,
  context: ClientContext,
): Promise<AnsweredSearch> {
  const { roadmap, search: { q } } = asTyped;
  const read = (one: ParsedSearch) => search(one, context);
  const parsed = await askForDates(asTyped, context);
  const { dates } = parsed;
  if (dates === null || await isNameOf(roadmap.database, q)) {
    return await complete(await read(asTyped));
  }
  const [first, second] = dates.rest === "" && YEAR.test(q) ? [asTyped, parsed] : [parsed, asTyped];
  const found = await read(first);
  if (found.answer.total > 0) return await complete(found);
  const other = await read(second);
  // Some of the words stand somewhere in most roadmaps: that says nothing of the dates.
  const isFound = other.answer.total > 0 && (second === parsed || other.answer.mode === "words");
  return await complete(isFound ? other : found);
}

/** A year as the whole question may stand in a name; where it does not, it means the dates. */
const YEAR = /^\d{4}$/;

/** What one reading of a search has found. */
interface Searched extends Found {
  parsed: ParsedSearch;
  context: ViewContext;
  collection: CollectionQuery;
  options: FilterOptions<ListedValues>;
  spellings: Spellings;
  also: ReturnType<Spellings["allOf"]>;
}

async function search(
  parsed: ParsedSearch,
  { site, client }: ClientContext,
): Promise<Searched> {
  const { collection: asked, search, roadmap } = parsed;
  const context = { services: roadmap, site, client };
  const options = await roadmap.listedOptions.read();
  const spellings = new Spellings(options);
  const also = spellings.allOf(asked);
  const collection = { ...asked, ...also };
  const found = search.view === "board"
    ? await readBoard({ collection, search }, context)
    : await readList(collection, search, context);
  return { ...found, parsed, context, collection, options, spellings, also };
}

/** Adds to what was found what further choices would find, or fewer. */
async function complete(
  { parsed, context, collection, options, spellings, also, answer, found }: Searched,
): Promise<AnsweredSearch> {
  const { search, dates, changes } = parsed;
  const { facets, ...lifetime } = await countChoices(collection, {
    ...context,
    listed: listedValues(options, collection),
    found,
  });
  return {
    answer: {
      ...answer,
      view: search.view,
      counts: spellings.sum(facets.counts),
      ...Object.keys(also).length > 0 && { also },
      quarters: facets.quarters,
      bounds: {
        release_date_from: search.release_date_from,
        release_date_to: search.release_date_to,
      },
      said: saySearch(search, { also, dates: dates && toFilterDates(dates) }),
      ...dates && { rest: dates.rest },
      ...changes && { changes },
      ...answer.total === 0 && { without: await countWithout(collection, found, context) },
    },
    options: spellings.shown,
    ...lifetime,
    ...found.shortLived && { shortLived: found.shortLived },
  };
}

function toFilterDates({ asked }: NonNullable<ParsedSearch["dates"]>) {
  const { date_name = "", release_date_from = "", release_date_to = "", due = "" } = asked;
  return { date_name, release_date_from, release_date_to, due };
}

async function readList(
  collection: CollectionQuery,
  { sort: chosen }: SearchQuery,
  context: ViewContext,
): Promise<Found> {
  // Unless another order is chosen, the best match comes first, and without words what comes soonest.
  const usual = collection.q === undefined ? "soonest" : "relevance";
  const sort = (chosen || usual) as ItemSort;
  const wanted = { ...collection, sort, page_size: LIST_SIZE };
  const { items, pagination, ...found } = await readCollection(wanted, context);
  const shown = {
    day: collection.as_of ?? today(context.services),
    marks: toMarks(found.filter),
  };
  return {
    answer: {
      items: items.map((item) => toFoundItem(context.site.variant, item, shown)),
      total: pagination.total_items,
      page: pagination.page,
      totalPages: pagination.total_pages,
      mode: found.mode,
      marks: shown.marks,
    },
    found,
  };
}

/** The values of each list that the form shows. */
function listedValues(options: FilterOptions<ListedValues>, collection: CollectionQuery) {
  const listed = valuesByList(options);
  for (const name of LIST_NAMES) listed[name] = [...listed[name], ...collection[name] ?? []];
  return listed;
}

/** The cards of a column of a board by status. */
const TONE_SIZE = 10;

/** Finds what a board shows. */
async function readBoard(
  parsed: Pick<ParsedSearch, "collection" | "search">,
  context: ViewContext,
): Promise<Found> {
  const { selection, ...found } = await findReleases(
    resolveFilter(parsed.collection, today(context.services)),
    context,
  );
  const { filter, mode } = found;
  const among = selection?.slice(0, selection.count) ?? filter;
  const { group } = parsed.search;
  const shown = group === "status"
    ? await readTones(among, parsed, context)
    : await readQuarters({ among, filter }, { ...parsed, ...context });
  return {
    answer: { items: [], page: 1, totalPages: 1, mode, marks: toMarks(filter), ...shown },
    found,
  };
}

type Among = Parameters<typeof readCells>[1];

async function readTones(
  among: Among,
  { collection: { as_of, date_name } }: Pick<ParsedSearch, "collection">,
  { services, site: { variant } }: ViewContext,
) {
  const rows = await readToneRows(services.database, among, {
    perCell: TONE_SIZE,
    as_of,
    date_name,
  });
  return {
    board: toToneBoard(rows, variant, as_of ?? today(services)),
    total: rows[0]?.all_items ?? 0,
  };
}

async function readQuarters(
  { among, filter }: Pick<ReadQuestion, "filter"> & { among: Among },
  { collection: { as_of, date_name }, search, services, site: { variant } }:
    & Pick<ParsedSearch, "collection" | "search">
    & ViewContext,
) {
  const day = today(services);
  const quarter = formatQuarter(day);
  const { release_date_from: from, release_date_to: to } = filter;
  const limits = limitCells({ quarter, first: search.from || undefined, from, to });
  const options = {
    day: as_of ?? day,
    limits,
    quarter,
    filter: search,
    pageSize: LIST_SIZE,
    variant,
  };
  const rows = await readCells(services.database, among, limits, { today: day, as_of, date_name });
  return { board: toBoard(rows, options), total: rows[0]?.all_items ?? 0 };
}

/** The releases on a page of the list. */
const LIST_SIZE = 50;

/** A search of the page, as the address asks for it. */
export interface ParsedSearch {
  collection: CollectionQuery;
  /** The same as the state of the form. */
  search: SearchQuery;
  /** The dates that a phrase among the words asks for, and the words without it; null: none. */
  dates: { rest: string; asked: AskedDates & Pick<CollectionQuery, "q"> } | null;
  /** What of the changelog the words ask for; null: nothing. */
  changes: AskedChanges | null;
  /** What it is read from. */
  roadmap: RoadmapServices;
}

/** What a search is read with. */
interface ViewContext extends SearchContext {
  readonly services: RoadmapServices;
}

/** What a view has found, and how its question was read. */
interface Found {
  answer: Omit<SearchAnswer, "view" | "counts" | "quarters" | "said" | "bounds">;
  found: ReadQuestion;
}

/** What a list marks of a question that was read, with every form that it was found in. */
function toMarks({ q, words }: Pick<ItemFilter, "q" | "words">): Marks | undefined {
  if (q === undefined) return undefined;
  if (!words) return marksOf(q);
  const forms = words.terms.flatMap(({ words, joined, divided = [] }) => [
    ...words,
    ...joined ? [joined] : [],
    ...divided,
  ]);
  return {
    words: forms.flatMap(({ forms }) => forms),
    beginnings: forms.flatMap(({ beginning }) => beginning ?? []),
  };
}
