import { join } from "node:path";
import { getLogger } from "@logtape/logtape";
import { type Caller, untilAborted } from "../../work/cancellation.ts";
import {
  type Connection,
  DatabaseBusy,
  type EmbeddedDatabase,
  INSPECT_MS,
  MAX_WAITING,
} from "../database.ts";
import { createCluster } from "./create_cluster.ts";
import { explainFailure, folderError, requireVersionFile } from "./embedded_failures.ts";
import { takeFolder } from "./folder_lock.ts";
import { PGliteThread } from "./pglite_thread.ts";
import { Pool } from "../pool.ts";
import { listenInFolder, type ServerSocket } from "./server_socket.ts";
import { connectionOf, runTransaction } from "./session.ts";
import { SharedSession } from "./shared_session.ts";

const log = getLogger(["roadcast", "data"]);

/**
 * Opens the embedded PostgreSQL in a folder, which is created if it is missing; one process at a
 * time. With `shares`, other processes of the same user can use it through a socket.
 */
export async function openEmbedded(
  folder: string,
  { shares = false }: { shares?: boolean } = {},
): Promise<EmbeddedDatabase> {
  const lock = await takeFolder(folder);
  // From here on other processes wait for the database instead of failing because it is in use.
  const socket = shares ? await tryListening(folder) : null;
  try {
    const cluster = join(folder, "postgres");
    if (await holdsEmbedded(folder)) await requireVersionFile(folder);
    else await createCluster(cluster);
    const thread = await PGliteThread.open({ folder: cluster });
    return embeddedDatabase(thread, { compression: "gzip", lock, socket });
  } catch (cause) {
    await socket?.close();
    lock.close();
    throw await explainFailure(folder, cause);
  }
}

/** Opens an earlier dump in memory only. */
export async function openInMemory(image: Blob): Promise<EmbeddedDatabase> {
  const thread = await PGliteThread.open({ image: await image.bytes() });
  return embeddedDatabase(thread, { compression: "none" });
}

/**
 * Creates the embedded database of a folder from a dump; the folder must not have one yet. It has a
 * temporary name until it is complete, so no process opens a partial one.
 */
export async function restoreEmbedded(folder: string, image: Blob): Promise<void> {
  const lock = await takeFolder(folder);
  const unfinished = join(folder, "postgres.restoring");
  try {
    await Deno.remove(unfinished, { recursive: true }).catch(() => {});
    await (await PGliteThread.open({ folder: unfinished, image: await image.bytes() })).close();
    await Deno.rename(unfinished, join(folder, "postgres"));
  } catch (error) {
    await Deno.remove(unfinished, { recursive: true }).catch(() => {});
    throw error;
  } finally {
    lock.close();
  }
}

/**
 * Whether a folder holds an embedded database.
 *
 * @throws {DataFolderError} if the folder cannot be read
 */
export async function holdsEmbedded(folder: string): Promise<boolean> {
  try {
    await Deno.stat(join(folder, "postgres"));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw folderError(folder, error);
  }
}

/** The server works even if the socket cannot be created. */
async function tryListening(folder: string): Promise<ServerSocket | null> {
  try {
    return await listenInFolder(folder);
  } catch (error) {
    log.warn("Commands cannot run beside this server: {error}", { error: String(error) });
    return null;
  }
}

function embeddedDatabase(
  thread: PGliteThread,
  { compression, lock, socket = null }: {
    compression: "gzip" | "none";
    lock?: Deno.FsFile;
    socket?: ServerSocket | null;
  },
): EmbeddedDatabase {
  const pool = new Pool([thread], MAX_WAITING);
  const names = new Set<string>();
  const shared = socket && new SharedSession(socket, { pool, names });
  const run = <Result>(work: Work<Result>, caller?: Caller) => borrow(pool, work, caller);
  return {
    kind: "embedded",
    query: (statement, caller) => run((connection) => connection.query(statement), caller),
    script: (text) => run((connection) => connection.script(text)),
    transaction: (work, caller) =>
      run((connection) => runTransaction(connection, work, caller?.signal), caller),
    inspect: (read) => inspect(pool, thread, read),
    async listen(channel, onMessage, onDoubt) {
      const hear = (payload: string | null) => {
        if (payload === null) onDoubt();
        else onMessage(payload);
      };
      await run(() => thread.listen(channel, hear));
    },
    dump: (read) =>
      run(async (connection) => {
        const known = await read(connection);
        return { known, image: new Blob([await thread.call("dump", compression)]) };
      }),
    async exclusively(name, work) {
      if (names.has(name)) return null;
      names.add(name);
      return await work().finally(() => names.delete(name));
    },
    async close() {
      await shared?.stop();
      await run(() => thread.close());
      lock?.close();
    },
  };
}

type Work<Result> = (connection: Connection) => Promise<Result>;

/** Does the work when it is the caller's turn: the database does one thing at a time. */
async function borrow<Result>(
  pool: Pool<PGliteThread>,
  work: Work<Result>,
  caller?: Caller,
): Promise<Result> {
  const member = await pool.take(caller);
  const done = member.revive()
    .then(() => work(connectionOf(member)))
    .finally(() => pool.give(member));
  return await (caller?.signal ? untilAborted(done, caller.signal) : done);
}

/** Reads for a health check, which fails while the database does something else. */
async function inspect<Result>(
  pool: Pool<PGliteThread>,
  thread: PGliteThread,
  read: Work<Result>,
): Promise<Result> {
  const signal = AbortSignal.timeout(INSPECT_MS);
  try {
    return await borrow(pool, read, { signal });
  } catch (error) {
    if (error !== signal.reason) throw error;
    throw thread.end ?? new DatabaseBusy("The embedded database is busy");
  }
}
