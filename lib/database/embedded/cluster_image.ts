import { join } from "node:path";
import { createTarPacker } from "modern-tar";
import type { Connection, Database } from "../database.ts";

/** Belongs to a running server. */
const LOCK_FILE = "postmaster.pid";

/**
 * Reads something from the embedded database of a folder, and packs the files of the same state as a
 * compressed tar archive. The transaction keeps the only session, so nothing is written meanwhile,
 * and after the checkpoint the files are as after a crash, from which PostgreSQL recovers.
 */
export function packCluster<Known>(
  database: Database,
  dataDir: string,
  { read, write }: {
    read: (connection: Connection) => Promise<Known>;
    write: (archive: ReadableStream<Uint8Array<ArrayBuffer>>) => Promise<void>;
  },
): Promise<Known> {
  return database.transaction(async (connection) => {
    const known = await read(connection);
    await connection.script("checkpoint");
    const { readable, controller } = createTarPacker();
    const writing = write(readable.pipeThrough(new CompressionStream("gzip")));
    const packing = (async () => {
      for await (const path of listFiles(join(dataDir, "postgres"))) {
        await addFile(controller, join(dataDir, "postgres", path), path);
        await connection.script("select 1"); // so that it does not count as idle
      }
      controller.finalize();
    })().catch((error) => controller.error(error));
    await Promise.all([writing, packing]);
    return known;
  });
}

type Packer = ReturnType<typeof createTarPacker>["controller"];

async function addFile(controller: Packer, from: string, path: string): Promise<void> {
  const { isDirectory, size } = await Deno.stat(from);
  const name = `/${path}`;
  if (isDirectory) {
    return await controller.add({ name, size: 0, type: "directory", mode: 0o700 }).close();
  }
  const file = await Deno.open(from);
  await file.readable.pipeTo(controller.add({ name, size, type: "file", mode: 0o600 }));
}

/** The paths of everything in a folder, a folder before its files. */
async function* listFiles(folder: string, within = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(join(folder, within))) {
    if (name === LOCK_FILE) continue;
    const path = join(within, name);
    yield path;
    if (isDirectory) yield* listFiles(folder, path);
  }
}
