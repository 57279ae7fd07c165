import {
  type FilterName,
  filterPairs,
  type FilterValues,
  type ListName,
  NO_FILTER,
  readFilterValues,
} from "../../lib/roadmap/filter/filter_values.ts";
import type { QuarterCount } from "../../lib/roadmap/item.ts";
import type { BoardGrid } from "../../lib/roadmap/quarters/quarter_grid.ts";
import type { StatusTone } from "../../lib/roadmap/status_tone.ts";
import { quarterOf, showQuarter } from "../../lib/text/dates.ts";
import type { Marks } from "../../lib/text/match_words.ts";
import { say } from "../../lib/text/say.ts";

/** A search in the form: the filter, and how its results are shown. */
export interface SearchQuery extends FilterValues {
  /** `last_modified` or `release_date`; empty: the best match, or what comes soonest. */
  readonly sort: string;
  /** `asc`, or empty */
  readonly order: string;
  /** `board`; empty: a list */
  readonly view: string;
  /** The first quarter of a view by quarter; empty: those around today. */
  readonly from: string;
  /** `status`: a board by how far releases have come; empty: by quarter. */
  readonly group: string;
  /** Counts from 1. */
  readonly page: number;
  /** The roadmap of this day, `YYYY-MM-DD`, which a page without a script shows; absent: of today. */
  readonly as_of?: string;
}

/** How results are shown, by parameter. */
const SHOWN = ["sort", "order", "view", "from", "group"] as const;
type Pair = readonly [name: string, value: unknown];
type Shown = Pick<SearchQuery, (typeof SHOWN)[number]>;

/** Whether a list begins with what comes soonest, as it does where nothing is said. */
export function isSoonestFirst({ q, sort }: SearchQuery): boolean {
  return sort === "" && q.trim() === "";
}

/** The search without its filter. */
export function withoutFilter(query: SearchQuery): SearchQuery {
  return { ...query, ...NO_FILTER, page: 1 };
}

/**
 * Reads a search from the query of an address. The answer says which quarters its days begin and end.
 *
 * ```ts
 * const read = readSearch(new URLSearchParams("release_date_to=2026-09-30&page=2"));
 * if (read.release_date_to !== "2026-09-30" || read.page !== 2) throw new Error();
 * ```
 */
export function readSearch(parameters: URLSearchParams): SearchQuery {
  const given = (name: string) => parameters.get(name)?.trim() ?? "";
  return {
    ...readFilterValues(parameters),
    ...Object.fromEntries(SHOWN.map((name) => [name, given(name)])) as Shown,
    page: Math.max(1, Number.parseInt(given("page"), 10) || 1),
  };
}

/**
 * The address of a search below a site, without empty parameters.
 *
 * ```ts
 * const address = searchAddress("/b", readSearch(new URLSearchParams("q=a+b&page=2")));
 * if (address !== "/b/?q=a+b&page=2") throw new Error(address);
 * ```
 */
export function searchAddress(path: string, query: SearchQuery): string {
  return `${path}/${searchParameters(query)}`;
}

/** The address of what a search has found, for a script. */
export function answerAddress(path: string, query: SearchQuery): string {
  return `${path}/search.json${searchParameters(query)}`;
}

/** A search as the query of an address, without empty parameters. */
export function searchParameters(query: SearchQuery): string {
  return formatQuery(query, [
    ...SHOWN.map((name): Pair => [name, query[name]]),
    ["as_of", query.as_of],
    ["page", query.page > 1 && query.page],
  ]);
}

/** The filter as a query, for feeds and the form to subscribe; `q` is matched by words, as on pages. */
export function filterQuery(query: FilterValues): string {
  return formatQuery({ ...query, match: query.q.trim() && "words" }, []);
}

/** Whether the search leaves anything out. */
export function isNarrowed(query: FilterValues): boolean {
  return filterPairs({ ...query, q: query.q.trim() }).some(([name]) => name !== "include_inactive");
}

function formatQuery(filter: FilterValues, more: readonly Pair[]): string {
  const pairs: Pair[] = [...filterPairs({ ...filter, q: filter.q.trim() }), ...more];
  const parameters = new URLSearchParams(pairs.filter((pair) => pair[1]) as [string, string][]);
  return parameters.size > 0 ? `?${parameters}` : "";
}

/**
 * A link to another search of the page, which a click shows in place unless the person wants it in
 * another tab or window. Crawlers follow none: there are as many as combinations of filters.
 */
