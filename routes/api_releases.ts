import { PROBLEM_SCHEMA } from "../lib/http/problem.ts";
import { z } from "zod";
import type { ItemFilters } from "../lib/roadmap/items_sql.ts";
import { collectionSchema } from "../lib/roadmap/answer_schemas.ts";
import {
  type CollectionQuery,
  formatCollection,
  linkPages,
  paginate,
  type Pagination,
} from "../lib/roadmap/collection.ts";
import { daysBefore } from "../lib/text/dates.ts";
import type { Item } from "../lib/roadmap/item.ts";
import type { Variant } from "../lib/roadmap/variant.ts";
import {
  choice,
  flag,
  parseParameters,
  searchWords,
  uuid,
  wholeNumber,
} from "../lib/http/parameters.ts";
import type { Content } from "../lib/http/representation.ts";
import { FILTERS } from "./filters.ts";
import { findRelease } from "../lib/roadmap/find_release.ts";
import { type Context, json, type ReadRoute, today } from "./route.ts";
import { type Selected, selectItems } from "../lib/search/select_items.ts";

/** The parameters of a collection (interface specification, 4.2). */
const COLLECTION_QUERY = z.object({
  ...FILTERS,
  modified_within_days: wholeNumber({ min: 1, max: 30 }).optional()
    .describe("Only releases that were modified within so many days"),
  q: searchWords().describe("Words to look for in name, description and product, in any case"),
  sort: choice(["last_modified", "release_date"]).describe("Both descending"),
  include_inactive: flag().default(false).describe("`true` or `1`: removed releases as well"),
  page: wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER }).default(1)
    .describe("Counted from 1"),
  page_size: wholeNumber({ min: 1, max: 200 }).default(50).describe("How many releases a page has"),
});

const ITEM_QUERY = z.object({
  release_item_id: uuid().optional()
    .describe("One release: all other parameters are ignored, and it comes without an envelope"),
});

/** Interface specification, 4.2: a collection, or one item. */
export const releases: ReadRoute = {
  method: "GET",
  path: "/api/releases",
  summary: "Releases, filtered, searched, sorted and paged, or one of them",
  cache: "variant",
  describe: (variant) => ({
    query: COLLECTION_QUERY.extend(ITEM_QUERY.shape)
      .omit(variant.showsInactive ? {} : { include_inactive: true }),
    answers: {
      200: {
        description: "A page of releases; or one, where `release_item_id` is given",
        schema: z.union([collectionSchema(variant.itemSchema), variant.itemSchema]),
        headers: {
          "Link": 'The pages around this one, with rel="next" and rel="prev" (RFC 8288)',
          "X-Search-Mode": "Of a search: `substring`, or `semantic` where it went by meaning",
        },
      },
      404: { description: "There is no such release", schema: PROBLEM_SCHEMA },
    },
  }),
  read({ query }, context) {
    const { release_item_id: id } = parseParameters(ITEM_QUERY, query);
    if (id) return { normalised: id, build: () => buildItem(id, context) };
    const collection = parseCollection(query, context.site.variant);
    return { normalised: collection, build: () => buildCollection(collection, context) };
  },
};

/**
 * Reads the parameters of a collection. A variant without removed items ignores the wish for them,
 * and the default order counts as not asked for where it makes no difference.
 */
export function parseCollection(query: URLSearchParams, variant: Variant): CollectionQuery {
  const parsed = parseParameters(COLLECTION_QUERY, query);
  const isDefaultSort = parsed.q === undefined && parsed.sort === "last_modified";
  return {
    ...parsed,
    sort: isDefaultSort ? undefined : parsed.sort,
    include_inactive: variant.showsInactive && parsed.include_inactive,
  };
}

/** The filters of a collection, its look-back counted from a day. */
function filtersOf(query: CollectionQuery, day: string): ItemFilters {
  const { product_name, release_type, release_status, q, include_inactive } = query;
  const modified_since = query.modified_within_days && daysBefore(day, query.modified_within_days);
  return {
    product_name,
    release_type,
    release_status,
    q,
    include_inactive,
    modified_since: modified_since || undefined,
  };
}

async function buildCollection(query: CollectionQuery, context: Context): Promise<Content> {
  const { site } = context;
  const { items, pagination, mode, shortLived } = await readCollection(query, context);
  const links = linkPages(`${site.path}/api/releases`, query, pagination);
  const { body, link } = formatCollection(site.variant, { items, pagination, links });
  return {
    contentType: "application/json; charset=utf-8",
    body,
    shortLived,
    headers: { ...link && { Link: link }, ...mode && { "X-Search-Mode": mode } },
  };
}

/** A page of a collection, with how it was found. */
export interface CollectionPage extends Pick<Selected, "mode" | "shortLived"> {
  items: Item[];
  pagination: Pagination;
}

/** Reads a page of a collection. */
export async function readCollection(
  query: CollectionQuery,
  context: Context,
): Promise<CollectionPage> {
  const { services } = context;
  const filters = filtersOf(query, today(services));
  const start = (query.page - 1) * query.page_size;
  const end = start + query.page_size;
  const { selection, mode, shortLived } = await selectItems(
    { filters, sort: query.sort, end },
    context,
  );
  const ids = selection.slice(start, end);
  const items = await services.items.read(ids);
  return { items, pagination: paginate(query, selection.count), mode, shortLived };
}

async function buildItem(id: string, context: Context): Promise<Content> {
  const item = await findRelease(id, context);
  return { ...json(context.site.variant.formatItem(item)), lastModified: item.last_modified };
}
