import { LRUCache } from "lru-cache";
import { categoriesOf } from "../roadmap/categories.ts";
import type { FeedItem } from "../roadmap/changes/changes_sql.ts";
import { describeChanges } from "../roadmap/changes/change_in_words.ts";
import type { Site } from "../roadmap/sites.ts";
import { formatDescription } from "../text/description.ts";
import { cleanName } from "../text/clean_name.ts";
import { toLine } from "../text/to_line.ts";
import { dropForbidden, xml } from "../text/xml.ts";

/** A release as an entry of any feed: plain texts, and safe HTML. */
export interface Entry {
  /** Of RSS and JSON Feed; Atom derives its own from it. A new one for each day that changed the release. */
  id: string;
  /** The page of the release, absolute. */
  url: string;
  title: string;
  /** `YYYY-MM-DD` */
  modified: string;
  /** Products, type, status and tags, each once. */
  categories: readonly string[];
  /** HTML: what changed that day, then status, type and date, then the description. */
  content: string;
}

/** Makes the entry of a release on a site. */
export function toEntry({ variant, url }: Pick<Site, "variant" | "url">, item: FeedItem): Entry {
  const { release_item_id, last_modified } = item;
  const release_type = toLine(dropForbidden(item.release_type));
  const release_status = toLine(dropForbidden(item.release_status));
  const changes = describeChanges(variant, item.changes).map(({ text }) => text);
  const release_date = item.release_date && variant.formatDate(item.release_date);
  const facts = [release_status, release_type, release_date].filter((fact) => fact !== null);
  return {
    id: `urn:uuid:${release_item_id}:${last_modified}`,
    url: `${url}/release/${release_item_id}`,
    title: cleanName(dropForbidden(item.feature_name)),
    modified: last_modified,
    categories: categoriesOf(item).map((category) => toLine(dropForbidden(category))),
    content: [
      changes.length > 0 ? xml`<p>${joinLines(changes)}</p>`.text : "",
      xml`<p>${facts.join(", ")}</p>`.text,
      item.feature_description === null ? "" : describe(item.feature_description),
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

function describe(description: string): string {
  let html = described.get(description);
  if (html === undefined) {
    html = dropForbidden(formatDescription(description)).trim();
    described.set(description, html);
  }
  return html;
}
