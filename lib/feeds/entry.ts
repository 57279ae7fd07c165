/**
 * An entry of a feed is a release, newest change first, and the same in every format.
 *
 * Its identifier in RSS and JSON Feed is `urn:uuid:<release_item_id>:<last_modified>`, so a feed reader
 * shows a release again when it changes. In Atom it is the UUID v5 of that text in the URL namespace,
 * since an Atom identifier must be valid as well as unique. Its description has up to 20,000
 * characters, and fewer if a feed has more than 25 entries (500,000 together).
 *
 * No library writes feeds and calendars: the candidates (feedsmith, ical-generator) leave control
 * characters in, and a line break in the name of a calendar. Tests validate them with the grammar of
 * RFC 4287 (`tests/fixtures/atom.rng`), a JSON Feed schema and ical.js.
 *
 * @module
 */
import { LRUCache } from "lru-cache";
import type { z } from "zod";
import { describeChanges } from "../roadmap/changes/change_in_words.ts";
import { heaviestKind, nameKind } from "../roadmap/changes/kinds.ts";
import type { FeedItem } from "./feed_items_sql.ts";
import type { Site } from "../roadmap/sites.ts";
import { statedOf } from "../roadmap/stated.ts";
import { categoriesOf } from "../roadmap/filter/filter_values.ts";
import { blogAddress } from "../roadmap/variant.ts";
import { formatDescription } from "../text/description.ts";
import { showQuarter } from "../text/dates.ts";
import { joinParts, toLine } from "../text/phrases.ts";
import { cleanName } from "../text/plain_text.ts";
import { dropForbidden, xml } from "../text/xml.ts";
import { say } from "../text/messages.ts";

/** A release as an entry of any feed: plain texts, and safe HTML. */
export interface Entry {
  /** Of RSS and JSON Feed; Atom derives its own from it. A new one for each day that changed the release. */
  id: string;
  /** The page of the release, absolute. */
  url: string;
  /** The name of the release. */
  name: string;
  /** What happened to it, by its kind, such as `Shipped: Event triggers`. */
  title: string;
  /** `YYYY-MM-DD` */
  modified: string;
  /** The start of that day, or the moment of a later import that changed it again; in RFC 3339. */
  updated: string;
  /** Products, type, status and tags, each once. */
  categories: readonly string[];
  /** HTML: what happened that day, then status, type and date, then the description. */
  content: string;
}

/** Makes the entry of a release on a site. */
export function toEntry({ variant, url }: Pick<Site, "variant" | "url">, item: FeedItem): Entry {
  const { release_item_id, last_modified } = item;
  const release_type = toLine(dropForbidden(item.release_type));
  const release_status = toLine(dropForbidden(item.release_status));
  const kinds = { quarter: item.kinds, day: item.kinds };
  const changes = describeChanges(variant, item.changes.map((change) => ({ ...change, kinds })));
  const kind = item.kinds.length === 0 ? null : nameKind(heaviestKind(item.kinds));
  const name = cleanName(dropForbidden(item.feature_name));
  const date = item.release_date && variant.formatDate(item.release_date);
  // A day stays as programs write it.
  const release_date = date && showQuarter(date);
  const facts = statedOf(release_status, release_type, release_date);
  return {
    id: `urn:uuid:${release_item_id}:${last_modified}`,
    url: `${url}/release/${release_item_id}`,
    name,
    title: kind === null ? name : say("list.titled", { title: kind, text: name }),
    modified: last_modified,
    updated: item.changed_again ?? formatMoment(last_modified),
    categories: categoriesOf(item).map((category) => toLine(dropForbidden(category))),
    content: [
      kind === null ? "" : xml`<p><strong>${kind}</strong></p>`.text,
      kind === null ? "" : xml`<p>${joinLines(changes.map(({ text }) => toLine(text)))}</p>`.text,
      xml`<p>${joinParts(facts)}</p>`.text,
      item.feature_description === null
        ? ""
        : describe(item.feature_description, blogAddress(item, variant)),
    ].join(""),
  };
}

function joinLines(lines: readonly string[]) {
  return lines.map((line, place) => place === 0 ? xml`${line}` : xml`<br>${line}`);
}

/** Feeds share most of their entries, and most of the time goes into Markdown. */
const described = new LRUCache<string, string>({
  maxSize: 4 * 1024 * 1024,
  sizeCalculation: (html, description) => 2 * (html.length + description.length) + 100,
});

function describe(description: string, writtenAt: string | null): string {
  const key = `${writtenAt ?? ""}\n${description}`;
  let html = described.get(key);
  if (html === undefined) {
    html = dropForbidden(formatDescription(description, writtenAt)).trim();
    described.set(key, html);
  }
  return html;
}

/** The content of a feed, in any format. */
export interface Feed {
  title: string;
  description: string;
  /** The publisher: the name of the site. */
  author: string;
  /** The page with the same content, absolute. */
  page: string;
  /** The feed's own address, absolute. */
  self: string;
  /** The WebSub hub that is notified of its changes; null: there is none. */
  hub: string | null;
  /** The refresh interval for readers, in minutes. */
  ttl: number;
  /** When the newest entry or, without entries, the roadmap changed, in RFC 3339 format. */
  updated: string;
  /** Newest first. */
  entries: readonly Entry[];
}

/** A feed format. */
export interface FeedFormat {
  /** As in `RSS 2.0`. */
  name: string;
  mediaType: string;
  /** The largest number of entries. */
  maxEntries: number;
  /** The schema of the response, for the API description. */
  schema: z.ZodType;
  write(feed: Feed): string;
}

/**
 * The start of a day, in RFC 3339 format.
 *
 * ```ts
 * if (formatMoment("2026-07-14") !== "2026-07-14T00:00:00Z") throw new Error();
 * ```
 */
export function formatMoment(day: string): string {
  return `${day}T00:00:00Z`;
}
