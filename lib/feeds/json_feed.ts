import type { Entry } from "./entry.ts";
import { type Feed, type FeedFormat, formatMoment } from "./feed.ts";

/** JSON Feed 1.1 (jsonfeed.org/version/1.1). */
export const JSON_FEED: FeedFormat = {
  name: "JSON Feed 1.1",
  mediaType: "application/feed+json",
  mostEntries: 100,
  write: formatJsonFeed,
};

function formatJsonFeed({ title, page, description, author, self, entries }: Feed): string {
  return JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    title,
    home_page_url: page,
    feed_url: self,
    description,
    language: "en",
    authors: [{ name: author }],
    items: entries.map(formatItem),
  });
}

function formatItem({ id, url, title, modified, categories, content }: Entry) {
  const moment = formatMoment(modified);
  return {
    id,
    url,
    title,
    content_html: content,
    date_published: moment,
    date_modified: moment,
    tags: categories,
  };
}
