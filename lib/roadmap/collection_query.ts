import { z } from "zod";
import { choice, wholeNumber } from "../http/requests/parameters.ts";
import type { CollectionQuery } from "./collection.ts";
import { FILTER, parseFilter } from "./filter/filter.ts";
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
    .describe("Releases per page; fewer if their texts are very long"),
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
