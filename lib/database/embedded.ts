import { PGlite, type PGliteOptions, type Transaction, types } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { vector } from "@electric-sql/pglite-pgvector";
import { join } from "node:path";
import { ExpectedError } from "../expected_error.ts";
import type { Connection, Database } from "./database.ts";
import { RestartingPGlite } from "./restarting_pglite.ts";
import type { Sql } from "./sql.ts";

/** The folder of the embedded database is in use by another process. */
export class DatabaseInUse extends ExpectedError {}

/** A database that can be had as a file: a tar archive, which may be compressed. */
interface Dumpable {
  dump(): Promise<Blob>;
}

/** Opens the embedded PostgreSQL in a folder, which it makes where it is missing; one process at a time. */
export async function openEmbedded(folder: string): Promise<Database & Dumpable> {
  await Deno.mkdir(folder, { recursive: true });
  const lock = await lockFolder(folder);
  try {
    const pglite = await openPGlite({ dataDir: join(folder, "postgres") });
    return Object.assign(embeddedDatabase(pglite, lock), {
      dump: async () => (await pglite.get()).dumpDataDir("gzip"),
    });
  } catch (cause) {
    lock.close();
    throw new Error(`Cannot open the embedded database in ${folder}: ${String(cause)}`, { cause });
  }
}

/** Opens an embedded PostgreSQL that lives in memory only; `image` is an earlier `dumpDataDir`. */
export async function openInMemory(image?: Blob): Promise<Database & Dumpable> {
  const pglite = await openPGlite(image ? { loadDataDir: image } : {});
  return Object.assign(embeddedDatabase(pglite), {
    dump: async () => (await pglite.get()).dumpDataDir("none"),
  });
}

/** Whole roadmaps fit in less than PostgreSQL's 128 MB, and what it once took stays taken. */
const START_PARAMETERS = [...PGlite.defaultStartParams, "-c", "shared_buffers=32MB"];

/**
 * Makes the embedded database of a folder from a dump; the folder must hold none yet. Until it is
 * whole it has another name, so that nothing half done is ever opened.
 */
export async function restoreEmbedded(folder: string, image: Blob): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  const lock = await lockFolder(folder);
  const unfinished = join(folder, "postgres.restoring");
  try {
    await Deno.remove(unfinished, { recursive: true }).catch(() => {});
    await (await openPGlite({ dataDir: unfinished, loadDataDir: image })).close();
    await Deno.rename(unfinished, join(folder, "postgres"));
  } catch (error) {
    await Deno.remove(unfinished, { recursive: true }).catch(() => {});
    throw error;
  } finally {
    lock.close();
  }
}

/** Tells whether a folder holds an embedded database. */
export async function holdsEmbedded(folder: string): Promise<boolean> {
  return await Deno.stat(join(folder, "postgres")).then(() => true, () => false);
}

/** PGlite by itself turns bytes into text and back digit by digit: seconds for some megabytes. */
const BYTES_AS_HEX = {
  parsers: { [types.BYTEA]: (text: string) => Uint8Array.fromHex(text.slice("\\x".length)) },
  serializers: { [types.BYTEA]: (bytes: Uint8Array) => `\\x${bytes.toHex()}` },
};

function openPGlite(options: PGliteOptions): Promise<RestartingPGlite> {
  const extensions = { pg_trgm, vector };
  return RestartingPGlite.open({
    ...options,
    extensions,
    startParams: START_PARAMETERS,
    ...BYTES_AS_HEX,
  });
}

function embeddedDatabase(pglite: RestartingPGlite, lock?: Deno.FsFile): Database {
  return {
    kind: "embedded",
    ...connection(() => pglite.get()),
    async transaction(work) {
      return await (await pglite.get()).transaction((tx) => work(connection(() => tx)));
    },
    async listen(channel, onMessage, onDoubt) {
      await pglite.prepare(async (started) => {
        await started.listen(channel, onMessage);
        onDoubt();
      });
    },
    async close() {
      await pglite.close();
      lock?.close();
    },
  };
}

type Queryable = Pick<Transaction, "query" | "exec">;

function connection(queryable: () => Queryable | Promise<Queryable>): Connection {
  return {
    async query<Row>(statement: Sql): Promise<Row[]> {
      const { text, params } = statement.compile();
      return (await (await queryable()).query<Row>(text, params)).rows;
    },
    async script(text) {
      await (await queryable()).exec(text);
    },
  };
}

/**
 * The operating system drops the lock when its process ends, however it ends, so that a lock is
 * never left behind; the file says who holds it.
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
