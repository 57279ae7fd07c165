import { join } from "node:path";
import { createTarPacker } from "modern-tar";
import type { Connection, Database } from "../database.ts";

/** Belongs to a running server. */
const LOCK_FILE = "postmaster.pid";

/**
 * Reads something from the embedded database of a folder, and packs the files of the same state as a
 * compressed tar archive. A transaction keeps the only session while the files are copied, so nothing is
 * written meanwhile, and after the checkpoint they are as after a crash, from which PostgreSQL recovers.
 *
 * @throws {Deno.errors.AlreadyExists} if `copy`, the folder for the copies, exists
 */
export async function packCluster<Known>(
  database: Database,
  dataDir: string,
  { copy, read, write }: {
    copy: string;
    read: (connection: Connection) => Promise<Known>;
    write: (archive: ReadableStream<Uint8Array<ArrayBuffer>>) => Promise<void>;
  },
): Promise<Known> {
  await Deno.mkdir(copy, { mode: 0o700 });
  try {
    const known = await database.transaction(async (connection) => {
      const known = await read(connection);
      await connection.script("checkpoint");
      await copyFiles(join(dataDir, "postgres"), copy, connection);
      return known;
    });
    const { readable, controller } = createTarPacker();
    const writing = write(readable.pipeThrough(new CompressionStream("gzip")));
    const packing = packFiles(copy, controller).catch((error) => controller.error(error));
    await Promise.all([writing, packing]);
    return known;
  } finally {
    await Deno.remove(copy, { recursive: true });
  }
}

async function copyFiles(from: string, to: string, connection: Connection): Promise<void> {
  for await (const { path, isDirectory } of listFiles(from)) {
    if (isDirectory) await Deno.mkdir(join(to, path), { mode: 0o700 });
    else await Deno.copyFile(join(from, path), join(to, path));
    await connection.script("select 1"); // so that it does not count as idle
  }
}

async function packFiles(folder: string, controller: Packer): Promise<void> {
  for await (const { path, isDirectory } of listFiles(folder)) {
    const name = `/${path}`;
    if (isDirectory) {
      await controller.add({ name, size: 0, type: "directory", mode: 0o700 }).close();
      continue;
    }
    const { size } = await Deno.stat(join(folder, path));
    const file = await Deno.open(join(folder, path));
    await file.readable.pipeTo(controller.add({ name, size, type: "file", mode: 0o600 }));
  }
  controller.finalize();
}

type Packer = ReturnType<typeof createTarPacker>["controller"];

/** Everything in a folder, a folder before its files. */
async function* listFiles(
  folder: string,
  within = "",
): AsyncGenerator<{ path: string; isDirectory: boolean }> {
  for await (const { name, isDirectory } of Deno.readDir(join(folder, within))) {
    if (name === LOCK_FILE) continue;
    const path = join(within, name);
    yield { path, isDirectory };
    if (isDirectory) yield* listFiles(folder, path);
  }
}
