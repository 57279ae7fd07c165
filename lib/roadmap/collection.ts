import type { Filter } from "./filter/filter.ts";
import { filterPairs } from "./filter/filter_values.ts";
import type { Item } from "./item.ts";
import type { ItemSort } from "./items_sql.ts";
import { linkHeader } from "./page_links.ts";
import type { Variant } from "./variant.ts";

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
export interface Links {
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
  const data = items.map((item) => writeItem(item, variant));
  const around = JSON.stringify({ pagination, links });
  // Joined once: a text that is put together bit by bit is copied as often.
  const parts = data.flatMap((text, place) => place === 0 ? [text] : [",", text]);
  const body = ['{"data":[', ...parts, "],", around.slice(1)].join("");
  return { body, headers: linkHeader(links) };
}

const written = { A: new WeakMap<Item, string>(), B: new WeakMap<Item, string>() };

/** An item as JSON, serialised once while it is cached. */
function writeItem(item: Item, variant: Variant): string {
  const texts = written[variant.name];
  const known = texts.get(item);
  if (known !== undefined) return known;
  const text = JSON.stringify(variant.formatItem(item));
  texts.set(item, text);
  return text;
}
