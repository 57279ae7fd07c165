import { askOwner, serveWork } from "../work/run_in_worker.ts";
import { postsIn } from "./announcements/posts_in.ts";
import type { Document, Open, Question } from "./kinds/kind.ts";
import { findKind } from "./kinds/known_kinds.ts";
import { readFeed } from "./kinds/feed.ts";
import { textOf } from "./kinds/kind.ts";
import { mapTable } from "./mapping/map_table.ts";
import { describeItems } from "./read_items.ts";
import { readRows } from "./read_rows.ts";
import { SnapshotError } from "./snapshot_error.ts";
import type { Answer, ReadJob, ReadOutcome } from "./read_job.ts";

/** An error that the owner of this worker had when it opened a document. */
class OpenError extends SnapshotError {}

const open: Open = async (question: Question) => {
  const answer = await askOwner<Answer>(question);
  if ("failure" in answer) throw new OpenError(answer.failure);
  return answer.document;
};

// In a worker: with a megabyte of odd text a parser can be busy for minutes, and take gigabytes.
serveWork(async (input): Promise<ReadOutcome> => {
  const job = input as ReadJob;
  try {
    return "posts" in job ? await readPosts(job.posts) : await readItems(job);
  } catch (error) {
    if (error instanceof RangeError) return { refusal: `${shownIn(job)}: it nests too deeply` };
    if (!(error instanceof SnapshotError)) throw error;
    return { refusal: error.message, ...error instanceof OpenError && { isOpening: true } };
  }
});

function shownIn(job: ReadJob): string {
  return `Cannot read ${"posts" in job ? job.posts.shown : job.shown}`;
}

async function readItems(job: Exclude<ReadJob, { posts: unknown }>): Promise<ReadOutcome> {
  const { fields, sourceName, asOf, dayOrder } = job;
  const { kind, families = [], toItem, ...table } = await readRows({ ...job, open });
  // Of a kind that was recognised only now.
  const { fields: own } = findKind(kind);
  const mapped = mapTable({ kind, ...table }, { ...own, ...fields }, {
    sourceName,
    asOf,
    dayOrder,
    toItem,
  });
  return { read: { ...describeItems({ kind, ...table }, mapped), families } };
}

async function readPosts(
  { document, privateHosts }: { document: Document; privateHosts: readonly string[] },
): Promise<ReadOutcome> {
  const { entries } = await readFeed(textOf(document, {}), document);
  return { posts: postsIn(entries, privateHosts) };
}
