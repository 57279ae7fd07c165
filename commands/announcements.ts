import type { Database } from "../lib/database/database.ts";
import { notifyImmediately } from "../lib/delivery/notify_immediately.ts";
import {
  type FillOptions,
  listAnnouncements,
  type ListedMatch,
  rejectPost,
  setPost,
} from "../lib/import/announcements/update_matches.ts";
import { cleanName } from "../lib/text/plain_text.ts";
import { isoDate } from "../lib/text/dates.ts";
import { countOf } from "../lib/text/phrases.ts";
import { systemClock } from "../lib/work/async.ts";
import { type Command, parseWords, UsageError, withDatabase } from "./command.ts";
import { HELPS } from "./helps.ts";

const { usage: USAGE } = HELPS.announcements;

/** `deno task announcements`: lists the matches of posts and releases, or corrects one for good. */
export const run: Command = async (args, config) => {
  const { values, positionals } = parseWords(args, {
    reject: { type: "string" },
    set: { type: "string" },
  }, { usage: USAGE, words: [0, 1] });
  const { reject, set } = values;
  const [post] = positionals;
  if (reject !== undefined && set !== undefined) {
    throw new UsageError(`Either --reject or --set. Usage: ${USAGE}`);
  }
  if ((post !== undefined) !== (set !== undefined)) {
    throw new UsageError(`--set takes a release and a post. Usage: ${USAGE}`);
  }
  const options = {
    asOf: isoDate(systemClock()),
    onChange: notifyImmediately(config, systemClock),
  };
  await withDatabase(config, async (database) => {
    if (reject !== undefined) await reportRejected(database, reject, options);
    else if (set !== undefined) await reportSet(database, { release: set, post: post! }, options);
    else await list(database);
  });
};

async function reportRejected(
  database: Database,
  post: string,
  options: FillOptions,
): Promise<void> {
  const changed = await rejectPost(database, post, options);
  console.log(`Rejected ${post}: ${countOf(changed, "release")} changed`);
}

async function reportSet(
  database: Database,
  given: { release: string; post: string },
  options: FillOptions,
): Promise<void> {
  const { name, isShown } = await setPost(database, given, options);
  const note = isShown ? "" : ", but its source gives an announcement of its own, which stays";
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
