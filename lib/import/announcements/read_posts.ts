import { type FeedEntry, readFeed } from "../feed/read_feed.ts";
import { PrivateLinks } from "../mapping/private_links.ts";
import { decodeText } from "../reading/decode_text.ts";
import type { Validators } from "../reading/delivery.ts";
import type { FetchOptions } from "../reading/fetch_address.ts";
import { openLocation, showLocation } from "../reading/location.ts";
import { Timeout } from "../reading/timeout.ts";
import { isCalendarDate } from "../../text/dates.ts";
import { shorten } from "../../text/shorten.ts";
import { toLine } from "../../text/to_line.ts";
import { linkedReleases } from "./linked_releases.ts";
import type { Post } from "./match_posts.ts";
import { postKey, readPostAddress } from "./post_address.ts";

const MAX_TITLE_LENGTH = 300;
/** A feed has its newest posts first. */
const MAX_POSTS = 2_000;
const MAX_HEADINGS = 100;
const WHOLE_MS = 120_000;
/** Of Markdown: `## Name`, or a line that is bold as a whole. A longer line is no heading. */
const HEADING = /^(?:#{1,6} +(\S.*)|\*\*(.+)\*\*)$/;
const MAX_LINE_LENGTH = 400;

/** What a feed of announcements has now. */
export interface ReadPosts {
  posts: Omit<Post, "rejected">[];
  validators: Validators | null;
}

/**
 * Reads the posts of a feed; null if it has not changed.
 *
 * @throws {SnapshotError} that says why it cannot be read
 */
export async function readPosts(
  address: string,
  options: FetchOptions & { privateHosts?: readonly string[] },
): Promise<ReadPosts | null> {
  const location = showLocation(address);
  const timeout = new Timeout({ wholeMs: WHOLE_MS, ...options });
  const delivery = await openLocation(address, { ...options, timeout });
  if (delivery === null) return null;
  const { charset, validators } = delivery;
  const text = decodeText(delivery.chunks, { location, charset });
  const { entries } = await readFeed(text, { location, signal: options.signal });
  const hidden = new PrivateLinks(options.privateHosts ?? []);
  const posts = entries.slice(0, MAX_POSTS).flatMap((entry) => readPost(entry, hidden) ?? []);
  // The newest entry of a post that has several stands first.
  const byKey = new Map(posts.toReversed().map((post) => [post.post_key, post]));
  return { posts: [...byKey.values()].toReversed(), validators };
}

function readPost(entry: FeedEntry, hidden: PrivateLinks): Omit<Post, "rejected"> | null {
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
