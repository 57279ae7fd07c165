import { byDate } from "../../lib/service/services.ts";
import { parseParameters } from "../../lib/http/requests/parameters.ts";
import { CHANGELOG, linkBeside, linkHeader } from "../../lib/roadmap/collection.ts";
import {
  CHANGELOG_QUERY,
  changelogQuery,
  formatChangelog,
  readChangelog,
} from "../../lib/roadmap/changes/api_changelog.ts";
import { json, type ReadConfig, type ReadHandlers } from "../route.ts";

/** The most releases in a response. */
const PAGE_SIZE = 1_000;

export const config: ReadConfig = {
  cache: "variant",
  errors: "json",
  summary: "Releases by the day of their last change, with what changed",
};

/** Interface specification, 4.4: what changed, by day. */
export const handler: ReadHandlers = {
  GET: {
    isIn: (variant) => variant.hasChangelog,
    describe: () => ({
      tag: "Changes",
      details:
        "Covers the last `days` days. Each release appears once, on the day of its last change, " +
        "with everything that changed on that day. With `date`, the releases with changes dated " +
        "that day, whatever happened to them since.",
      query: CHANGELOG_QUERY,
      answers: {
        200: {
          description: `Days, newest first, ${PAGE_SIZE} releases per page; ` +
            "long values in `changed_columns` are shortened",
          schema: CHANGELOG,
          headers: {
            "Link": 'The next and previous page, with rel="next" and rel="prev" (RFC 8288)',
          },
        },
      },
    }),
    read({ query }, { services, site: { variant, path } }) {
      const parsed = parseParameters(CHANGELOG_QUERY, query);
      return {
        normalised: parsed,
        async build() {
          const { items, pagination } = await readChangelog(parsed, PAGE_SIZE, {
            ...byDate(services, parsed.date_name),
            variant,
          });
          const links = linkBeside(
            pagination,
            (page) => `${path}/api/changelog${changelogQuery({ ...parsed, page })}`,
          );
          return {
            ...json(
              formatChangelog(variant, { items, total: pagination.total_items, date: parsed.date }),
            ),
            headers: linkHeader(links),
          };
        },
      };
    },
  },
};
