import { isCalendarDate } from "../../text/dates.ts";
import { shorten, toLine } from "../../text/phrases.ts";
import type { FeedEntry } from "../kinds/feed_entries.ts";
import { PrivateLinks } from "../mapping/private_links.ts";
import { linkedReleases } from "./linked_releases.ts";
import type { Post } from "./match_posts.ts";
import { postKey, readPostAddress } from "./post_address.ts";

/** A post of a feed, of which the operator has said nothing yet. */
export type FoundPost = Omit<Post, "rejected">;

const MAX_TITLE_LENGTH = 300;
/** A feed has its newest posts first. */
const MAX_POSTS = 2_000;
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
  return shorten(toLine(title.toWellFormed()), MAX_TITLE_LENGTH);
}
