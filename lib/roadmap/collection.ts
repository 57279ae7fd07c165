import { z } from "zod";
import { choice, day, parseParameters, wholeNumber } from "../http/requests/parameters.ts";
import { FILTER, type Filter, parseFilter } from "./filter/filter.ts";
import { filterPairs } from "./filter/filter_values.ts";
import type { Item } from "./item.ts";
import type { ItemSort } from "./items_sql.ts";
import type { Variant } from "./variant.ts";

/** Parts of which the shapes of both variants are made, for the description of the API. */
export const ID = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
export const DAY = z.string().regex(/^\d{4}-\d{2}-\d{2}$/).meta({ format: "date" });
export const QUARTER = z.string().regex(/^Q[1-4] \d{4}$/);

const COUNT = z.int().min(0);
const COUNTS = z.record(z.string(), COUNT);
const PAGE = z.int().min(1);
const ADDRESS = z.string().meta({ format: "uri-reference" });

const PAGINATION = z.strictObject({
  page: PAGE.describe("This page, counted from 1"),
  page_size: z.int().min(1).max(200),
  total_items: COUNT.describe("Number of releases that match the filters"),
  total_pages: PAGE,
  has_next: z.boolean(),
  has_prev: z.boolean(),
  next_page: PAGE.nullable(),
  prev_page: PAGE.nullable(),
}).meta({ id: "Pagination" });

const LINKS = z.strictObject({
  self: ADDRESS,
  first: ADDRESS,
  last: ADDRESS,
  next: ADDRESS.nullable().describe("Null on the last page"),
  prev: ADDRESS.nullable().describe("Null on the first page"),
}).meta({ id: "Links" });

/** All products, the tags and the named dates of an item. */
const severalShape = <Day extends z.ZodType>(day: Day) => ({
  product_names: z.array(z.string()).optional()
    .describe("All products, where there are several; the first is `product_name`"),
  tags: z.record(z.string(), z.array(z.string())).optional()
    .describe("Tags by their groups, where there are any"),
  dates: z.record(z.string(), day).optional()
    .describe("Other dates than the release date, by their names, where there are any"),
});

/** What every variant shows of an item, with planned dates in its way. */
export function itemShape<ReleaseDate extends z.ZodType>(releaseDate: ReleaseDate) {
  return {
    release_item_id: ID,
    feature_name: z.string(),
    release_date: releaseDate.nullable(),
    release_type: z.string(),
    release_status: z.string(),
    product_id: ID.nullable(),
    product_name: z.string(),
    ...severalShape(releaseDate),
    feature_description: z.string().nullable(),
  };
}

/** A page of a collection of such items (interface specification, 2.4). */
export function collectionSchema(item: z.ZodType) {
  return z.strictObject({ data: z.array(item), pagination: PAGINATION, links: LINKS })
    .meta({ id: "Collection" });
}

/** The history of an item (2.5), whose entries say in this way what changed. */
export function historySchema(changedColumns: z.ZodType) {
  const entry = z.strictObject({
    changed_columns: changedColumns,
    last_modified: DAY.describe("The day of the change"),
  }).meta({ id: "HistoryEntry" });
  return z.array(entry).describe("Newest first").meta({ id: "History" });
}

const CHANGELOG_ITEM = z.strictObject({
  release_item_id: ID,
  feature_name: z.string(),
  product_name: z.string(),
  release_type: z.string(),
  release_status: z.string(),
  release_date: QUARTER.nullable(),
  last_modified: DAY,
  active: z.boolean(),
  changed_columns: z.array(z.string()),
}).meta({ id: "ChangelogItem" });

export const CHANGELOG = z.strictObject({
  total_items: COUNT,
  days: z.array(
    z.strictObject({ date: DAY, count: COUNT, items: z.array(CHANGELOG_ITEM) })
      .meta({ id: "ChangelogDay" }),
  ),
}).meta({ id: "Changelog" });

