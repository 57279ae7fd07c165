import { z } from "zod";
import { readHistory } from "../../../../lib/roadmap/changes/history_sql.ts";
import { problemAnswer } from "../../../../lib/http/openapi.ts";
import {
  formatPairs,
  historySchema,
  linkBeside,
  linkHeader,
  paginate,
} from "../../../../lib/roadmap/collection.ts";
import { noRelease, RELEASE_PATH } from "../../../../lib/roadmap/releases.ts";
import { parseParameters, wholeNumber } from "../../../../lib/http/requests/parameters.ts";
import { json, type ReadConfig, type ReadHandlers } from "../../../route.ts";

/** The most entries in a response. */
const PAGE_SIZE = 1_000;

const HISTORY_QUERY = z.object({
  page: wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER }).default(1)
    .describe(`Counted from 1; ${PAGE_SIZE} changes per page`),
});

export const config: ReadConfig = {
  cache: "variant",
  errors: "json",
  summary: "The changes of one release, newest first",
};

/** Interface specification, 4.3: everything one item went through. */
export const handler: ReadHandlers = {
  GET: {
    describe: (variant) => ({
      tag: "Changes",
      details:
        "Every change since the release was added to the roadmap. Removed releases are included " +
        "where the site shows them.",
      path: RELEASE_PATH,
      query: HISTORY_QUERY,
      answers: {
        200: {
          description: "The changes",
          schema: historySchema(variant.changedColumnsSchema),
          headers: {
            "Link": 'The next and previous page, with rel="next" and rel="prev" (RFC 8288)',
          },
        },
        404: problemAnswer("Release not found"),
      },
    }),
    read({ path, query }, context) {
      const { release_item_id: id } = parseParameters(RELEASE_PATH, path);
      const { page } = parseParameters(HISTORY_QUERY, query);
      return {
        normalised: [id, page],
        async build() {
          const { services, site: { variant, path } } = context;
          const { is_shown, changes, total } = await readHistory(services.database, id, {
            variant,
            per: variant.historyShows,
            start: (page - 1) * PAGE_SIZE,
            end: page * PAGE_SIZE,
          });
          if (!is_shown) throw noRelease(id);
          const links = linkBeside(
            paginate({ page, page_size: PAGE_SIZE }, total),
            (page) => `${path}/api/releases/history/${id}${formatPairs([["page", String(page)]])}`,
          );
          return { ...json(variant.formatHistory(changes)), headers: linkHeader(links) };
        },
      };
    },
  },
};
