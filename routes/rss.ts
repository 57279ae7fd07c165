import { z } from "zod";
import { readRecentChanges } from "../lib/roadmap/changes_sql.ts";
import { formatRss } from "../lib/feeds/rss.ts";
import { parseParameters, wholeNumber } from "../lib/http/parameters.ts";
import { FILTERS } from "./filters.ts";
import type { ReadRoute } from "./route.ts";

const MOST_ITEMS = 25;

const RSS_QUERY = z.object({
  ...FILTERS,
  limit: wholeNumber({ min: 1, max: MOST_ITEMS }).default(MOST_ITEMS)
    .describe("At most so many releases"),
});

/** Interface specification, 4.1: the feed of recently modified releases. */
function feedAt(path: string): ReadRoute {
  return {
    method: "GET",
    path,
    summary: "An RSS 2.0 feed of the releases that were modified last",
    cache: "variant",
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
    read({ query }, { services: { config, database }, site }) {
      const { limit, ...filters } = parseParameters(RSS_QUERY, query);
      return {
        normalised: { limit, ...filters },
        async build() {
          const items = await readRecentChanges(
            database,
            { ...filters, include_inactive: false },
            limit,
          );
          const body = formatRss(site.variant, {
            title: config.siteName,
            link: `${site.url}/`,
            self: `${site.url}${path}${formatQuery(filters, limit)}`,
            description: `Releases of ${config.siteName} that were modified last`,
            ttl: Number(/max-age=(\d+)/.exec(site.variant.cacheControl)![1]) / 60,
          }, items);
          return { contentType: "application/rss+xml; charset=utf-8", body };
        },
      };
    },
  };
}

/** The parameters of a feed's own address; a limit that says nothing stays away. */
function formatQuery(filters: Readonly<Record<string, string | undefined>>, limit: number): string {
  const parameters = Object.entries({ ...filters, limit: limit < MOST_ITEMS ? limit : undefined })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value!)}`);
  return parameters.length > 0 ? `?${parameters.join("&")}` : "";
}

export const rss = feedAt("/rss");
export const rssXml = feedAt("/rss.xml");
