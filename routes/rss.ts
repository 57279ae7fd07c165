import { z } from "zod";
import { readRecentChanges } from "../lib/roadmap/changes_sql.ts";
import { formatRss } from "../lib/feeds/rss.ts";
import { FILTER, type Filter, resolveFilter } from "../lib/roadmap/filter.ts";
import { filterPairs } from "../lib/roadmap/filter_values.ts";
import { parseParameters, wholeNumber } from "../lib/http/parameters.ts";
import { type ReadHandler, today } from "./route.ts";

const MOST_ITEMS = 25;

/** What an entry takes, with the longest texts that a feed has. */
const ENTRY_BYTES = 24 * 1024;

const RSS_QUERY = z.object({
  ...FILTER,
  limit: wholeNumber({ min: 1, max: MOST_ITEMS }).default(MOST_ITEMS)
    .describe("At most so many releases"),
});

/** Interface specification, 4.1: the feed of recently modified releases. */
function feedAt(path: string): ReadHandler {
  return {
    describe: () => ({
      query: RSS_QUERY,
      answers: {
        200: {
          description: "The feed",
          contentType: "application/rss+xml",
          schema: z.string(),
        },
      },
    }),
    read({ query }, { services, site }) {
      const { config, database } = services;
      const { limit, ...parsed } = parseParameters(RSS_QUERY, query);
      const filter = {
        ...parsed,
        include_inactive: site.variant.showsInactive && parsed.include_inactive,
      };
      return {
        normalised: { limit, ...filter },
        bytes: () => Promise.resolve(limit * ENTRY_BYTES),
        async build() {
          const items = await readRecentChanges(
            database,
            resolveFilter(filter, today(services)),
            limit,
          );
          const body = formatRss(site.variant, {
            title: config.siteName,
            link: `${site.url}/`,
            self: `${site.url}${path}${formatQuery(filter, limit)}`,
            description: `Releases of ${config.siteName} that were modified last`,
            ttl: site.variant.freshSeconds / 60,
          }, items);
          return { contentType: "application/rss+xml; charset=utf-8", body };
        },
      };
    },
  };
}

/** The parameters of a feed's own address; a limit that says nothing stays away. */
function formatQuery(filter: Filter, limit: number): string {
  const parameters = [
    ...filterPairs(filter),
    ...limit < MOST_ITEMS ? [["limit", String(limit)] as const] : [],
  ].map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return parameters.length > 0 ? `?${parameters.join("&")}` : "";
}

export const rss = feedAt("/rss");
export const rssXml = feedAt("/rss.xml");
