import { join } from "node:path";
import { dataDir } from "@electric-sql/pglite-prepopulatedfs";
import { createTarDecoder } from "modern-tar";

/** The archive was taken while its server ran. */
const LOCK_FILE = "/postmaster.pid";

/**
 * Creates the files of an empty PostgreSQL in a folder, from PGlite's own archive: running `initdb`
 * takes seconds and three times the memory of everything after it. The folder has a temporary name
 * until it is complete, so no process opens a partial one. The newest archive names an older PGlite
 * as its peer; PostgreSQL refuses files that are not of its own version when it starts.
 */
export async function createCluster(folder: string): Promise<void> {
  const unfinished = `${folder}.creating`;
  await Deno.remove(unfinished, { recursive: true }).catch(() => {});
  try {
    await unpackArchive(unfinished);
    await Deno.rename(unfinished, folder);
  } catch (error) {
    await Deno.remove(unfinished, { recursive: true }).catch(() => {});
    throw error;
  }
}

async function unpackArchive(folder: string): Promise<void> {
  await Deno.mkdir(folder, { mode: 0o700 });
  const archive = (await dataDir()).stream()
    .pipeThrough(new DecompressionStream("gzip"))
    .pipeThrough(createTarDecoder());
  for await (const { header: { name, type }, body } of archive) {
    const path = join(folder, name);
    if (type === "directory") await Deno.mkdir(path, { recursive: true, mode: 0o700 });
    if (type !== "file" || name === LOCK_FILE) await body.cancel();
    else await Deno.writeFile(path, body, { mode: 0o600 });
  }
}
