import type { SourceKind } from "../config/source_kinds.ts";
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
  type SourceToRead,
} from "./kinds/kind.ts";
import { findKind, kindOf, recogniseKind } from "./kinds/known_kinds.ts";
import type { Mapping } from "./mapping/fields.ts";
import { mapTable } from "./mapping/map_table.ts";
import type { Table } from "./mapping/table.ts";
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
    return "posts" in job ? await readFeedPosts(job.posts) : await readItems(job);
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
  const { kind, table, toItem } = await readSourceTable({ ...job, open });
  const settings = { ...job, kind: kind.kind, toItem };
  const mapped = mapTable(table, { ...kind.fields, ...job.fields }, settings);
  return { reading: describeReading(table, mapped, settings) };
}

async function readFeedPosts(
  { document, privateHosts }: { document: Document; privateHosts: readonly string[] },
): Promise<ReadOutcome> {
  const { entries } = await readFeed(readText(document, {}), document);
  return { posts: postsIn(entries, privateHosts) };
}

/** The table of a source of a kind, and what renames its fields yet. */
type TableOfKind = { kind: Kind; table: Table; toItem: Kind["toItem"] };

/**
 * Reads all rows of a source of a known kind, or of one that is recognised by its first document.
 *
 * @throws {SnapshotError} that names the location and says why it cannot be read
 */
async function readSourceTable(
  source: SourceToRead & { kind: SourceKind | null; fields: Mapping },
): Promise<TableOfKind> {
  const { location } = source;
  const known = kindOf(location, source.kind) ?? (source.api ? "json" : null);
  if (known === null) {
    const first = (await source.open({ address: location }))!;
    const kind = isZip(first.bytes) ? findKind("xlsx") : recogniseKind({
      location,
      contentType: first.contentType,
      extension: extensionOf(location),
      text: readText(first, source).slice(0, BEGINNING),
    });
    return await readKind(kind, { ...source, first });
  }
  const kind = findKind(known);
  if (kind.form?.parse(location) === null) {
    throw refuseSource(source, `a source of kind ${known} is written ${kind.form.written}`);
  }
  return await readKind(kind, source);
}

async function readKind(
  kind: Kind,
  given: SourceToRead & { fields: Mapping },
): Promise<TableOfKind> {
  const source = { ...given, keepsHidden: given.fields.hidden === "keep" };
  // A mapping may ask for fields by the names that they have in the source.
  const isMapped = Object.keys(source.fields).length > 0;
  const table = await kind.read(isMapped ? source : { ...source, toItem: kind.toItem });
  if (table.rows.length > MAX_ROWS) {
    throw refuseSource(source, `it has more than ${MAX_ROWS} items`);
  }
  const asItIs = (row: unknown) => row;
  return { kind, table, toItem: isMapped ? kind.toItem : kind.toItem && asItIs };
}

function refuseSource({ location }: SourceToRead, reason: string): SnapshotError {
  return new SnapshotError(`Cannot read ${showLocation(location)}: ${reason}`);
}

function extensionOf(location: string): string {
  return /\.(\w+)$/.exec(location.replace(/[?#].*/s, ""))?.[1]?.toLowerCase() ?? "";
}
