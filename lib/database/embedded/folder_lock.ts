import { join } from "node:path";
import { ExpectedError } from "../../expected_error.ts";

/** The folder of the embedded database is in use by another process. */
export class DatabaseInUse extends ExpectedError {}

/** The folder of the embedded database cannot be used; the message names it and says why. */
export class DataFolderError extends ExpectedError {}

/** Creates a folder if it is missing, and locks it for this process. */
export async function takeFolder(folder: string): Promise<Deno.FsFile> {
  try {
    await Deno.mkdir(folder, { recursive: true });
    return await lockFolder(folder);
  } catch (error) {
    if (error instanceof DatabaseInUse) throw error;
    // Deno appends the error number and the operation: "… (os error 30): mkdir '/data'".
    const [reason] = (error as Error).message.split(" (os error");
    throw new DataFolderError(
      `Cannot keep the embedded database in ${folder}: ${reason}; DATA_DIR takes a folder that can be written to`,
      { cause: error },
    );
  }
}

/**
 * The operating system releases the lock when its process ends, however it ends, so no stale lock
 * remains; the file says who holds it.
 */
async function lockFolder(folder: string): Promise<Deno.FsFile> {
  const path = join(folder, "roadcast.lock");
  const file = await Deno.open(path, { create: true, read: true, write: true });
  if (!await file.tryLock(true)) {
    file.close();
    const holder = (await Deno.readTextFile(path)).trim();
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
