import { isCalendarDate } from "../../text/dates.ts";
import { shorten, toLine } from "../../text/phrases.ts";
import type { FeedEntry } from "../kinds/feed.ts";
import { AZURE_ITEM_PAGE, M365_ITEM_PAGE, toUuid } from "../../roadmap/item_id.ts";
import { PrivateLinks } from "../mapping/private_links.ts";
import { MAX_POSTS, type Post, postKey, readPostAddress } from "./match_posts.ts";

/** A post of a feed, of which the operator has said nothing yet. */
export type FoundPost = Omit<Post, "rejected">;

const MAX_POST_TITLE = 300;
const MAX_HEADINGS = 100;
/** Of Markdown: `## Name`, or a line that is bold as a whole. A longer line is no heading. */
const HEADING = /^(?:#{1,6} +(\S.*)|\*\*(.+)\*\*)$/;
const MAX_LINE_LENGTH = 400;

/** The posts of a feed, each once. */
export function postsIn(
  entries: readonly FeedEntry[],
  privateHosts: readonly string[],
): FoundPost[] {
  const hidden = new PrivateLinks(privateHosts);
  const posts = entries.slice(0, MAX_POSTS).flatMap((entry) => readPost(entry, hidden) ?? []);
  // The newest entry of a post that has several stands first.
  const byKey = new Map(posts.toReversed().map((post) => [post.post_key, post]));
  return [...byKey.values()].toReversed();
}

function readPost(entry: FeedEntry, hidden: PrivateLinks): FoundPost | null {
  const url = readPostAddress(entry.link, hidden);
  if (url === null || entry.title === null) return null;
  const text = entry.description ?? "";
  const { published } = entry;
  return {
    post_key: postKey(url),
    url,
    title: cleanTitle(entry.title),
    headings: headingsIn(text),
    published: published !== null && isCalendarDate(published) ? published : null,
    linked: linkedReleases(`${text} ${url}`),
  };
}

function headingsIn(text: string): string[] {
  const headings: string[] = [];
  for (const line of text.split("\n")) {
    const [, heading, bold] = (line.length <= MAX_LINE_LENGTH && HEADING.exec(line.trim())) || [];
    const title = heading ?? bold;
    if (title !== undefined) headings.push(cleanTitle(title.replace(/[*#]/g, "")));
    if (headings.length === MAX_HEADINGS) break;
  }
  return headings;
}

function cleanTitle(title: string): string {
  return shorten(toLine(title.toWellFormed()), MAX_POST_TITLE);
}

const ADDRESS = /https?:\/\/[^\s<>()"'\]]+/gi;
const UUIDS = /(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f-])/gi;
/** A post with more links than this is no announcement of them. */
const MAX_LINKED = 500;

/**
 * The ids of the releases that a text may link to: those in an address, as in Fabric's `#plan-<id>`
 * and in this service's own pages, and those that stand for a number of the Microsoft 365 or the
 * Azure roadmap.
 *
 * ```ts
 * const id = "fc241721-2402-f111-8406-000d3a36696c";
 * const found = linkedReleases(`See [the plan](https://roadmap.example.com/?product=iq#plan-${id}).`);
 * if (found.join() !== id) throw new Error(found.join());
 * ```
 */
export function linkedReleases(text: string): string[] {
  const ids = new Set<string>();
  for (const [address] of text.matchAll(ADDRESS)) {
    for (const [id] of address.matchAll(UUIDS)) ids.add(id.toLowerCase());
    for (const id of idsAtMicrosoft(address)) ids.add(id);
    if (ids.size >= MAX_LINKED) break;
  }
  return [...ids].slice(0, MAX_LINKED);
}

function idsAtMicrosoft(address: string): string[] {
  const url = address.length < 2_000 && /microsoft\.com\//i.test(address)
    ? URL.parse(address.replaceAll("&amp;", "&"))
    : null;
  const page = url && pageOf(url);
  if (!page) return [];
  const numbers = ["id", "featureid", "searchterms"].flatMap((name) =>
    url.searchParams.get(name)?.match(/\d{3,}/g) ?? []
  );
  return numbers.map((number) => String(toUuid(number, page)));
}

function pageOf({ hostname, pathname }: URL): string | null {
  if (!/(?:^|\.)microsoft\.com$/.test(hostname)) return null;
  if (/roadmap/i.test(pathname)) return M365_ITEM_PAGE;
  const isUpdates = hostname === "azure.microsoft.com" && /\/updates\b/i.test(pathname);
  return isUpdates ? AZURE_ITEM_PAGE : null;
}
