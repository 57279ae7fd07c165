import { askOwner, serveWork } from "../work/run_in_worker.ts";
import { postsIn } from "./announcements/posts_in.ts";
import { readFeed } from "./kinds/feed.ts";
import { type DocumentRequest, type Open, readText } from "./kinds/kind.ts";
import { type DocumentAnswer, readItems, type ReadJob, type ReadOutcome } from "./read_items.ts";
import { SnapshotError } from "./snapshot_error.ts";

/** An error that the owner of this worker had when it opened a document. */
class OpenError extends SnapshotError {}

const open: Open = async (question: DocumentRequest) => {
  const answer = await askOwner<DocumentAnswer>(question);
  if ("failure" in answer) throw new OpenError(answer.failure);
  return answer.document;
};

// In a worker: with a megabyte of odd text a parser can be busy for minutes, and take gigabytes.
serveWork(async (input): Promise<ReadOutcome> => {
  const job = input as ReadJob;
  try {
    if (!("posts" in job)) return { reading: await readItems(job, open) };
    const { document, privateHosts } = job.posts;
    const { entries } = await readFeed(readText(document, {}), document);
    return { posts: postsIn(entries, privateHosts) };
  } catch (error) {
    if (error instanceof RangeError) return { refusal: `${shownIn(job)}: it nests too deeply` };
    if (!(error instanceof SnapshotError)) throw error;
    return { refusal: error.message, ...error instanceof OpenError && { isOpening: true } };
  }
});

function shownIn(job: ReadJob): string {
  return `Cannot read ${"posts" in job ? job.posts.shown : job.shown}`;
}
