import { type FilterValues } from "./filter/filter_values.ts";
import { describeFilter } from "./filter/filter_words.ts";

/** The feeds that a page announces, below a site. */
export const FEEDS = [
  { name: "RSS", path: "/rss.xml", mediaType: "application/rss+xml" },
  { name: "Atom", path: "/atom.xml", mediaType: "application/atom+xml" },
  { name: "JSON Feed", path: "/feed.json", mediaType: "application/feed+json" },
] as const;

export const CALENDAR_PATH = "/calendar.ics";

/**
 * The title of a feed: what it holds, and whose it is.
 *
 * ```ts
 * import "../text/messages.ts";
 * import { NO_FILTER } from "./filter/filter_values.ts";
 * const title = titleFeed({ ...NO_FILTER, product_name: ["Power BI"] }, "Acme");
 * if (title !== "Power BI · Acme") throw new Error(title);
 * if (titleFeed(NO_FILTER, "Acme") !== "Acme") throw new Error();
 * ```
 */
export function titleFeed(filter: FilterValues, siteName: string): string {
  const words = describeFilter(filter);
  return words === "" ? siteName : `${words} · ${siteName}`;
}

/**
 * The address by which calendar programs subscribe: that of the web, with a scheme of their own.
 *
 * ```ts
 * const address = webcalAddress("https://example.com/b/calendar.ics?q=a");
 * if (address !== "webcal://example.com/b/calendar.ics?q=a") throw new Error(address);
 * ```
 */
export function webcalAddress(address: string): string {
  return address.replace(/^https?:/, "webcal:");
}
