/** A search as the form holds it: every field a text, an empty one counts as absent. */
export interface SearchQuery {
  q: string;
  product_name: string;
  release_type: string;
  release_status: string;
  modified_within_days: string;
  sort: string;
  /** `true`, or empty */
  include_inactive: string;
  /** `board`, or empty: a list */
  view: string;
  /** Counts from 1. */
  page: number;
}

/** A page of the list, and a board, hold so many releases. */
const PAGE_SIZES = { list: 50, board: 200 };

const FIELDS = [
  "q",
  "product_name",
  "release_type",
  "release_status",
  "modified_within_days",
  "sort",
  "include_inactive",
  "view",
] as const;

/** Every item there is, in a list. */
export const EMPTY_QUERY: SearchQuery = {
  q: "",
  product_name: "",
  release_type: "",
  release_status: "",
  modified_within_days: "",
  sort: "",
  include_inactive: "",
  view: "",
  page: 1,
};

/** Reads a search from the query of an address. */
export function readSearch(parameters: URLSearchParams): SearchQuery {
  const given = FIELDS.map((field) => [field, parameters.get(field) ?? ""]);
  return {
    ...EMPTY_QUERY,
    ...Object.fromEntries(given),
    page: Math.max(1, Number.parseInt(parameters.get("page") ?? "", 10) || 1),
  };
}

/**
 * The address of a search below a site, without what is empty.
 *
 * ```ts
 * const address = searchAddress("/b", { ...EMPTY_QUERY, q: "a b", page: 2 });
 * if (address !== "/b/?q=a+b&page=2") throw new Error(address);
 * ```
 */
export function searchAddress(path: string, query: SearchQuery): string {
  const parameters = new URLSearchParams(filled(query, FIELDS));
  if (query.page > 1) parameters.set("page", String(query.page));
  return `${path}/${withMark(parameters)}`;
}

/** The address of the API that answers a search. A board is in the order of its quarters. */
export function apiAddress(path: string, query: SearchQuery): string {
  const parameters = new URLSearchParams(filled(query, FIELDS.filter((name) => name !== "view")));
  if (query.view === "board") parameters.set("sort", "release_date");
  parameters.set("page", String(query.page));
  parameters.set("page_size", String(pageSizeOf(query)));
  return `${path}/api/releases${withMark(parameters)}`;
}

/** How many releases a page of this search holds. */
export function pageSizeOf({ view }: SearchQuery): number {
  return view === "board" ? PAGE_SIZES.board : PAGE_SIZES.list;
}

/** The query of what takes exact filters only: the feed, and the form to subscribe. */
export function filterQuery(query: SearchQuery): string {
  const names = ["product_name", "release_type", "release_status"] as const;
  return withMark(new URLSearchParams(filled(query, names)));
}

/** Tells whether the search leaves anything out. */
export function isNarrowed(query: SearchQuery): boolean {
  return FIELDS.some((name) =>
    query[name] !== "" && !["sort", "view", "include_inactive"].includes(name)
  );
}

function filled(
  query: SearchQuery,
  names: readonly (typeof FIELDS)[number][],
): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [name, query[name].trim()]).filter(([, value]) => value !== ""),
  );
}

function withMark(parameters: URLSearchParams): string {
  return parameters.size > 0 ? `?${parameters}` : "";
}
