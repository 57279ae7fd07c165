import postgres from "postgres";
import { type Signal, whenAborted } from "../../work/cancellation.ts";
import type { Connection } from "../database.ts";
import type { PostgresOptions } from "./postgres_options.ts";
import { type RunningStatement, runScript, runStatement } from "./postgres_statement.ts";
import type { Sql } from "../sql.ts";

/** A connection that does not end a cancelled statement within this time is considered lost. */
const CANCEL_MS = 5_000;

/** One connection to a PostgreSQL server; a statement is cancelled when its signal is aborted. */
export class PostgresClient {
  readonly #client: postgres.Sql;
  #isLost = false;
  #knowsTypes = false;

  constructor(url: string, options: PostgresOptions) {
    this.#client = postgres(url, { ...options, max: 1 });
  }

  /** It did not end a cancelled statement: it must not be lent again. */
  get isLost(): boolean {
    return this.#isLost;
  }

  async query<Row>(statement: Sql, signal: Signal): Promise<Row[]> {
    if (!this.#knowsTypes) await this.#learnTypes();
    return await this.#attend(() => runStatement<Row>(this.#client, statement), signal);
  }

  async script(text: string, signal: Signal): Promise<void> {
    await this.#attend(() => runScript(this.#client, text), signal);
  }

  async transaction<Result>(
    work: (connection: Connection) => Promise<Result>,
    signal: Signal,
  ): Promise<Result> {
    if (!this.#knowsTypes) await this.#learnTypes();
    return await this.#client.begin((transaction) =>
      work(this.#connection(transaction, signal))
    ) as Result;
  }

  /**
   * Runs a simple query first: postgres.js 3.4.9 fetches the array types while it connects, and a
   * first statement may be sent before it can serialise them.
   */
  async #learnTypes(): Promise<void> {
    await this.#client.unsafe("select 1");
    this.#knowsTypes = true;
  }

  /** Lets the running statement finish, for this many seconds at most. */
  async end(seconds: number): Promise<void> {
    await this.#client.end({ timeout: seconds });
  }

  #connection(client: Pick<postgres.Sql, "unsafe">, signal: Signal): Connection {
    return {
      query: <Row>(statement: Sql) =>
        this.#attend(() => runStatement<Row>(client, statement), signal),
      script: async (text) => void await this.#attend(() => runScript(client, text), signal),
    };
  }

  /** Runs a statement; if the signal cancels it, the server has ended it by then. */
  #attend<Row>(run: () => RunningStatement<Row>, signal: Signal): Promise<Row[]> {
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

async function isDoneWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, milliseconds, false);
  const isDone = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}
