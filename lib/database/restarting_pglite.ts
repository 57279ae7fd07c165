import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { DatabaseAway } from "./database.ts";

/**
 * A PGlite that starts again after a panic, as a PostgreSQL server does. By itself it would go on,
 * and wait forever for locks that the panic left behind: a disk that is full is enough for that.
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

  /** The one that runs. @throws {DatabaseAway} where it cannot be started again */
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
    // One that has panicked has nothing to say at its end: the next start recovers what it left.
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

/** From a panic on, every statement is refused before PostgreSQL sees it. */
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

/** Files that are open keep their room on the disk, even those that the next start deletes. */
async function closeFiles(pglite: PGlite): Promise<void> {
  await pglite.fs?.closeFs().catch(() => {});
}

/** Whatever fails while WAL is written is a panic; FATAL ends a session, and we have only one. */
function isPanic(error: unknown): boolean {
  return ["PANIC", "FATAL"].includes(String((error as { severity?: unknown }).severity));
}

function away(what: string, cause: unknown): DatabaseAway {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new DatabaseAway(`The embedded database ${what}: ${message}`, { cause });
}
