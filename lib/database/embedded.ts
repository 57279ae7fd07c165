import { join } from "node:path";
import { currentSignal, untilAborted } from "../cancellation.ts";
import {
  type Connection,
  type Database,
  DatabaseAway,
  DatabaseBusy,
  INSPECT_MS,
  MAX_WAITING,
} from "./database.ts";
import { takeFolder } from "./folder_lock.ts";
import { PGliteThread } from "./pglite_thread.ts";
import { Pool } from "./pool.ts";

/** A database that can be had as a file: a tar archive, which may be compressed. */
interface Dumpable {
  dump(): Promise<Blob>;
}

/** Opens the embedded PostgreSQL in a folder, which it makes where it is missing; one process at a time. */
export async function openEmbedded(folder: string): Promise<Database & Dumpable> {
  const lock = await takeFolder(folder);
  try {
    const thread = await PGliteThread.open({ folder: join(folder, "postgres") });
    return embeddedDatabase(thread, { compression: "gzip", lock });
  } catch (cause) {
    lock.close();
    throw new Error(`Cannot open the embedded database in ${folder}: ${String(cause)}`, { cause });
  }
}

/** Opens an embedded PostgreSQL that lives in memory only; `image` is an earlier dump. */
export async function openInMemory(image?: Blob): Promise<Database & Dumpable> {
  const thread = await PGliteThread.open({ image: await image?.bytes() });
  return embeddedDatabase(thread, { compression: "none" });
}

/**
 * Makes the embedded database of a folder from a dump; the folder must hold none yet. Until it is
 * whole it has another name, so that nothing half done is ever opened.
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

/** Tells whether a folder holds an embedded database. */
export async function holdsEmbedded(folder: string): Promise<boolean> {
  return await Deno.stat(join(folder, "postgres")).then(() => true, () => false);
}

function embeddedDatabase(
  thread: PGliteThread,
  { compression, lock }: { compression: "gzip" | "none"; lock?: Deno.FsFile },
): Database & Dumpable {
  const pool = new Pool([thread], MAX_WAITING);
  async function borrow<Result>(
    work: () => Promise<Result>,
    signal = currentSignal(),
  ): Promise<Result> {
    await pool.take(signal);
    const done = work().finally(() => pool.give(thread));
    return await (signal ? untilAborted(done, signal) : done);
  }
  const connection = connectionOf(thread);
  return {
    kind: "embedded",
    query: (statement) => borrow(() => connection.query(statement)),
    script: (text) => borrow(() => connection.script(text)),
    transaction: (work) => borrow(() => runTransaction(connection, work)),
    async inspect(read) {
      const signal = AbortSignal.timeout(INSPECT_MS);
      try {
        return await borrow(() => read(connection), signal);
      } catch (error) {
        if (error !== signal.reason) throw error;
        throw new DatabaseBusy("The embedded database does something else just now");
      }
    },
    async listen(channel, onMessage, onDoubt) {
      const hear = (payload: string | null) => payload === null ? onDoubt() : onMessage(payload);
      await borrow(() => thread.listen(channel, hear));
    },
    dump: () => borrow(async () => new Blob([await thread.call("dump", compression)])),
    async close() {
      await borrow(() => thread.close());
      lock?.close();
    },
  };
}

function connectionOf(thread: PGliteThread): Connection {
  return {
    async query<Row>(statement: Parameters<Connection["query"]>[0]): Promise<Row[]> {
      const { text, params } = statement.compile();
      return await thread.call("query", text, params) as Row[];
    },
    script: (text) => thread.call("script", text),
  };
}

/** One connection is all there is, so that whoever has it has the transaction as well. */
async function runTransaction<Result>(
  connection: Connection,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const signal = currentSignal();
  let end: Error | null = null;
  const within = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    signal?.throwIfAborted();
    if (end !== null) throw end;
    try {
      return await ask();
    } catch (error) {
      // A database that starts again after a panic knows nothing of the transaction.
      if (error instanceof DatabaseAway) end = error;
      throw error;
    }
  };
  await connection.script("begin");
  try {
    const result = await work({
      query: (statement) => within(() => connection.query(statement)),
      script: (text) => within(() => connection.script(text)),
    });
    await within(() => connection.script("commit"));
    return result;
  } catch (error) {
    await connection.script("rollback").catch(() => {});
    throw error;
  } finally {
    end ??= new Error("The transaction has ended");
  }
}
