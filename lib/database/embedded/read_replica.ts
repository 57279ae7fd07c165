import { getLogger } from "@logtape/logtape";
import { cp } from "node:fs/promises";
import { MAX_WAITING } from "../database.ts";
import { PGliteThread } from "./pglite_thread.ts";
import { Pool } from "../pool.ts";

const log = getLogger(["roadcast", "data"]);

/** A replica that is lent to reads. */
interface Opened {
  readonly thread: PGliteThread;
  readonly pool: Pool<PGliteThread>;
}

/**
 * A copy of the embedded database, from which requests read while long work occupies the database
 * itself: it has only one session.
 */
export class ReadReplica {
  /** Has one member: there is one replica at a time. */
  readonly #turns = new Pool([this], Infinity);
  #opened: Opened | null = null;
  #opening: Promise<void> | null = null;
  #isCurrent = false;

  /** @param cluster the folder of the database's files */
  constructor(private readonly cluster: string, private readonly primary: Pool<PGliteThread>) {}

  /** What reads borrow the replica from, once it is open; null: they use the database itself. */
  async findPool(): Promise<Pool<PGliteThread> | null> {
    await this.#opening;
    return this.#isCurrent && this.#opened ? this.#opened.pool : null;
  }

  /** Makes a replica. Without one, because the disk is full for example, reads have to wait. */
  async open(): Promise<void> {
    await this.#turns.take();
    this.#opening = this.#start();
    await this.#opening;
    this.#opening = null;
  }

  async #start(): Promise<void> {
    this.#isCurrent = true;
    try {
      const folder = replicaOf(this.cluster);
      await this.#copyTo(folder);
      const thread = await PGliteThread.open({ folder, isReadOnly: true });
      this.#opened = { thread, pool: new Pool([thread], MAX_WAITING) };
    } catch (error) {
      this.#isCurrent = false;
      await removeReplica(this.cluster); // a full disk has no room for half of one
      log.warn("Requests wait while the database is busy: {error}", { error: String(error) });
    }
  }

  /** Ends reading from the replica: the database itself has newer data. */
  retire(): void {
    this.#isCurrent = false;
  }

  /** Removes the replica as soon as its last read has ended. */
  async close(): Promise<void> {
    this.retire();
    await this.#opened?.pool.take();
    await this.#opened?.thread.close().catch(() => {});
    this.#opened = null;
    await removeReplica(this.cluster);
    this.#turns.give(this);
  }

  /**
   * Between two statements the files are as after a crash, from which PostgreSQL recovers. Reads that
   * queued before are served first: they would wait for the long work.
   */
  async #copyTo(folder: string): Promise<void> {
    const thread = await this.primary.takeLast();
    try {
      await thread.script("checkpoint");
      await cp(this.cluster, folder, { recursive: true });
    } finally {
      this.primary.give(thread);
    }
  }
}

/** Removes the files of a replica, such as those that a killed process has left. */
export async function removeReplica(cluster: string): Promise<void> {
  await Deno.remove(replicaOf(cluster), { recursive: true }).catch(() => {});
}

function replicaOf(cluster: string): string {
  return `${cluster}.replica`;
}
