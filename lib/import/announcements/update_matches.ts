import { raiseDataVersion } from "../../database/data_version.ts";
import type { Connection, Database } from "../../database/database.ts";
import { makeDue } from "../../database/leases.ts";
import { FieldError } from "../../expected_error.ts";
import { UUID } from "../../text/values.ts";
import { forgetPages } from "../source_pages_sql.ts";
import { scheduleOf } from "../sources/source_states_sql.ts";
import {
  type AnnouncementFeed,
  findReleases,
  markRejected,
  openPosts,
  readFeeds,
  readPosts,
  readReleases,
  setMatch,
} from "./announcements_sql.ts";
import { type AnnouncedRelease, type Post, postKey } from "./match_posts.ts";

/**
 * Has a source imported again, which gives each release its best post; within a transaction. An import
 * that is running has to look again, too.
 */
export async function matchAgain(connection: Connection, source: string): Promise<void> {
  await forgetPages(connection, source);
  await makeDue(connection, scheduleOf(source));
  await raiseDataVersion(connection);
}

/** A release with the post that is its announcement. */
export interface ListedMatch {
  release: AnnouncedRelease;
  post: Post;
  /** Why it is: `same name`. */
  reason: string;
}

const MATCH_REASONS = { name: "same name", link: "links to it", set: "set by you" } as const;

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
    const byId = new Map(releases.map((release) => [release.release_item_id, release]));
    const found = await (await openPosts(database, feed.source))?.(releases) ?? [];
    const matches = found.map(({ release_item_id, post, reason }) => ({
      release: byId.get(release_item_id)!,
      post,
      reason: MATCH_REASONS[reason],
    }));
    lists.push({ ...feed, posts: posts.length, matches });
  }
  return lists;
}

/**
 * Rejects a post for good: it announces no release, from the next import on, which is due now.
 *
 * @throws {FieldError} if there is no such post
 */
export async function rejectPost(database: Database, address: string): Promise<void> {
  const { key, sources } = await findPost(database, address);
  await database.transaction(async (connection) => {
    for (const source of sources) {
      await markRejected(connection, source, key);
      await matchAgain(connection, source);
    }
  });
}

/**
 * Sets the post of a release for good, from the next import on, which is due now; the release is named
 * by its id or its exact name. Returns its name, and whether its source gives an announcement itself,
 * which stays.
 *
 * @throws {FieldError} if there is no such release or post
 */
export async function setPost(
  database: Database,
  { release, post }: { release: string; post: string },
): Promise<{ name: string; hasOwn: boolean }> {
  const { key, sources } = await findPost(database, post);
  const found = await findReleases(database, release.trim());
  if (found.length === 0) {
    const what = UUID.test(release.trim()) ? "with the id" : "with the name";
    throw new FieldError({
      release: `There is no active release ${what} ${JSON.stringify(release)}`,
    });
  }
  const [own, other] = found.filter(({ source }) => sources.includes(source));
  if (own === undefined) {
    throw new FieldError({
      release: `The release is of the source "${found[0]!.source}", the post is of ` +
        sources.map((source) => `"${source}"`).join(", "),
    });
  }
  if (other !== undefined) {
    const ids = found.map(({ release_item_id }) => release_item_id).join(", ");
    throw new FieldError({ release: `Several releases have this name, use an id: ${ids}` });
  }
  const { release_item_id, feature_name: name, source, blog_title, blog_url } = own;
  await database.transaction(async (connection) => {
    await setMatch(connection, { source, release_item_id, post_key: key });
    await matchAgain(connection, source);
  });
  const posts = await readPosts(database, source);
  const isPost = posts.some(({ url, title }) => url === blog_url && title === blog_title);
  return { name, hasOwn: (blog_url !== null || blog_title !== null) && !isPost };
}

/** A post by any of its addresses, and the sources that have it. */
async function findPost(
  database: Database,
  address: string,
): Promise<{ key: string; sources: string[] }> {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) {
    throw new FieldError({
      post: `A post is named by its http or https address, not "${address}"`,
    });
  }
  const key = postKey(address);
  const sources: string[] = [];
  for (const { source } of await readFeeds(database)) {
    const posts = await readPosts(database, source);
    if (posts.some(({ post_key }) => post_key === key)) sources.push(source);
  }
  if (sources.length > 0) return { key, sources };
  throw new FieldError({
    post: `There is no post ${address} among the announcements that have been read`,
  });
}
