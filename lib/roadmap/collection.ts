import { z } from "zod";
import { choice, day, parseParameters, wholeNumber } from "../http/requests/parameters.ts";
import { FILTER, type Filter, parseFilter } from "./filter/filter.ts";
import { filterPairs } from "./filter/filter_values.ts";
import type { Item } from "./item.ts";
import type { ItemSort } from "./items_sql.ts";
import type { Variant } from "./variant.ts";

/** The parameters of a collection (interface specification, 4.2). */
export const COLLECTION_QUERY = z.object({
  ...FILTER,
  sort: choice(["last_modified", "release_date", "relevance"])
    .describe("`relevance`: best match for `q` first"),
  order: choice(["asc", "desc"]).describe("For `last_modified` and `release_date`; default `desc`"),
  page: wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER }).default(1)
    .describe("Counted from 1"),
  page_size: wholeNumber({ min: 1, max: 200 }).default(50)
    .describe("Releases per page"),
});

/** Reads the parameters of a collection: equivalent requests are equal afterwards. */
export function parseCollection(query: URLSearchParams, variant: Variant): CollectionQuery {
  const { sort: asked, order, ...parsed } = parseFilter(COLLECTION_QUERY, query, variant);
  const sort = asked === "relevance" && parsed.q === undefined ? undefined : asked;
  // A search by meaning has its own order, so with `q` even the default must be requested
  // explicitly.
  const isDefaultSort = sort === "last_modified" && parsed.q === undefined;
  return {
    ...parsed,
    sort: isDefaultSort ? undefined : sort,
    order: order === "asc" && sort !== "relevance" ? "asc" : undefined,
  };
}

/** The parameter for the roadmap of a day. */
export const AS_OF_QUERY = z.object({
  as_of: day().describe(
    "The roadmap as it was known at the end of this day, by the days of its imports; `q` searches " +
      "words. Absent, or today or later: as it is now",
  ),
});

/** Reads the day before today that a request wants; absent: it wants today. */
export function parseAsOf(query: URLSearchParams, today: string): string | undefined {
  const { as_of } = parseParameters(AS_OF_QUERY, query);
  return as_of !== undefined && as_of < today ? as_of : undefined;
}

/** The requested page of a collection, with limits applied. */
export interface CollectionQuery extends Filter {
  /** Absent: the default order. */
  sort?: ItemSort;
  /** Absent: descending. */
  order?: "asc";
  /** From 1 */
  page: number;
  /** 1 to 200 */
  page_size: number;
  /** The roadmap as it was known at the end of this day, `YYYY-MM-DD`; absent: as it is. */
  as_of?: string;
}

/** Numbers of a page (interface specification, 2.2). */
export interface Pagination {
  page: number;
  page_size: number;
  total_items: number;
  total_pages: number;
  has_next: boolean;
  has_prev: boolean;
  next_page: number | null;
  prev_page: number | null;
}

/** Addresses of pages (2.3), relative to the server. */
interface Links {
  self: string;
  first: string;
  last: string;
  next: string | null;
  prev: string | null;
}

/**
 * The numbers around a page. A page past the end has no next one, and the last page as its
 * previous one.
 *
 * ```ts
 * const { total_pages, prev_page } = paginate({ page: 9, page_size: 50 }, 120);
 * if (total_pages !== 3 || prev_page !== 3) throw new Error();
 * ```
 */
export function paginate(
  { page, page_size }: { page: number; page_size: number },
  total_items: number,
): Pagination {
  const total_pages = Math.max(1, Math.ceil(total_items / page_size));
  const next_page = page < total_pages ? page + 1 : null;
  const prev_page = page > 1 ? Math.min(page - 1, total_pages) : null;
  return {
    page,
    page_size,
    total_items,
    total_pages,
    has_next: next_page !== null,
    has_prev: prev_page !== null,
    next_page,
    prev_page,
  };
}

/**
 * The addresses of the pages around one, under a path such as `/b/api/releases`.
 *
 * @param query what the links repeat, in this order; what is absent or a default stays away
 */
export function linkPages(path: string, query: CollectionQuery, pagination: Pagination): Links {
  const filters = filterParameters(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}&`).join("");
  const linkTo = (page: number) =>
    `${path}?${filters}page=${page}&page_size=${pagination.page_size}`;
  const linkOrNull = (page: number | null) => page === null ? null : linkTo(page);
  return {
    self: linkTo(pagination.page),
    first: linkTo(1),
    last: linkTo(pagination.total_pages),
    next: linkOrNull(pagination.next_page),
    prev: linkOrNull(pagination.prev_page),
  };
}

/** The parameters that make this collection, without those of its pages. */
function filterParameters(query: CollectionQuery): [string, string][] {
  const { sort, order, as_of } = query;
  const pairs: [string, string][] = filterPairs(query);
  const end = pairs.findIndex(([name]) => name === "include_inactive");
  const ordering = Object.entries({ as_of, sort, order }).filter(([, value]) =>
    value !== undefined
  );
  return pairs.toSpliced(end === -1 ? pairs.length : end, 0, ...ordering as [string, string][]);
}

/** The envelope of a collection (2.4), and its Link header, if any (RFC 8288). */
export function formatCollection(
  variant: Variant,
  collection: { items: readonly Item[]; pagination: Pagination; links: Links },
): { body: string; headers: { Link?: string } } {
  const { items, pagination, links } = collection;
  const data = items.map((item) => variant.formatItem(item));
  return { body: JSON.stringify({ data, pagination, links }), headers: linkHeader(links) };
}

/** The addresses beside a page; null where there is no page. */
interface PageLinks {
  next: string | null;
  prev: string | null;
}

/** The addresses of the pages beside one. */
export function linkBeside(
  { next_page, prev_page }: { next_page: number | null; prev_page: number | null },
  addressOf: (page: number) => string,
): PageLinks {
  const linkTo = (page: number | null) => page === null ? null : addressOf(page);
  return { next: linkTo(next_page), prev: linkTo(prev_page) };
}

/**
 * The Link header of a page (RFC 8288); no header where it stands alone.
 *
 * ```ts
 * const { Link } = linkHeader({ next: "/a?page=2", prev: null });
 * if (Link !== '</a?page=2>; rel="next"') throw new Error(Link);
 * if ("Link" in linkHeader({ next: null, prev: null })) throw new Error();
 * ```
 */
export function linkHeader(links: PageLinks): { Link?: string } {
  const link = (["next", "prev"] as const)
    .filter((rel) => links[rel] !== null)
    .map((rel) => `<${links[rel]}>; rel="${rel}"`).join(", ");
  return link ? { Link: link } : {};
}

/**
 * The query of an address with its question mark; empty where there is no parameter.
 *
 * ```ts
 * const query = formatPairs([["product_name", "R&D"], ["page", "2"]]);
 * if (query !== "?product_name=R%26D&page=2") throw new Error(query);
 * if (formatPairs([]) !== "") throw new Error();
 * ```
 */
export function formatPairs(pairs: readonly (readonly [name: string, value: string])[]): string {
  const parts = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return parts.length > 0 ? `?${parts.join("&")}` : "";
}
