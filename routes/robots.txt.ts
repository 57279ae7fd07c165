import { CALENDAR_PATH, FEEDS } from "../lib/roadmap/feed_addresses.ts";
import type { ReadConfig, ReadHandlers } from "./route.ts";

export const config: ReadConfig = {
  cache: "data",
  errors: "json",
  summary: "What crawlers may read, and where the sitemap is",
};

/**
 * RFC 9309: crawlers may read everything except the links in mails and combinations of filters, of
 * which there is no end. Some calendars and readers fetch by these rules, so feeds have no such limit.
 */
export const handler: ReadHandlers = {
  GET: {
    read: (_input, { site }) => ({
      normalised: null,
      build: () =>
        Promise.resolve({
          contentType: "text/plain; charset=utf-8",
          body: [
            "User-agent: *",
            `Disallow: ${site.path}/verify-email`,
            `Disallow: ${site.path}/unsubscribe`,
            `Disallow: ${site.path}/preferences`,
            `Disallow: ${site.path}/*?`,
            `Allow: ${site.path}/*?page=`,
            `Disallow: ${site.path}/*?page=*&`,
            ...[...FEEDS.map(({ path }) => path), "/rss", CALENDAR_PATH]
              .map((path) => `Allow: ${site.path}${path}`),
            "Allow: /",
            "",
            `Sitemap: ${site.url}/sitemap.xml`,
            "",
          ].join("\n"),
        }),
    }),
  },
};
