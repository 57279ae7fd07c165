import { z } from "zod";
import { parseCollection } from "../roadmap/collection.ts";
import { readCollection } from "../search/read_collection.ts";
import { countOf } from "../text/phrases.ts";
import { describeRelease, releaseSchema, writeRelease } from "./describe_release.ts";
import { defineTool, TOOL_FILTER, toQuery } from "./tool.ts";

const DEFAULT_PAGE_SIZE = 10;
/** A list gives no more of a description; `get_release` gives all of it. */
const MAX_DESCRIPTION_LENGTH = 1_000;

/** Finds releases: the collection of `/api/releases`. */
export const searchReleases = defineTool({
  name: "search_releases",
  title: "Search releases",
  description: () =>
    "Finds features on this product release roadmap: what is planned, in preview or shipped, for " +
    "which product, and for when. Without parameters it lists the releases that changed last. Use " +
    "it first for any question about upcoming or past features, and for counting: total_items " +
    "says how many match. All parameters narrow together. Descriptions are shortened; get_release " +
    "gives a release in full, with its history.",
  input: z.strictObject({
    ...TOOL_FILTER,
    sort: z.enum(["last_modified", "release_date", "relevance"]).optional().describe(
      "What comes first: what changed last (default without q), what is planned for the latest " +
        "date, or the best match for q",
    ),
    order: z.enum(["asc", "desc"]).optional()
      .describe("Of last_modified and release_date: desc (default) is latest first"),
    page: z.int().min(1).optional().describe("Counted from 1"),
    page_size: z.int().min(1).max(50).optional()
      .describe(`Releases on a page, default ${DEFAULT_PAGE_SIZE}`),
  }),
  output: (variant) =>
    z.strictObject({
      releases: z.array(releaseSchema(variant)),
      total_items: z.int().describe("Number of matching releases, on all pages"),
      page: z.int(),
      total_pages: z.int(),
      next_page: z.int().nullable().describe("null on the last page"),
      search_mode: z.enum(["semantic", "related", "words", "similar", "any-word", "substring"])
        .nullable()
        .describe(
          "How q was searched: by meaning, by every word, or as near as it came; null without q",
        ),
    }),
  async answer({ page_size = DEFAULT_PAGE_SIZE, ...input }, context) {
    const { site } = context;
    const query = parseCollection(toQuery({ ...input, page_size }), site.variant);
    const sorted = query.q !== undefined && input.sort === undefined
      ? { ...query, sort: "relevance" as const }
      : query;
    const { items, pagination, mode } = await readCollection(sorted, context);
    const { total_items, page, total_pages, next_page } = pagination;
    const head = `${countOf(total_items, "release")} found` +
      (total_pages > 1 ? `; this is page ${page} of ${total_pages}.` : ".");
    return {
      structured: {
        releases: items.map((item) =>
          describeRelease(item, { site, longest: MAX_DESCRIPTION_LENGTH })
        ),
        total_items,
        page,
        total_pages,
        next_page,
        search_mode: mode,
      },
      text: [head, ...items.map((item) => writeRelease(item, { site, words: query.q }))]
        .join("\n\n"),
    };
  },
});
