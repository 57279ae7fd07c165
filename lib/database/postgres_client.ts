import postgres from "postgres";
import type { Connection } from "./database.ts";
import type { PostgresOptions } from "./postgres_options.ts";
import { type RunningStatement, runScript, runStatement } from "./postgres_statement.ts";
import type { Sql } from "./sql.ts";

/** A connection that does not end within this time what was cancelled has gone. */
const CANCEL_MS = 5_000;

/** One connection to a PostgreSQL server, on which a statement ends when its signal is aborted. */
export class PostgresClient {
  readonly #client: postgres.Sql;
  #isLost = false;
  #knowsTypes = false;

  constructor(url: string, options: PostgresOptions) {
    this.#client = postgres(url, { ...options, max: 1 });
  }

  /** It did not end what was cancelled: others must not borrow it. */
  get isLost(): boolean {
    return this.#isLost;
  }

  async query<Row>(statement: Sql, signal: AbortSignal): Promise<Row[]> {
    await this.#learnTypes();
    return await this.#connection(this.#client, signal).query(statement);
  }

  async script(text: string, signal: AbortSignal): Promise<void> {
    await this.#connection(this.#client, signal).script(text);
  }

  async transaction<Result>(
    work: (connection: Connection) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    await this.#learnTypes();
    return await this.#client.begin((transaction) =>
      work(this.#connection(transaction, signal))
    ) as Result;
  }

  /**
   * Asks something simple first: postgres.js 3.4.9 learns the types of arrays as it connects, and a
   * statement that came first may be sent before it knows how to write them.
   */
  async #learnTypes(): Promise<void> {
    if (this.#knowsTypes) return;
    await this.#client.unsafe("select 1");
    this.#knowsTypes = true;
  }

  /** Lets what runs end, for so many seconds at most. */
  async end(seconds: number): Promise<void> {
    await this.#client.end({ timeout: seconds });
  }

  #connection(client: Pick<postgres.Sql, "unsafe">, signal: AbortSignal): Connection {
    return {
      query: async <Row>(statement: Sql) => {
        signal.throwIfAborted();
        return await this.#attend(runStatement<Row>(client, statement), signal);
      },
      script: async (text) => {
        signal.throwIfAborted();
        await this.#attend(runScript(client, text), signal);
      },
    };
  }

  /** Waits for a statement; when this fails for the signal, the server has done with it. */
  async #attend<Row>(statement: RunningStatement<Row>, signal: AbortSignal): Promise<Row[]> {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const leave = () => resolve();
    signal.addEventListener("abort", leave, { once: true });
    try {
      await Promise.race([statement.rows, aborted]);
    } finally {
      signal.removeEventListener("abort", leave);
    }
    if (!signal.aborted) return await statement.rows;
    const ended = Promise.allSettled([statement.rows, statement.cancel()]);
    if (!await isDoneWithin(CANCEL_MS, ended)) {
      this.#isLost = true;
      this.#client.end({ timeout: 0 });
    }
    throw signal.reason;
  }
}

async function isDoneWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, milliseconds, false);
  const isDone = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}
