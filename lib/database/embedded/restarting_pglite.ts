import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { DatabaseAway } from "../database.ts";

/**
 * A PGlite that restarts after a panic, as a PostgreSQL server does. On its own it would continue,
 * and wait forever for locks that the panic left behind; a full disk is enough to cause that.
 */
export class RestartingPGlite {
  #running: Promise<PGlite> | null = null;
  readonly #preparations: ((pglite: PGlite) => Promise<void>)[] = [];

  private constructor(private readonly options: PGliteOptions) {}

  static async open(options: PGliteOptions): Promise<RestartingPGlite> {
    const opened = new RestartingPGlite(options);
    opened.#running = opened.#start();
    await opened.#running;
    return opened;
  }

  /** The running instance. @throws {DatabaseAway} if it cannot be restarted */
  get(): Promise<PGlite> {
    return this.#running ??= this.#start().catch((cause) => {
      this.#running = null;
      throw away("cannot be started again", cause);
    });
  }

  /** Does something now and after every start. */
  async prepare(preparation: (pglite: PGlite) => Promise<void>): Promise<void> {
    await preparation(await this.get());
    this.#preparations.push(preparation);
  }

  async close(): Promise<void> {
    // Errors while closing after a panic do not matter: the next start recovers the data.
    await (await this.#running?.catch(() => null))?.close();
  }

  async #start(): Promise<PGlite> {
    const pglite = new PGlite(this.options);
    try {
      await pglite.waitReady;
      endAtPanic(pglite, () => this.#running = null);
      for (const prepare of this.#preparations) await prepare(pglite);
      return pglite;
    } catch (error) {
      await closeFiles(pglite);
      throw error;
    }
  }
}

/** After a panic every statement is refused before PostgreSQL sees it. */
function endAtPanic(pglite: PGlite, onPanic: () => void): void {
  let panic: DatabaseAway | null = null;
  const execute = pglite.execProtocolRawSync.bind(pglite);
  pglite.execProtocolRawSync = (message) => {
    if (panic !== null) throw panic;
    return execute(message);
  };
  const noting =
    <Words extends unknown[], Answer>(ask: (...words: Words) => Promise<Answer>) =>
    async (...words: Words): Promise<Answer> => {
      try {
        return await ask.apply(pglite, words);
      } catch (error) {
        if (panic === null && isPanic(error)) {
          panic = away("has stopped", error);
          onPanic();
          await closeFiles(pglite);
        }
        throw panic ?? error;
      }
    };
  pglite.execProtocol = noting(pglite.execProtocol);
  pglite.execProtocolStream = noting(pglite.execProtocolStream);
}

/** Open files keep their disk space, even those that the next start deletes. */
async function closeFiles(pglite: PGlite): Promise<void> {
  await pglite.fs?.closeFs().catch(() => {});
}

/**
 * A failure while writing WAL is a panic; FATAL ends a session, and there is only one. An error that
 * does not come from PostgreSQL, such as a trap of WebAssembly, leaves its memory in any state.
 */
function isPanic(error: unknown): boolean {
  const { severity } = error as { severity?: unknown };
  return severity === undefined || ["PANIC", "FATAL"].includes(String(severity));
}

function away(what: string, cause: unknown): DatabaseAway {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new DatabaseAway(`The embedded database ${what}: ${message}`, { cause });
}
