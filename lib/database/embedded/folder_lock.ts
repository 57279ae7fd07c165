import { join } from "node:path";
import { ExpectedError } from "../../expected_error.ts";
import { folderError } from "./embedded_failures.ts";

/** The folder of the embedded database is in use by another process. */
export class DatabaseInUse extends ExpectedError {}

/** Creates a folder for this user alone if it is missing, and locks it for this process. */
export async function takeFolder(folder: string): Promise<Deno.FsFile> {
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    return await lockFolder(folder);
  } catch (error) {
    if (error instanceof DatabaseInUse) throw error;
    throw folderError(folder, error);
  }
}

/**
 * The operating system releases the lock when its process ends, however it ends, so no stale lock
 * remains; the file says who holds it.
 */
async function lockFolder(folder: string): Promise<Deno.FsFile> {
  const path = lockOf(folder);
  const file = await Deno.open(path, { create: true, read: true, write: true, mode: 0o600 });
  // Whoever may read a file may lock it. Of another user's file this fails, and that user may.
  await Deno.chmod(path, 0o600).catch(() => {});
  if (!await file.tryLock(true)) {
    file.close();
    const holder = await readHolder(folder);
    throw new DatabaseInUse(
      `The embedded database in ${folder} is in use by ${holder || "another process"}: ` +
        `stop that process first, or set DATABASE_URL to a PostgreSQL that several processes can share`,
    );
  }
  await file.truncate();
  await file.write(
    new TextEncoder().encode(`process ${Deno.pid} since ${new Date().toISOString()}\n`),
  );
  return file;
}

/** What the lock of a folder says of the process that has it, or had it last. */
export async function readHolder(folder: string): Promise<string> {
  return (await Deno.readTextFile(lockOf(folder))).trim();
}

function lockOf(folder: string): string {
  return join(folder, "roadcast.lock");
}
