import { FEEDS, titleFeed } from "../../lib/roadmap/feed_addresses.ts";
import type { FilterValues } from "../../lib/roadmap/filter/filter_values.ts";
import { filterQuery } from "./search_query.ts";

/** Updates the feed links in the head of the page, and what its button follows, to what it shows now. */
export function announceFeeds(
  path: string,
  { filter, siteName }: { filter: FilterValues; siteName: string },
): void {
  const followed = filterQuery(filter);
  const follow = document.querySelector(".follow-button")!;
  follow.setAttribute("href", `${path}/subscribe${followed}`);
  for (const feed of FEEDS) {
    const link = document.querySelector<HTMLLinkElement>(
      `link[rel="alternate"][type="${feed.mediaType}"]`,
    );
    if (!link) continue;
    link.title = titleFeed(filter, siteName);
    link.setAttribute("href", path + feed.path + followed);
  }
}
