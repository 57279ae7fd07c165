import {
  filterPairs,
  type FilterValues,
  NO_FILTER,
  readFilterValues,
} from "../../lib/roadmap/filter/filter_values.ts";
import { quarterBoundedBy } from "../../lib/text/dates.ts";

/** A search in the form: the filter, and how its results are shown. */
export interface SearchQuery extends FilterValues {
  /** `last_modified` or `release_date`; empty: the best match, or what comes soonest. */
  readonly sort: string;
  /** `asc`, or empty */
  readonly order: string;
  /** `board` or `timeline`; empty: a list */
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
 * Reads a search from the query of an address. A day that begins or ends a quarter is read as the
 * quarter.
 *
 * ```ts
 * const read = readSearch(new URLSearchParams("release_date_to=2026-09-30&page=2"));
 * if (read.release_date_to !== "Q3 2026" || read.page !== 2) throw new Error();
 * ```
 */
export function readSearch(parameters: URLSearchParams): SearchQuery {
  const given = (name: string) => parameters.get(name)?.trim() ?? "";
  const filter = readFilterValues(parameters);
  const { release_date_from: from, release_date_to: to } = filter;
  return {
    ...filter,
    release_date_from: quarterBoundedBy(from, "first") ?? from,
    release_date_to: quarterBoundedBy(to, "last") ?? to,
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

/** The filter of a search as a query, for the feed and for the form to subscribe; by words, as pages. */
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
