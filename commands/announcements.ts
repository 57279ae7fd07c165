import type { Database } from "../lib/database/database.ts";
import {
  listAnnouncements,
  type ListedMatch,
  rejectPost,
  setPost,
} from "../lib/import/announcements/update_matches.ts";
import { cleanName } from "../lib/text/plain_text.ts";
import { countOf } from "../lib/text/phrases.ts";
import { type Command, withDatabase } from "./command.ts";
import { parseGiven, UsageError } from "./given.ts";

/** `deno task announcements`: lists the matches of posts and releases, or corrects one for good. */
export const run: Command = async (args, config) => {
  const { values, positionals } = parseGiven("announcements", args);
  const { reject, set } = values;
  const [post] = positionals;
  if (reject !== undefined && set !== undefined) {
    throw new UsageError("Either --reject or --set");
  }
  if ((post !== undefined) !== (set !== undefined)) {
    throw new UsageError("--set takes a release and a post");
  }
  await withDatabase(config, async (database) => {
    if (reject !== undefined) {
      await rejectPost(database, reject);
      console.log(`Rejected ${reject}${SOON}`);
    } else if (set !== undefined) await reportSet(database, { release: set, post: post! });
    else await list(database);
  });
};

/** The import of the source is due, and follows within a minute where a server runs. */
const SOON = ": the next import of its source, which is due now, shows it";

async function reportSet(
  database: Database,
  given: { release: string; post: string },
): Promise<void> {
  const { name, hasOwn } = await setPost(database, given);
  const note = hasOwn ? ", but its source gives an announcement of its own, which stays" : SOON;
  console.log(`Set ${given.post} for "${cleanName(name)}"${note}`);
}

async function list(database: Database): Promise<void> {
  const lists = await listAnnouncements(database);
  for (const { source, address, posts, error, matches } of lists) {
    console.log([
      source,
      address,
      countOf(posts, "post"),
      countOf(matches.length, "announced release"),
      ...error ? [error] : [],
    ].join("  "));
    for (const match of matches) console.log(describe(match));
  }
  if (lists.length === 0) {
    console.log('To match blog posts, give a source an "announcements" feed in ROADMAP_CONFIG');
  }
}

function describe({ release, post, reason }: ListedMatch): string {
  const name = cleanName(release.feature_name);
  return [
    `  ${name}  ${cleanName(release.release_type)}  ${release.release_item_id}`,
    `    ${post.title}  ${post.url}  ${reason}`,
  ].join("\n");
}