export const FILTER_OPTIONS = z.strictObject({
  product_names: z.array(z.string()),
  release_types: z.array(z.string()),
  release_statuses: z.array(z.string()),
  tags: z.record(z.string(), z.array(z.string())).optional()
    .describe("By their groups, where there are any"),
  sources: z.array(z.string()).optional().describe("Where there is more than one source"),
  date_names: z.array(z.strictObject({ name: z.string(), count: z.int() })).optional()
    .describe("Names of dates beside the release date, and how many releases have each"),
  counts: z.strictObject({
    product_name: COUNTS,
    release_type: COUNTS,
    release_status: COUNTS,
    tag: COUNTS.optional(),
    source: COUNTS.optional(),
  }).optional().describe(
    "By parameter and value: number of releases with that value chosen",
  ),
}).meta({ id: "FilterOptions" });

/** The answer to every valid request to subscribe. */
export const ACCEPTANCE = z.strictObject({
  status: z.literal("accepted"),
  message: z.string(),
  unknown: z.strictObject({
    products: z.array(z.string()).optional(),
    types: z.array(z.string()).optional(),
    statuses: z.array(z.string()).optional(),
    tags: z.array(z.string()).optional(),
  }).optional().describe("Values that no release has at the moment; they may be misspelt"),
  ignored: z.array(z.string()).optional().describe(
    "Unknown fields of the request, which were ignored",
  ),
}).meta({ id: "Acceptance" });

/** What following a verification link leads to. */
export const VERIFICATION = z.strictObject({
  status: z.literal("verified"),
  message: z.string(),
  unsubscribe_url: z.url().optional().describe("Within an hour after the link was first opened"),
}).meta({ id: "Verification" });

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
  if (!query.has("as_of")) return undefined;
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
export type Pagination = z.output<typeof PAGINATION>;
/** Addresses of pages (2.3), relative to the server. */
type Links = z.output<typeof LINKS>;

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
export function linkPages(
  path: string,
  { sort, order, as_of, include_inactive, ...query }: CollectionQuery,
  { page, page_size, total_pages, ...beside }: Pagination,
): Links {
  const linkTo = (page: number) =>
    path + formatPairs([
      ...filterPairs(query),
      ...Object.entries({ as_of, sort, order }),
      ...filterPairs({ include_inactive }),
      ...Object.entries({ page, page_size }),
    ]);
  return {
    self: linkTo(page),
    first: linkTo(1),
    last: linkTo(total_pages),
    ...linkBeside(beside, linkTo),
  };
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

/** The addresses of the pages beside one; null where there is no page. */
export function linkBeside(
  { next_page, prev_page }: Pick<Pagination, "next_page" | "prev_page">,
  addressOf: (page: number) => string,
): Pick<Links, "next" | "prev"> {
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
export function linkHeader(links: Pick<Links, "next" | "prev">): { Link?: string } {
  const link = (["next", "prev"] as const)
    .filter((rel) => links[rel] !== null)
    .map((rel) => `<${links[rel]}>; rel="${rel}"`).join(", ");
  return link ? { Link: link } : {};
}

/**
 * The query of an address with its question mark; empty where there is no parameter. A list repeats
 * its name, and what is undefined stays away.
 *
 * ```ts
 * const query = formatPairs([["product_name", ["R&D", "IT"]], ["page", 2], ["sort", undefined]]);
 * if (query !== "?product_name=R%26D&product_name=IT&page=2") throw new Error(query);
 * if (formatPairs([]) !== "") throw new Error();
 * ```
 */
export function formatPairs(pairs: readonly (readonly [name: string, value: unknown])[]): string {
  const parts = pairs.flatMap(([name, value]) =>
    value === undefined
      ? []
      : [value].flat().map((one) => `${name}=${encodeURIComponent(String(one))}`)
  );
  return parts.length > 0 ? `?${parts.join("&")}` : "";
}
