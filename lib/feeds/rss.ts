import type { DatedChange, Item, ListedItem } from "../roadmap/item.ts";
import type { Variant } from "../roadmap/variant.ts";
import { formatXmlDocument, xml } from "../text/xml.ts";

/** What a feed says of itself. */
export interface Channel {
  title: string;
  /** The site's page, absolute. */
  link: string;
  /** This feed's own address, absolute. */
  self: string;
  description: string;
  /** How long a reader may wait before it asks again, in minutes. */
  ttl: number;
}

/** A release as the feed tells of it: what changed in its last day, and its description. */
type FeedItem =
  & ListedItem
  & Pick<Item, "feature_description">
  & { changes: readonly DatedChange[] };

/** An RSS 2.0 feed (rssboard.org/rss-specification) of recently modified items. */
export function formatRss(
  variant: Variant,
  channel: Channel,
  items: readonly FeedItem[],
): string {
  const [newest] = items;
  const built = newest && xml`<lastBuildDate>${rfc822(newest.last_modified)}</lastBuildDate>`;
  return formatXmlDocument(xml`
    <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
      <channel>
        <title>${channel.title}</title>
        <link>${channel.link}</link>
        <description>${channel.description}</description>
        <atom:link href="${channel.self}" rel="self" type="application/rss+xml"/>
        <language>en</language>
        <ttl>${channel.ttl}</ttl>
        ${built}
        ${items.map((item) => formatEntry(variant, channel, item))}
      </channel>
    </rss>
  `);
}

function formatEntry(
  variant: Variant,
  { link }: Channel,
  item: FeedItem,
) {
  const categories = [item.product_name, item.release_type, item.release_status];
  return xml`
    <item>
      <title>${item.feature_name}</title>
      <link>${link}release/${item.release_item_id}</link>
      <guid isPermaLink="false">urn:uuid:${item.release_item_id}:${item.last_modified}</guid>
      <pubDate>${rfc822(item.last_modified)}</pubDate>
      ${categories.map((category) => xml`<category>${category}</category>`)}
      <description>${describe(variant, item)}</description>
    </item>
  `;
}

/** What changed that day, then status, type and date, then the description; a paragraph each. */
function describe(
  variant: Variant,
  item: FeedItem,
): string {
  const release_date = item.release_date && variant.formatDate(item.release_date);
  return [
    variant.describeChanges(item.changes).join("; "),
    [item.release_status, item.release_type, release_date].filter(Boolean).join(", "),
    item.feature_description,
  ].filter(Boolean).map((paragraph) => xml`<p>${String(paragraph)}</p>`.text).join("");
}

/** A day at 00:00:00 GMT as RFC 822 writes it, with the year of RFC 2822. */
function rfc822(day: string): string {
  return new Date(`${day}T00:00:00Z`).toUTCString();
}
