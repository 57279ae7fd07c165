import { Frames } from "./frames.ts";
import { type PlainError, toPlain } from "./plain_error.ts";
import type { PGliteThread } from "./pglite_thread.ts";
import type { Pool } from "../pool.ts";
import type { ServerSocket } from "./server_socket.ts";

/** A dump is sent in pieces of this size. */
const PIECE_BYTES = 1024 * 1024;
/** A process that holds the database and is idle for this long is disconnected. */
const SILENCE_MS = 30_000;

/** A request to the server that has the embedded database open. */
export interface MethodCall {
  method: keyof ClientProcess["methods"];
  args: unknown[];
}

/** The server's reply. */
export interface Reply {
  value?: unknown;
  error?: PlainError;
}

/** What the processes share. */
interface Shared {
  readonly pool: Pool<PGliteThread>;
  /** The work that only one process may do at a time. */
  readonly names: Set<string>;
  readonly silenceMs?: number;
}

/** Lends the session of an embedded database to other processes, while they are connected. */
export class SharedSession {
  readonly #clients = new Map<ClientProcess, Promise<void>>();
  readonly #accepting: Promise<void>;

  constructor(private readonly socket: ServerSocket, private readonly shared: Shared) {
    this.#accepting = this.#accept();
  }

  /** Disconnects all processes; what they have not committed is rolled back. */
  async stop(): Promise<void> {
    await this.socket.close();
    await this.#accepting;
    for (const client of this.#clients.keys()) client.leave();
    await Promise.all(this.#clients.values());
  }

  async #accept(): Promise<void> {
    for await (const connection of this.socket.connections) {
      const client = new ClientProcess(new Frames(connection), this.shared);
      this.#clients.set(client, client.serve().finally(() => this.#clients.delete(client)));
    }
  }
}

/** One connected process, which sends one request at a time. */
class ClientProcess {
  #held: PGliteThread | null = null;
  #dump = new Uint8Array();
  readonly #names = new Set<string>();

  constructor(private readonly frames: Frames, private readonly shared: Shared) {}

  async serve(): Promise<void> {
    try {
      for (let asked = await this.#next(); asked !== null; asked = await this.#next()) {
        await this.frames.write(await this.#answer(asked.value as MethodCall));
      }
    } catch {
      // It has disconnected: the command has ended, or was killed.
    } finally {
      this.leave();
      await this.#giveBack();
    }
  }

  leave(): void {
    this.frames.close();
  }

  /** A stopped process must not keep the others waiting. */
  async #next(): Promise<{ value: unknown } | null> {
    if (this.#held === null) return await this.frames.read();
    const timer = setTimeout(() => this.leave(), this.shared.silenceMs ?? SILENCE_MS);
    return await this.frames.read().finally(() => clearTimeout(timer));
  }

  async #answer({ method, args }: MethodCall): Promise<Reply> {
    try {
      return { value: await (this.methods[method] as (...args: unknown[]) => unknown)(...args) };
    } catch (error) {
      return { error: toPlain(error) };
    }
  }

  async #giveBack(): Promise<void> {
    for (const name of this.#names) this.shared.names.delete(name);
    if (this.#held !== null) {
      // Without a transaction this is only a warning.
      await this.#held.script("rollback").catch(() => {});
      this.methods.release();
    }
  }

  async #borrow<Result>(work: (thread: PGliteThread) => Promise<Result>): Promise<Result> {
    if (this.#held) return await work(this.#held);
    const thread = await this.#take();
    return await work(thread).finally(() => this.shared.pool.give(thread));
  }

  async #take(): Promise<PGliteThread> {
    const thread = await this.shared.pool.take();
    try {
      await thread.revive();
      return thread;
    } catch (error) {
      this.shared.pool.give(thread);
      throw error;
    }
  }

  readonly methods = {
    query: (text: string, params: unknown[]) =>
      this.#borrow((thread) => thread.query(text, params)),
    script: (text: string) => this.#borrow((thread) => thread.script(text)),
    /** No other process can use the database until it is released. */
    hold: async () => {
      this.#held ??= await this.#take();
    },
    release: () => {
      if (this.#held) this.shared.pool.give(this.#held);
      this.#held = null;
    },
    /** Makes a dump, and returns its size in bytes. */
    dump: async () => {
      this.#dump = await this.#borrow((thread) => thread.call("dump", "gzip"));
      return this.#dump.length;
    },
    dumpPiece: (start: number) => this.#dump.slice(start, start + PIECE_BYTES),
    /** Claims the named work; false: another process has it. */
    takeName: (name: string) => {
      if (this.shared.names.has(name)) return false;
      this.shared.names.add(name);
      this.#names.add(name);
      return true;
    },
    dropName: (name: string) => {
      if (this.#names.delete(name)) this.shared.names.delete(name);
    },
  };
}
