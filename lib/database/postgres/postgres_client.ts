import type postgres from "postgres";
import { whenAborted } from "../../work/async.ts";
import type { Connection } from "../database.ts";
import type { Sql } from "../sql.ts";

export type PostgresOptions = postgres.Options<Record<string, never>>;

export type MakeClient = (options: PostgresOptions) => postgres.Sql;

/** Whether a statement of this text is prepared, which saves planning it again. */
export type Prepares = (text: string) => boolean;

/** A connection that does not end a cancelled statement within this time is considered lost. */
const CANCEL_MS = 5_000;

/**
 * One connection to a PostgreSQL server, which is lent to one piece of work at a time. A statement is
 * cancelled when its signal is aborted.
 */
export class PostgresClient {
  readonly #client: postgres.Sql;
  readonly #prepares: Prepares;
  /** It did not end a cancelled statement: it must not be lent again. */
  isLost = false;
  #knowsTypes = false;
  /** How often the connection has ended; the next statement makes a new one. */
  #ends = 0;

  constructor(
    connect: MakeClient,
    { prepares, ...options }: PostgresOptions & { prepares: Prepares },
  ) {
    this.#prepares = prepares;
    this.#client = connect({
      ...options,
      max: 1,
      max_lifetime: null, // it could end within a transaction
      onclose: (id) => {
        this.#ends++;
        options.onclose?.(id);
      },
    });
  }

  async query<Row>(statement: Sql, signal?: AbortSignal): Promise<Row[]> {
    await this.#learnTypes();
    const { text, params } = statement.compile();
    const prepare = this.#prepares(text);
    return await this.#run(() => this.#client.unsafe(text, params as never[], { prepare }), signal);
  }

  /** Runs a text of several statements, and ignores their results. */
  async script(text: string, signal?: AbortSignal): Promise<void> {
    await this.#run(() => this.#client.unsafe(text), signal);
  }

  /**
   * Runs the work in a transaction. postgres.js 3.4.9 has one of its own, which ends the process
   * where the connection ends between two of its statements.
   *
   * @param onBegin is called when it has begun
   */
  async transaction<Result>(
    work: (connection: Connection) => Promise<Result>,
    signal?: AbortSignal,
    onBegin = () => {},
  ): Promise<Result> {
    await this.#learnTypes();
    await this.script("begin", signal);
    onBegin();
    const ends = this.#ends;
    let hasEnded = false;
    let failure: { error: unknown } | null = null;
    const within = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
      if (hasEnded) throw new Error("The transaction has ended");
      // As postgres.js says it of a statement that runs.
      const code = "CONNECTION_CLOSED";
      if (this.#ends !== ends) throw Object.assign(new Error(`write ${code}`), { code });
      try {
        return await ask();
      } catch (error) {
        failure ??= { error };
        throw error;
      }
    };
    try {
      const result = await work({
        query: (statement) => within(() => this.query(statement, signal)),
        script: (text) => within(() => this.script(text, signal)),
      });
      // A commit would not fail, and store nothing.
      if (failure) throw (failure as { error: unknown }).error;
      await within(() => this.script("commit", signal));
      return result;
    } catch (error) {
      // Otherwise the server has rolled it back itself.
      if (this.#ends === ends) await this.script("rollback").catch(() => {});
      throw error;
    } finally {
      hasEnded = true;
    }
  }

  /** Lets the running statement finish, for this many seconds at most. */
  async end(seconds: number): Promise<void> {
    await this.#client.end({ timeout: seconds });
  }

  /**
   * Runs a simple query first: postgres.js 3.4.9 fetches the array types while it connects, and a
   * first statement may be sent before it can serialise them.
   */
  async #learnTypes(): Promise<void> {
    if (!this.#knowsTypes) await this.#client.unsafe("select 1");
    this.#knowsTypes = true;
  }

  /**
   * Sends a statement; if the signal cancels it, the server has ended it by then. Its rows are
   * collected here: postgres.js 3.4.9 counts them per connection and does not reset the count after a
   * statement that failed midway, so the next result would start with holes.
   */
  async #run<Row>(
    send: () => postgres.PendingQuery<postgres.Row[]>,
    signal?: AbortSignal,
  ): Promise<Row[]> {
    signal?.throwIfAborted();
    const pending = send();
    const rows: Row[] = [];
    const done = pending.forEach((row) => void rows.push(row as Row)).then(() => rows);
    if (!signal) return await done;
    return await new Promise((resolve, reject) => {
      const stop = whenAborted(signal, async () => {
        await this.#cancel(pending, done);
        reject(signal.reason);
      });
      const isCancelled = () => (stop(), signal.aborted);
      done.then(
        (rows) => isCancelled() || resolve(rows),
        (error) => isCancelled() || reject(error),
      );
    });
  }

  async #cancel(pending: unknown, done: Promise<unknown>): Promise<void> {
    const ended = Promise.allSettled([done, requestCancel(pending)]);
    if (await isDoneWithin(CANCEL_MS, ended)) return;
    this.isLost = true;
    this.#client.end({ timeout: 0 });
  }
}

/**
 * Does the same as `cancel()` of postgres.js 3.4.9, which drops its promise: if the server is away, the
 * unhandled rejection would end our process. `pg_cancel_backend` is no way round it: behind a pooler
 * the process may run somebody else's statement by then. A statement that still waits for its
 * connection runs.
 */
async function requestCancel(pending: unknown): Promise<void> {
  const { active, canceller } = pending as {
    active: boolean;
    canceller: (pending: unknown) => Promise<void>;
  };
  if (active) await canceller(pending);
}

async function isDoneWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, milliseconds, false);
  const isDone = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}
