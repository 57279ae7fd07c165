import { v5 as uuidV5 } from "uuid";
import { z } from "zod";
import { formatXmlDocument, xml } from "../text/xml.ts";
import { type Entry, type Feed, type FeedFormat, formatMoment } from "./entry.ts";
import { language } from "../text/messages.ts";

/** RSS 2.0 (rssboard.org/rss-specification). */
export const RSS: FeedFormat = {
  name: "RSS 2.0",
  mediaType: "application/rss+xml",
  maxEntries: 25,
  schema: z.string(),
  write: formatRss,
};

function formatRss({ title, page, description, self, hub, ttl, entries }: Feed): string {
  const hubLink = hub && xml`
    <atom:link href="${hub}" rel="hub" />
  `;
  const [newest] = entries;
  const built = newest && xml`<lastBuildDate>${rfc822(newest.modified)}</lastBuildDate>`;
  return formatXmlDocument(xml`
    <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
      <channel>
        <title>${title}</title>
        <link>${page}</link>
        <description>${description}</description>
        <atom:link href="${self}" rel="self" type="application/rss+xml"/>${hubLink}
        <language>${language().tag}</language>
        <ttl>${ttl}</ttl>
        ${built}
        ${entries.map(formatRssItem)}
      </channel>
    </rss>
  `);
}

/** Scripts look for the name of a release in its title, so the kind stands in the text alone. */
function formatRssItem({ id, url, name, modified, categories, content }: Entry) {
  return xml`
    <item>
      <title>${name}</title>
      <link>${url}</link>
      <guid isPermaLink="false">${id}</guid>
      <pubDate>${rfc822(modified)}</pubDate>
      ${categories.map((category) => xml`<category>${category}</category>`)}
      <description>${content}</description>
    </item>
  `;
}

/** A day at 00:00:00 GMT as RFC 822 writes it, with the year of RFC 2822. */
function rfc822(day: string): string {
  return new Date(formatMoment(day)).toUTCString();
}

/** Atom 1.0 (RFC 4287). */
export const ATOM: FeedFormat = {
  name: "Atom 1.0",
  mediaType: "application/atom+xml",
  maxEntries: 100,
  schema: z.string(),
  write: formatAtom,
};

function formatAtom(
  { title, page, description, author, self, hub, updated, entries }: Feed,
): string {
  const hubLink = hub && xml`
    <link rel="hub" href="${hub}" />
  `;
  return formatXmlDocument(xml`
    <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language().tag}">
      <id>${self}</id>
      <title>${title}</title>
      <subtitle>${description}</subtitle>
      <link rel="self" type="application/atom+xml" href="${self}"/>${hubLink}
      <link rel="alternate" type="text/html" href="${page}"/>
      <author><name>${author}</name></author>
      <updated>${updated}</updated>
      ${entries.map(formatEntry)}
    </feed>
  `);
}

/** RFC 9562, section 4: `urn:uuid:` takes a UUID and nothing else, so one is made of the id. */
function formatEntry({ id, url, title, modified, updated, categories, content }: Entry) {
  return xml`
    <entry>
      <id>urn:uuid:${uuidV5(id, uuidV5.URL)}</id>
      <title>${title}</title>
      <link rel="alternate" type="text/html" href="${url}"/>
      <published>${formatMoment(modified)}</published>
      <updated>${updated}</updated>
      ${categories.map(formatCategory)}
      <content type="html">${content}</content>
    </entry>
  `;
}

function formatCategory(category: string) {
  return xml`
    <category term="${category}" />
  `;
}

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
  language: z.string(),
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
    language: language().tag,
    authors: [{ name: author }],
    ...hub && { hubs: [{ type: "WebSub" as const, url: hub }] },
    items: entries.map(formatJsonItem),
  };
  return JSON.stringify(feed);
}

function formatJsonItem(
  { id, url, title, modified, updated, categories, content }: Entry,
): z.input<typeof ITEM> {
  return {
    id,
    url,
    title,
    content_html: content,
    date_published: formatMoment(modified),
    date_modified: updated,
    tags: [...categories],
  };
}

/** A feed in a list of feeds. */
interface ListedFeed {
  title: string;
  url: string;
  /** The page of what it holds. */
  page: string;
}

export const OPML_TYPE = "text/x-opml";

/** A list of RSS feeds as OPML 2.0 (opml.org/spec2.opml, "Subscription lists"). */
export function formatOpml(title: string, feeds: readonly ListedFeed[]): string {
  return formatXmlDocument(xml`
    <opml version="2.0">
      <head>
        <title>${title}</title>
      </head>
      <body>
        ${feeds.map((feed) =>
          xml`
            <outline type="rss" version="RSS" text="${feed.title}" title="${feed
              .title}" xmlUrl="${feed.url}"
              htmlUrl="${feed.page}" />
          `
        )}
      </body>
    </opml>
  `);
}