export function searchLink(path: string, query: SearchQuery, act: (event: MouseEvent) => void) {
  return {
    href: searchAddress(path, query),
    rel: "nofollow",
    onClick(event: MouseEvent) {
      const { button, altKey, ctrlKey, metaKey, shiftKey } = event;
      if (button !== 0 || altKey || ctrlKey || metaKey || shiftKey) return;
      event.preventDefault();
      act(event);
    },
  };
}

/** A release in a list. */
export interface FoundItem {
  release_item_id: string;
  feature_name: string;
  /** A quarter or a day, depending on the variant. */
  release_date: string | null;
  /** The date from which it last moved; absent: it did not, or is not awaited any more. */
  moved_from?: string;
  /** A named date beside it that is still to come, in words. */
  next_date?: string;
  release_type: string;
  release_status: string;
  /** How far along it is, by the words of its status. */
  tone: StatusTone;
  product_names: readonly string[];
  /** Of the description, as plain text. */
  excerpt: string;
  last_modified: string;
  active?: boolean;
  /** The language of its texts, if that is another than the page's. */
  lang?: string;
}

/** Releases below their quarters, in the order in which these come first. */
export function byQuarter(items: readonly FoundItem[]) {
  const groups = Map.groupBy(items, ({ release_date }) => release_date && quarterOf(release_date));
  return [...groups].map(([quarter, found]) => ({
    quarter,
    title: quarter === null ? say("list.no_date") : showQuarter(quarter),
    found,
  }));
}

/** What a search has found, and what each further choice would find. */
export interface SearchAnswer {
  /** The view that it is for: `board`, or empty: a list. */
  view: string;
  /** A page of the list. */
  items: readonly FoundItem[];
  /** What a board shows. */
  board?: BoardGrid;
  total: number;
  page: number;
  totalPages: number;
  /** How the words were searched; null: there were none. */
  mode: "semantic" | "related" | "words" | "similar" | "any-word" | "substring" | null;
  /** What is marked in the releases. */
  marks?: Marks;
  /** The dates that are asked for, as quarters where they begin and end some. */
  bounds: Pick<SearchQuery, "release_date_from" | "release_date_to">;
  /** What is asked, in words. */
  said: SaidSearch;
  /** The words without the phrase among them that asks for dates. */
  rest?: string;
  /** What of the changelog the words ask for: its query there, and what it shows. */
  changes?: { query: string; words: string };
  /** Where nothing was found: how many releases there are without one of the filters. */
  without?: readonly { names: readonly FilterName[]; count: number }[];
  /** By parameter and value: how many releases there would be with that value chosen. */
  counts: Readonly<Record<ListName, Readonly<Record<string, number>>>>;
  /** Lists of which further spellings were searched, with all of them. */
  also?: Readonly<Partial<Record<ListName, readonly string[]>>>;
  /** The same for each quarter. */
  quarters: readonly QuarterCount[];
}

/** A search in words, which the server writes: they are too much for a script to carry. */
export interface SaidSearch {
  /** The title of the page, without the name of the site; empty: the whole roadmap. */
  title: string;
  /** What its feeds hold; empty: everything. */
  feeds: string;
  /** What is asked beside the question and the lists, each with the parameters that hold it. */
  chosen: readonly { names: readonly FilterName[]; words: string }[];
  /** The dates that a phrase among the words asks for. */
  dates: readonly string[];
  /** What is said of a parameter that the form has no field for. */
  kept: Readonly<Partial<Record<FilterName, string>>>;
}

/** What the frame of a page says of the search that is shown (scripts/frame.ts). */
export interface ShownSearch {
  title: string;
  /** The query of its feeds, and of the form to subscribe. */
  query: string;
  /** The title of its feeds. */
  feeds: string;
}

/** The search failed; the message is for a person. */
export class SearchError extends Error {}

/** Fetches the answer of a search, and throws a SearchError if there is none. */
export async function fetchAnswer(address: string, signal: AbortSignal): Promise<SearchAnswer> {
  const response = await requestAnswer(address, signal);
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  throw new SearchError(body.detail ?? say("search.status", { status: String(response.status) }));
}

/** The browser's cache may be out of date, so the server is always asked to revalidate. */
async function requestAnswer(address: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(address, { signal, cache: "no-cache" });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new SearchError(say("form.unreachable"));
  }
}
