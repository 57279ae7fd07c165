import { z } from "zod";
import type { Entry } from "./entry.ts";
import { type Feed, type FeedFormat, formatMoment } from "./feed.ts";

const ITEM = z.strictObject({
  id: z.string().describe("A new one for each day on which the release changed"),
  url: z.url(),
  title: z.string(),
  content_html: z.string(),
  date_published: z.iso.datetime(),
  date_modified: z.iso.datetime(),
  tags: z.array(z.string()).describe("Product, type and status"),
});

const FEED = z.strictObject({
  version: z.literal("https://jsonfeed.org/version/1.1"),
  title: z.string(),
  home_page_url: z.url(),
  feed_url: z.url(),
  description: z.string(),
  language: z.literal("en"),
  authors: z.array(z.strictObject({ name: z.string() })),
  hubs: z.array(z.strictObject({ type: z.literal("WebSub"), url: z.url() })).optional(),
  items: z.array(ITEM),
});

/** JSON Feed 1.1 (jsonfeed.org/version/1.1). */
export const JSON_FEED: FeedFormat = {
  name: "JSON Feed 1.1",
  mediaType: "application/feed+json",
  maxEntries: 100,
  schema: FEED,
  write: formatJsonFeed,
};

function formatJsonFeed(
  { title, page, description, author, self, hub, entries }: Feed,
): string {
  const feed: z.input<typeof FEED> = {
    version: "https://jsonfeed.org/version/1.1",
    title,
    home_page_url: page,
    feed_url: self,
    description,
    language: "en",
    authors: [{ name: author }],
    ...hub && { hubs: [{ type: "WebSub" as const, url: hub }] },
    items: entries.map(formatItem),
  };
  return JSON.stringify(feed);
}

function formatItem(
  { id, url, title, modified, categories, content }: Entry,
): z.input<typeof ITEM> {
  const moment = formatMoment(modified);
  return {
    id,
    url,
    title,
    content_html: content,
    date_published: moment,
    date_modified: moment,
    tags: [...categories],
  };
}
