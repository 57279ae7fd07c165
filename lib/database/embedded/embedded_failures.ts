import { join } from "node:path";
import { ExpectedError, firstLineOf } from "../../expected_error.ts";
import { systemReason } from "../../system_reason.ts";

/** The folder of the embedded database cannot be used; the message names it and says why. */
class DataFolderError extends ExpectedError {}

/** The files of the embedded database are not those of one; the message says what to do. */
class DatabaseDamaged extends ExpectedError {}

/** What PGlite says if PostgreSQL ends while it starts. */
const STARTS_NOT = /^Aborted\(|failed to initialize/;

/** More than PostgreSQL needs to start: a segment of its write-ahead log, and some pages. */
const PROBE_BYTES = 17 * 1024 * 1024;

/** The folder cannot be used, for a reason of the operating system. */
export function folderError(folder: string, cause: unknown): DataFolderError {
  const reason = systemReason(cause) ?? firstLineOf(cause);
  const advice = (cause as { code?: string }).code === "ENOSPC"
    ? "free up space, or move DATA_DIR"
    : "set DATA_DIR to a writable folder";
  const message = `Cannot use the embedded database in ${folder}: ${reason}; ${advice}`;
  return new DataFolderError(message, { cause });
}

/** PGlite makes an empty database of a folder without this file, whatever else is in it. */
export async function requireVersionFile(folder: string): Promise<void> {
  try {
    await Deno.stat(join(folder, "postgres", "PG_VERSION"));
  } catch (error) {
    throw error instanceof Deno.errors.NotFound ? damaged(folder, "PG_VERSION is missing") : error;
  }
}

/** Explains why the embedded database of a folder did not open. */
export async function explainFailure(folder: string, cause: unknown): Promise<Error> {
  if (cause instanceof ExpectedError) return cause;
  if (systemReason(cause) !== null) return folderError(folder, cause);
  try {
    await tryWriting(folder);
  } catch (error) {
    return folderError(folder, error);
  }
  const reason = firstLineOf(cause);
  if (STARTS_NOT.test(reason)) return damaged(folder, "PostgreSQL does not start with it");
  return new Error(`Cannot open the embedded database in ${folder}: ${reason}`, { cause });
}

/** PGlite does not say that the disk is full, or that a file belongs to another user. */
async function tryWriting(folder: string): Promise<void> {
  const probe = join(folder, "postgres.probe");
  try {
    await Deno.writeFile(probe, new Uint8Array(PROBE_BYTES));
  } finally {
    await Deno.remove(probe).catch(() => {});
  }
  await tryOpening(join(folder, "postgres"));
}

async function tryOpening(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) await tryOpening(path);
    else (await Deno.open(path, { read: true, write: true })).close();
  }
}

function damaged(folder: string, reason: string): DatabaseDamaged {
  return new DatabaseDamaged(
    `The embedded database in ${folder} is damaged (${reason}): move ${join(folder, "postgres")} ` +
      "away, and run `deno task restore FILE` with its latest backup",
  );
}
