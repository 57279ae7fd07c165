import { z } from "zod";

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

/** All products and the tags of an item. */
const SEVERAL = {
  product_names: z.array(z.string()).optional()
    .describe("All products, where there are several; the first is `product_name`"),
  tags: z.record(z.string(), z.array(z.string())).optional()
    .describe("Tags by their groups, where there are any"),
};

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
    ...SEVERAL,
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
