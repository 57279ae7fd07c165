import type postgres from "postgres";
import { type Signal, whenAborted } from "../../work/cancellation.ts";
import type { Connection } from "../database.ts";
import type { MakeClient, PostgresOptions } from "./postgres_options.ts";
import {
  type Prepares,
  type RunningStatement,
  runScript,
  runStatement,
} from "./postgres_statement.ts";
import type { Sql } from "../sql.ts";

/** A connection that does not end a cancelled statement within this time is considered lost. */
const CANCEL_MS = 5_000;

/**
 * One connection to a PostgreSQL server, which is lent to one piece of work at a time. A statement is
 * cancelled when its signal is aborted.
 */
export class PostgresClient {
  readonly #client: postgres.Sql;
  readonly #prepares: Prepares;
  #isLost = false;
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

  /** It did not end a cancelled statement: it must not be lent again. */
  get isLost(): boolean {
    return this.#isLost;
  }

  async query<Row>(statement: Sql, signal?: Signal): Promise<Row[]> {
    await this.#learnTypes();
    return await this.#attend(
      () => runStatement<Row>(this.#client, statement, this.#prepares),
      signal,
    );
  }

  async script(text: string, signal?: Signal): Promise<void> {
    await this.#attend(() => runScript(this.#client, text), signal);
  }

  /**
   * Runs the work in a transaction. postgres.js 3.4.9 has one of its own, which ends the process
   * where the connection ends between two of its statements.
   *
   * @param onBegin is called when it has begun
   */
  async transaction<Result>(
    work: (connection: Connection) => Promise<Result>,
    signal?: Signal,
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
      if (this.#ends !== ends) throw connectionEnded();
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

  /** Runs a statement; if the signal cancels it, the server has ended it by then. */
  #attend<Row>(run: () => RunningStatement<Row>, signal?: Signal): Promise<Row[]> {
    if (!signal) return run().rows;
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const statement = run();
      const stop = whenAborted(signal, async () => {
        await this.#cancel(statement);
        reject(signal.reason);
      });
      const isCancelled = () => (stop(), signal.aborted);
      statement.rows.then(
        (rows) => isCancelled() || resolve(rows),
        (error) => isCancelled() || reject(error),
      );
    });
  }

  async #cancel(statement: RunningStatement<unknown>): Promise<void> {
    const ended = Promise.allSettled([statement.rows, statement.cancel()]);
    if (await isDoneWithin(CANCEL_MS, ended)) return;
    this.#isLost = true;
    this.#client.end({ timeout: 0 });
  }
}

/** As postgres.js says it of a statement that runs. */
function connectionEnded(): Error {
  return Object.assign(new Error("write CONNECTION_CLOSED"), { code: "CONNECTION_CLOSED" });
}

async function isDoneWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, milliseconds, false);
  const isDone = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}
