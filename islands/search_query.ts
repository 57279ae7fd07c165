import {
  filterPairs,
  type FilterValues,
  NO_FILTER,
  readFilterValues,
} from "../lib/roadmap/filter_values.ts";

/** A search in the form: the filter, and how its results are shown. */
export interface SearchQuery extends FilterValues {
  /** `last_modified`, `release_date` or `relevance`; empty: the best match, or the newest. */
  readonly sort: string;
  /** `asc`, or empty */
  readonly order: string;
  /** `board`, or empty: a list */
  readonly view: string;
  /** Counts from 1. */
  readonly page: number;
}

/** The number of releases on a page of the list, and on a board. */
const PAGE_SIZES = { list: 50, board: 200 };

/** Every item there is, in a list. */
export const EMPTY_QUERY: SearchQuery = { ...NO_FILTER, sort: "", order: "", view: "", page: 1 };

/** Reads a search from the query of an address. */
export function readSearch(parameters: URLSearchParams): SearchQuery {
  const given = (name: string) => parameters.get(name)?.trim() ?? "";
  return {
    ...readFilterValues(parameters),
    sort: given("sort"),
    order: given("order"),
    view: given("view"),
    page: Math.max(1, Number.parseInt(given("page"), 10) || 1),
  };
}

/**
 * The address of a search below a site, without empty parameters.
 *
 * ```ts
 * const address = searchAddress("/b", { ...EMPTY_QUERY, q: "a b", page: 2 });
 * if (address !== "/b/?q=a+b&page=2") throw new Error(address);
 * ```
 */
export function searchAddress(path: string, query: SearchQuery): string {
  const { sort, order, view, page } = query;
  return `${path}/${formatQuery(query, { sort, order, view, page: page > 1 ? String(page) : "" })}`;
}

/**
 * The API address of a search. A board is sorted by quarter; otherwise the best match comes first,
 * unless another order is chosen.
 */
export function apiAddress(path: string, query: SearchQuery): string {
  const { order, view, page } = query;
  const sort = view === "board" ? "release_date" : query.sort || (query.q.trim() && "relevance");
  const page_size = String(pageSizeOf(query));
  return `${path}/api/releases${
    formatQuery(query, { sort, order, page: String(page), page_size })
  }`;
}

/** The page size of this search. */
export function pageSizeOf({ view }: Pick<SearchQuery, "view">): number {
  return view === "board" ? PAGE_SIZES.board : PAGE_SIZES.list;
}

/** The filter of a search as a query, for the feed and for the form to subscribe. */
export function filterQuery(query: FilterValues): string {
  return formatQuery(query, {});
}

/** Tells whether the search leaves anything out. */
export function isNarrowed(query: FilterValues): boolean {
  return filterPairs({ ...query, q: query.q.trim() }).some(([name]) => name !== "include_inactive");
}

function formatQuery(filter: FilterValues, more: Readonly<Record<string, string>>): string {
  const pairs = [...filterPairs({ ...filter, q: filter.q.trim() }), ...Object.entries(more)];
  const parameters = new URLSearchParams(pairs.filter(([, value]) => value !== ""));
  return parameters.size > 0 ? `?${parameters}` : "";
}
