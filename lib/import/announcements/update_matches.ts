import { raiseDataVersion } from "../../database/data_version.ts";
import { type Connection, type Database, isEmbedded } from "../../database/database.ts";
import { ExpectedError } from "../../expected_error.ts";
import { noteEntries } from "../../roadmap/filter/conditions_sql.ts";
import { UUID } from "../../text/values.ts";
import { lockImports, mergeTrigrams } from "../apply_sql.ts";
import { storeDifferences } from "../differences_sql.ts";
import { ANNOUNCEMENTS_RUN, type ImportOptions } from "../import_options.ts";
import { finishRun, startRun } from "../import_runs_sql.ts";
import {
  type AnnouncementFeed,
  filledItems,
  type Filling,
  findReleases,
  markRejected,
  readFeeds,
  readMatches,
  readPosts,
  readReleases,
  replaceMatches,
  setMatch,
  type StoredRelease,
} from "./announcements_sql.ts";
import {
  type AnnouncedRelease,
  type Match,
  matchPosts,
  type Post,
  postKey,
} from "./match_posts.ts";

/** How announcements are filled in. */
export type FillOptions = Pick<ImportOptions, "asOf" | "onChange">;

/**
 * Matches the posts of a source with its releases again, gives these the announcements that they lack,
 * as any other change, and returns how many changed.
 *
 * @param prepare changes posts or matches before
 */
export async function updateMatches(
  database: Database,
  source: string,
  options: FillOptions,
  prepare?: (connection: Connection) => Promise<void>,
): Promise<number> {
  return await database.transaction(async (connection) => {
    await lockImports(connection);
    const before = await readMatches(connection, source);
    await prepare?.(connection);
    const known = prepare ? await readMatches(connection, source) : before;
    const posts = await readPosts(connection, source);
    const releases = await readReleases(connection, source);
    const matches = await matchPosts(releases, posts, known);
    // A release that was removed may be restored.
    const active = new Set(releases.map(({ release_item_id }) => release_item_id));
    matches.push(...known.filter(({ release_item_id }) => !active.has(release_item_id)));
    if (JSON.stringify(matches) !== JSON.stringify(known)) {
      await replaceMatches(connection, source, matches);
    }
    const fillings = listFillings(releases, { posts, before, matches });
    if (fillings.length === 0) return 0;
    await storeFillings(connection, fillings, { source, asOf: options.asOf });
    if (isEmbedded(database)) await mergeTrigrams(connection);
    await options.onChange?.(connection);
    return fillings.length;
  });
}

/** The releases whose announcement differs from their match: an own one of the source stays. */
function listFillings(
  releases: readonly StoredRelease[],
  { posts, before, matches }: {
    posts: readonly Post[];
    before: readonly Match[];
    matches: readonly Match[];
  },
): Filling[] {
  const byKey = new Map(posts.map((post) => [post.post_key, post]));
  const postsOf = (list: readonly Match[]) =>
    new Map(list.map((match) => [match.release_item_id, byKey.get(match.post_key)]));
  const [old, now] = [postsOf(before), postsOf(matches)];
  return releases.flatMap(({ release_item_id, blog_title, blog_url }) => {
    const isFilled = blog_url !== null && blog_url === old.get(release_item_id)?.url;
    if (!isFilled && (blog_url ?? blog_title) !== null) return [];
    const { title = null, url = null } = now.get(release_item_id) ?? {};
    if (title === blog_title && url === blog_url) return [];
    return [{ release_item_id, blog_title: title, blog_url: url }];
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
  const changed = await storeDifferences(connection, runId, filledItems(fillings), {
    source,
    asOf,
    lastModifiedIncludesComments: true,
  });
  const counts = { added: 0, changed, removed: 0, restored: 0, unchanged: 0 };
  await finishRun(connection, runId, counts);
  await noteEntries(connection);
  await raiseDataVersion(connection);
}

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
