import { z } from "zod";
import { formatXmlDocument, xml } from "../text/xml.ts";
import type { Entry } from "./entry.ts";
import { type Feed, type FeedFormat, formatMoment } from "./feed.ts";

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
        <language>en</language>
        <ttl>${ttl}</ttl>
        ${built}
        ${entries.map(formatItem)}
      </channel>
    </rss>
  `);
}

/** Scripts look for the name of a release in its title, so the kind stands in the text alone. */
function formatItem({ id, url, name, modified, categories, content }: Entry) {
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
