import { askOwner, serveWork } from "../work/run_in_worker.ts";
import { postsIn } from "./announcements/posts_in.ts";
import { isZip } from "./fetching/decode_text.ts";
import { showLocation } from "./fetching/location.ts";
import { readFeed } from "./kinds/feed.ts";
import {
  BEGINNING,
  type Document,
  type DocumentRequest,
  type Kind,
  MAX_ROWS,
  type Open,
  readText,
} from "./kinds/kind.ts";
import { findKind, kindOf, recogniseKind } from "./kinds/known_kinds.ts";
import { mapTable } from "./mapping/map_table.ts";
import {
  describeReading,
  type DocumentAnswer,
  type ReadJob,
  type ReadOutcome,
} from "./read_items.ts";
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
    if (!("posts" in job)) return await readItems(job);
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

type ItemsJob = Exclude<ReadJob, { posts: unknown }>;

async function readItems(job: ItemsJob): Promise<ReadOutcome> {
  const { kind, first } = await recognise(job);
  const { fields } = job;
  const source = { ...job, open, first, keepsHidden: fields.hidden === "keep" };
  // A mapping may ask for fields by the names that they have in the source.
  const isMapped = Object.keys(fields).length > 0;
  const table = await kind.read(isMapped ? source : { ...source, toItem: kind.toItem });
  if (table.rows.length > MAX_ROWS) throw refuseSource(job, `it has more than ${MAX_ROWS} items`);
  const toItem = isMapped ? kind.toItem : kind.toItem && ((row: unknown) => row);
  const settings = { ...job, kind: kind.kind, toItem };
  return {
    reading: describeReading(
      table,
      mapTable(table, { ...kind.fields, ...fields }, settings),
      settings,
    ),
  };
}

/** The kind of a source, and the document by which it was recognised, unless it is known. */
async function recognise(job: ItemsJob): Promise<{ kind: Kind; first?: Document }> {
  const { location } = job;
  const known = kindOf(location, job.kind) ?? (job.api ? "json" : null);
  if (known === null) {
    const first = (await open({ address: location }))!;
    const kind = isZip(first.bytes) ? findKind("xlsx") : recogniseKind({
      location,
      contentType: first.contentType,
      extension: /\.(\w+)$/.exec(location.replace(/[?#].*/s, ""))?.[1]?.toLowerCase() ?? "",
      text: readText(first, job).slice(0, BEGINNING),
    });
    return { kind, first };
  }
  const kind = findKind(known);
  if (kind.form?.parse(location) === null) {
    throw refuseSource(job, `a source of kind ${known} is written ${kind.form.written}`);
  }
  return { kind };
}

function refuseSource({ location }: ItemsJob, reason: string): SnapshotError {
  return new SnapshotError(`Cannot read ${showLocation(location)}: ${reason}`);
}
