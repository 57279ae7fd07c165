import type { Connection } from "../../database/database.ts";
import { refuseBody } from "../../http/requests/body.ts";
import { readParts } from "../../http/requests/multipart.ts";
import { readUpload } from "../../http/requests/upload.ts";
import { Problem } from "../../http/responses/problem.ts";
import type { Delivery } from "../../import/fetching/fetch_address.ts";
import { DEFAULT_SOURCE, SOURCE_NAME_PATTERN } from "../../import/import_options.ts";
import { shorten } from "../../text/phrases.ts";
import { collectBytes } from "../../work/byte_streams.ts";
import * as uploads from "./uploads_sql.ts";

/** How long an uploaded file is kept. */
export const KEPT_MS = 3_600_000;
const PART_BYTES = 1024 * 1024;
/** The fields of the form and the lines between them. */
const FORM_BYTES = 64 * 1024;
const MAX_FILE_NAME = 200;

interface UploadPlace {
  readonly database: Connection;
  readonly maxBytes: number;
  readonly now: Date;
  /** Refuses a name of a source that cannot be uploaded. */
  readonly checkName: (name: string) => void;
}

/**
 * Stores the file of a form while it arrives. It comes with the mapping of the last file of its
 * source, which may be named before the file or behind it.
 *
 * @throws {Problem} 400, 408, 413, 415
 */
export async function storeUpload(request: Request, place: UploadPlace): Promise<uploads.Upload> {
  const { database, maxBytes, now, checkName } = place;
  await pruneUploads(database, now);
  const { chunks } = readUpload(request, {
    types: ["multipart/form-data"],
    maxBytes: maxBytes + FORM_BYTES,
  });
  const uploadId = crypto.randomUUID();
  let [sourceName, fileName] = [DEFAULT_SOURCE, ""];
  let bytes = 0;
  try {
    for await (const part of readParts(request.headers.get("content-type")!, chunks)) {
      if (part.fileName === null) {
        const text = (await readText(part.chunks)).trim();
        if (part.name !== "source_name" || text === "") continue;
        sourceName = text;
        requireName(sourceName, checkName);
        continue;
      }
      if (fileName !== "") throw new Problem(400, "Choose one file");
      fileName = cleanFileName(part.fileName);
      const options = { sourceName, fields: {} };
      await uploads.beginUpload(database, { uploadId, fileName, options, now });
      bytes = await storeParts(part.chunks, { database, uploadId, maxBytes });
      if (bytes === 0) throw noFile();
    }
    if (fileName === "") throw noFile();
    requireName(sourceName, checkName);
    const mapping = await uploads.readMapping(database, sourceName);
    await uploads.saveOptions(database, uploadId, { sourceName, fields: {}, ...mapping });
    await uploads.completeUpload(database, uploadId, bytes);
  } catch (error) {
    await uploads.deleteUpload(database, uploadId);
    throw error;
  }
  return (await findUpload(database, uploadId, now))!;
}

function requireName(name: string, checkName: UploadPlace["checkName"]): void {
  if (!SOURCE_NAME_PATTERN.test(name)) {
    throw new Problem(400, "The name of the source must have 1 to 100 characters");
  }
  checkName(name);
}

function noFile(): Problem {
  return new Problem(400, "Choose a file that is not empty");
}

/** Without folders and control characters. */
function cleanFileName(text: string): string {
  const name = text.replace(/^.*[/\\]/s, "").replace(/[\p{C}?#:]/gu, "_");
  return name.length <= MAX_FILE_NAME ? name : `${shorten(name, 100)}${name.slice(-60)}`;
}

async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const bytes = await collectBytes(chunks, FORM_BYTES, () => {
    throw refuseBody("has a field that is too long");
  });
  return new TextDecoder().decode(bytes);
}

/** Parts of equal size, so that neither a request nor a row is large. */
async function storeParts(
  chunks: AsyncIterable<Uint8Array>,
  { database, uploadId, maxBytes }: { database: Connection; uploadId: string; maxBytes: number },
): Promise<number> {
  let [bytes, part, filled] = [0, 0, 0];
  const piece = new Uint8Array(PART_BYTES);
  const store = () =>
    uploads.storePart(database, uploadId, { part: part++, body: piece.slice(0, filled) });
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new Problem(413, `The file must be at most ${maxBytes / 1024 / 1024} MB long`);
    }
    for (let start = 0; start < chunk.length;) {
      const some = chunk.subarray(start, start + PART_BYTES - filled);
      piece.set(some, filled);
      start += some.length;
      filled += some.length;
      if (filled < PART_BYTES) continue;
      await store();
      filled = 0;
    }
  }
  if (filled > 0) await store();
  return bytes;
}

/** An upload that is not older than an hour. */
export async function findUpload(
  database: Connection,
  uploadId: string,
  now: Date,
): Promise<uploads.Upload | null> {
  const since = new Date(now.getTime() - KEPT_MS);
  return (await uploads.readUploads(database, { since, uploadId }))[0] ?? null;
}

/** Deletes files that waited for an hour. */
export async function pruneUploads(database: Connection, now: Date): Promise<void> {
  const since = new Date(now.getTime() - KEPT_MS);
  await uploads.deleteUploadsBefore(database, since);
}

/** How messages and the list of imports name an uploaded file; of a source, what it is read from. */
export function locationOf({ file_name, options }: uploads.Upload): string {
  return options.entry ? String(options.entry.from) : `uploads/${file_name}`;
}

/** Begins to add a source by its address, or to change one, and returns the id of its page. */
export async function beginDraft(
  database: Connection,
  options: uploads.UploadOptions & { entry: Record<string, unknown> },
  now: Date,
): Promise<string> {
  await pruneUploads(database, now);
  const uploadId = crypto.randomUUID();
  await uploads.beginUpload(database, { uploadId, fileName: options.sourceName, options, now });
  await uploads.completeUpload(database, uploadId, 0);
  return uploadId;
}

/** The content of an uploaded file, as a source is read from. */
export function deliver(database: Connection, upload: uploads.Upload): Delivery {
  return {
    address: locationOf(upload),
    chunks: readAll(database, upload.upload_id),
    length: upload.bytes,
    contentType: null,
    charset: null,
    next: null,
    validators: null,
  };
}

async function* readAll(database: Connection, uploadId: string): AsyncGenerator<Uint8Array> {
  for (let part = 0;; part++) {
    const body = await uploads.readPart(database, uploadId, part);
    if (body === null) return;
    yield body;
  }
}
