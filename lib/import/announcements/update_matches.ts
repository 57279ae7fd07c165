import { type Connection, type Database, isEmbedded } from "../../database/database.ts";
import { raiseDataVersion } from "../../database/data_version.ts";
import { noteEntries } from "../../roadmap/changes/change_kinds_sql.ts";
import { lockImports, mergeTrigrams } from "../apply_sql.ts";
import { storeDifferences } from "../differences_sql.ts";
import { ANNOUNCEMENTS_RUN, type ImportOptions } from "../import_options.ts";
import { finishRun, startRun } from "../import_runs_sql.ts";
import {
  filledItems,
  type Filling,
  readMatches,
  readPosts,
  readReleases,
  replaceMatches,
  type StoredRelease,
} from "./announcements_sql.ts";
import { type Match, matchPosts, type Post } from "./match_posts.ts";

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
