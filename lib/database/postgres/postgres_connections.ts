import postgres from "postgres";
import {
  type Connection,
  DatabaseAway,
  DatabaseBusy,
  INSPECT_MS,
  MAX_WAITING,
} from "../database.ts";
import { PostgresClient } from "./postgres_client.ts";
import { databaseAway, explainError, isAnswer } from "./postgres_errors.ts";
import type { AcceptedOptions } from "./postgres_options.ts";
import { PostgresPool } from "./postgres_pool.ts";
import { Watch } from "./watch.ts";

/** The connections for requests, per process. */
const REQUEST_CONNECTIONS = 8;
/** Jobs rarely need more than one connection. */
const JOB_IDLE_SECONDS = 60;
/** Abandoned job connections close when their statement ends, or after this time. */
const GIVE_UP_SECONDS = 20;
const PROBE_MS = 1_000;

/**
 * The connections to a PostgreSQL server. Requests, jobs and health checks have separate ones, so
 * none of them waits for the others.
 */
export class PostgresConnections {
  readonly requests: PostgresPool;
  readonly #control: PostgresPool;
  readonly #connectJobs: () => postgres.Sql;
  #jobs: postgres.Sql;
  readonly #listening: postgres.Sql;
  readonly #watch: Watch;
  readonly #onDisconnect: (() => void)[] = [];

  constructor(url: string, { forRequests, forJobs, forOthers }: AcceptedOptions) {
    const onclose = () => this.#onDisconnect.forEach((listener) => listener());
    this.requests = new PostgresPool(
      () => new PostgresClient(url, { ...forRequests, onclose }),
      { connections: REQUEST_CONNECTIONS, waiting: MAX_WAITING },
    );
    this.#control = new PostgresPool(
      () => new PostgresClient(url, { ...forOthers, fetch_types: false }),
      { connections: 1, waiting: MAX_WAITING },
    );
    this.#connectJobs = () =>
      postgres(url, { ...forJobs, onclose, idle_timeout: JOB_IDLE_SECONDS });
    this.#jobs = this.#connectJobs();
    this.#listening = postgres(url, forOthers);
    this.#watch = new Watch(() => this.#probe(), isAnswer, () => this.#replaceAll());
  }

  /** A job's connections, at this moment. */
  get jobs(): postgres.Sql {
    return this.#jobs;
  }

  /** Settles as the answer does, or fails within 2 s if the server is gone. */
  guard<Result>(answer: PromiseLike<Result>): Promise<Result> {
    return this.#watch.guard(answer).catch((error) => {
      throw explainError(error);
    });
  }

  /** Reads on the connection for health checks. */
  async inspect<Result>(read: (connection: Connection) => Promise<Result>): Promise<Result> {
    const signal = AbortSignal.timeout(INSPECT_MS);
    const readSoon = async (connection: Connection) => {
      // A statement that waits for a lock fails before our own timeout, which shows that the server
      // is there.
      await connection.script(`set local statement_timeout = ${INSPECT_MS - 100}`);
      return await read(connection);
    };
    const readOnce = () =>
      this.guard(this.#control.run((client) => client.transaction(readSoon, signal), { signal }));
    try {
      // A server that was restarted has closed the connection: that alone does not say it is away.
      return await readOnce().catch((error) => {
        if (error instanceof DatabaseAway) return readOnce();
        throw error;
      });
    } catch (error) {
      if (error !== signal.reason) throw error;
      throw this.#watch.isGone ? databaseAway("no answer") : new DatabaseBusy("No answer in time");
    }
  }

  async listen(
    channel: string,
    onMessage: (payload: string) => void,
    onDoubt: () => void,
  ): Promise<void> {
    this.#onDisconnect.push(onDoubt);
    await this.#listening.listen(channel, onMessage, onDoubt);
  }

  async end(): Promise<void> {
    this.#onDisconnect.length = 0;
    await Promise.all([
      this.requests.end(1),
      this.#jobs.end({ timeout: 5 }),
      this.#control.end(1),
      this.#listening.end({ timeout: 1 }),
    ]);
  }

  #probe(): Promise<unknown> {
    const signal = AbortSignal.timeout(PROBE_MS);
    return this.#control.run((client) => client.script("select 1", signal), { signal });
  }

  /** A hanging connection may hang for minutes after the server is back. */
  #replaceAll(): Error {
    const error = databaseAway("no answer");
    this.requests.reset(error);
    this.#control.reset(error);
    this.#jobs.end({ timeout: GIVE_UP_SECONDS });
    this.#jobs = this.#connectJobs();
    return error;
  }
}
