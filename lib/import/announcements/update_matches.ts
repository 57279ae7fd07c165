import { raiseDataVersion } from "../../database/data_version.ts";
import type { Connection, Database } from "../../database/database.ts";
import { ExpectedError } from "../../expected_error.ts";
import { UUID } from "../../text/values.ts";
import { lockImports } from "../apply_sql.ts";
import { forgetPrepared, movePrepared, prepareChanges } from "../prepared_sql.ts";
import { changeOf, type GivenItem } from "../item_changes.ts";
import { readItemRows } from "../stored_items_sql.ts";
import { ANNOUNCEMENTS_RUN, type ImportOptions } from "../import_options.ts";
import { finishRun, startRun } from "../import_runs_sql.ts";
import {
  type AnnouncementFeed,
  type Filling,
  findReleases,
  markRejected,
  readFeeds,
  readPosts,
  readReleases,
  setMatch,
} from "./announcements_sql.ts";
import { openPosts } from "./find_announcements.ts";
import { type AnnouncedRelease, type Post, postKey } from "./match_posts.ts";

/** How announcements are filled in. */
export type FillOptions = Pick<ImportOptions, "asOf" | "onChange">;

/**
 * Gives the releases of a source that have no announcement the best one, as any other change, and
 * returns how many changed. The others get theirs at each import.
 *
 * @param correct changes posts before; releases that have any of them get the best one at once
 */
export async function fillAnnouncements(
  database: Database,
  source: string,
  options: FillOptions,
  correct?: (connection: Connection) => Promise<void>,
): Promise<number> {
  return await database.transaction(async (connection) => {
    await lockImports(connection);
    await correct?.(connection);
    const posts = correct ? await readPosts(connection, source) : [];
    const titles = new Map(posts.map(({ url, title }) => [url, title]));
    const releases = (await readReleases(connection, source)).filter(({ blog_title, blog_url }) =>
      // The source has an announcement of its own, unless it is a post.
      blog_url === null ? blog_title === null : titles.get(blog_url) === blog_title
    );
    const find = await openPosts(connection, source);
    const found = await find?.(releases) ?? [];
    const byId = new Map(found.map(({ release_item_id, post }) => [release_item_id, post]));
    const fillings = releases.flatMap(({ release_item_id, blog_title, blog_url }): Filling[] => {
      const { title = null, url = null } = byId.get(release_item_id) ?? {};
      return title === blog_title && url === blog_url
        ? []
        : [{ release_item_id, blog_title: title, blog_url: url }];
    });
    if (fillings.length === 0) return 0;
    await storeFillings(connection, fillings, { source, asOf: options.asOf });
    await options.onChange?.(connection);
    return fillings.length;
  });
}

/** Stores the announcements as an import of nothing else would. */
async function storeFillings(
  connection: Connection,
  fillings: readonly Filling[],
  { source, asOf }: { source: string; asOf: string },
): Promise<void> {
  const run = { source: ANNOUNCEMENTS_RUN, sourceName: ANNOUNCEMENTS_RUN, asOf, partial: true };
  const runId = await startRun(connection, run);
  const stored = await readItemRows(connection, fillings.map((one) => one.release_item_id));
  const how = { source, asOf, lastModifiedIncludesComments: true };
  const changes = fillings.flatMap((filling) => {
    const item = stored.get(filling.release_item_id)!;
    const given = { ...item, ...filling, last_modified: null, search_text: null };
    return changeOf(item, given as GivenItem, how) ?? [];
  });
  const changed = await prepareChanges(connection, runId, changes, { isFresh: false });
  await movePrepared(connection, runId);
  const counts = { added: 0, changed, removed: 0, restored: 0, unchanged: 0 };
  await finishRun(connection, runId, counts);
  await forgetPrepared(connection, { of: runId });
  await raiseDataVersion(connection);
}

/** An announcement cannot be corrected; the message says why. */
export class AnnouncementError extends ExpectedError {
  /** What is wrong: the release that was named, or the post. */
  constructor(readonly field: "release" | "post", message: string) {
    super(message);
  }
}

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
    const byId = new Map(releases.map((release) => [release.release_item_id, release]));
    const matches = await (await openPosts(database, feed.source))?.(releases) ?? [];
    lists.push({
      ...feed,
      posts: posts.length,
      matches: matches.map(({ release_item_id, post, reason }) => ({
        release: byId.get(release_item_id)!,
        post,
        reason: REASONS[reason],
      })),
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
    changed += await fillAnnouncements(
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
    throw new AnnouncementError(
      "release",
      `There is no active release ${what} ${JSON.stringify(release)}`,
    );
  }
  const [own, other] = found.filter(({ source }) => sources.includes(source));
  if (own === undefined) {
    throw new AnnouncementError(
      "release",
      `The release is of the source "${found[0]!.source}", the post is of "${
        sources.join('", "')
      }"`,
    );
  }
  if (other !== undefined) {
    const ids = found.map(({ release_item_id }) => release_item_id).join(", ");
    throw new AnnouncementError("release", `Several releases have this name, use an id: ${ids}`);
  }
  const { release_item_id, feature_name: name, source } = own;
  await fillAnnouncements(
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
    throw new AnnouncementError(
      "post",
      `A post is named by its http or https address, not "${address}"`,
    );
  }
  const key = postKey(address);
  const sources: string[] = [];
  for (const { source } of await readFeeds(database)) {
    const posts = await readPosts(database, source);
    if (posts.some(({ post_key }) => post_key === key)) sources.push(source);
  }
  if (sources.length > 0) return { key, sources };
  throw new AnnouncementError(
    "post",
    `There is no post ${address} among the announcements that have been read`,
  );
}
