import type { Database } from "../../database/database.ts";
import { ExpectedError } from "../../expected_error.ts";
import { UUID } from "../../text/values.ts";
import {
  type AnnouncementFeed,
  findReleases,
  markRejected,
  readFeeds,
  readMatches,
  readPosts,
  readReleases,
  setMatch,
} from "./announcements_sql.ts";
import type { AnnouncedRelease, Match, Post } from "./match_posts.ts";
import { postKey } from "./post_address.ts";
import { type FillOptions, updateMatches } from "./update_matches.ts";

/** An announcement cannot be corrected; the message says why. */
export class AnnouncementError extends ExpectedError {}

/** A release with the post that is its announcement. */
export interface ListedMatch {
  release: AnnouncedRelease;
  post: Post;
  /** Why it is: `same name`. */
  reason: string;
}

const REASONS = { name: "same name", link: "links to it", set: "set by you" } as const;

/** The announcements of one source. */
export interface ListedAnnouncements extends AnnouncementFeed {
  posts: number;
  matches: ListedMatch[];
}

/** Lists the matches of each source that has announcements. */
export async function listAnnouncements(database: Database): Promise<ListedAnnouncements[]> {
  const lists: ListedAnnouncements[] = [];
  for (const feed of await readFeeds(database)) {
    const posts = await readPosts(database, feed.source);
    const releases = await readReleases(database, feed.source);
    const matches = await readMatches(database, feed.source);
    const byId = new Map(releases.map((release) => [release.release_item_id, release]));
    const byKey = new Map(posts.map((post) => [post.post_key, post]));
    const describe = ({ release_item_id, post_key, reason }: Match): ListedMatch[] => {
      const release = byId.get(release_item_id);
      return release ? [{ release, post: byKey.get(post_key)!, reason: REASONS[reason] }] : [];
    };
    lists.push({
      ...feed,
      posts: posts.length,
      matches: matches.flatMap(describe),
    });
  }
  return lists;
}

/**
 * Rejects a post for good: it announces no release. Returns how many releases lost it.
 *
 * @throws {AnnouncementError} if there is no such post
 */
export async function rejectPost(
  database: Database,
  address: string,
  options: FillOptions,
): Promise<number> {
  const { key, sources } = await findPost(database, address);
  let changed = 0;
  for (const source of sources) {
    changed += await updateMatches(
      database,
      source,
      options,
      (connection) => markRejected(connection, source, key),
    );
  }
  return changed;
}

/**
 * Sets the post of a release for good; the release is named by its id or its exact name. Returns its
 * name, and whether the post is shown: an announcement that the source gives itself stays.
 *
 * @throws {AnnouncementError} if there is no such release or post
 */
export async function setPost(
  database: Database,
  { release, post }: { release: string; post: string },
  options: FillOptions,
): Promise<{ name: string; isShown: boolean }> {
  const { key, sources } = await findPost(database, post);
  const found = await findReleases(database, release.trim());
  if (found.length === 0) {
    const what = UUID.test(release.trim()) ? "with the id" : "with the name";
    throw new AnnouncementError(`There is no active release ${what} ${JSON.stringify(release)}`);
  }
  const [own, other] = found.filter(({ source }) => sources.includes(source));
  if (own === undefined) {
    throw new AnnouncementError(
      `The release is of the source "${found[0]!.source}", the post is of "${
        sources.join('", "')
      }"`,
    );
  }
  if (other !== undefined) {
    const ids = found.map(({ release_item_id }) => release_item_id).join(", ");
    throw new AnnouncementError(`Several releases have this name, use an id: ${ids}`);
  }
  const { release_item_id, feature_name: name, source } = own;
  await updateMatches(
    database,
    source,
    options,
    (connection) => setMatch(connection, { source, release_item_id, post_key: key }),
  );
  const { url } = (await readPosts(database, source)).find(({ post_key }) => post_key === key)!;
  const [now] = await findReleases(database, release_item_id);
  return { name, isShown: now?.blog_url === url };
}

/** A post by any of its addresses, and the sources that have it. */
async function findPost(
  database: Database,
  address: string,
): Promise<{ key: string; sources: string[] }> {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) {
    throw new AnnouncementError(`A post is named by its http or https address, not "${address}"`);
  }
  const key = postKey(address);
  const sources: string[] = [];
  for (const { source } of await readFeeds(database)) {
    const posts = await readPosts(database, source);
    if (posts.some(({ post_key }) => post_key === key)) sources.push(source);
  }
  if (sources.length > 0) return { key, sources };
  throw new AnnouncementError(
    `There is no post ${address} among the announcements that have been read`,
  );
}
