import postgres from "postgres";
import type { Caller, Signal } from "../../work/cancellation.ts";
import {
  type Connection,
  type Database,
  DatabaseAway,
  DatabaseBusy,
  INSPECT_MS,
  MAX_WAITING,
} from "../database.ts";
import { PostgresClient } from "./postgres_client.ts";
import { databaseAway, explainError, isAnswer } from "./postgres_errors.ts";
import { acceptedOptions } from "./postgres_options.ts";
import { PostgresPool } from "./postgres_pool.ts";
import { runScript, runStatement } from "./postgres_statement.ts";
import type { Sql } from "../sql.ts";
import { Watch } from "./watch.ts";

/** The connections for requests, per process. */
const REQUEST_CONNECTIONS = 8;
/** Jobs rarely need more than one connection. */
const JOB_IDLE_SECONDS = 60;
/** Abandoned job connections close when their statement ends, or after this time. */
const GIVE_UP_SECONDS = 20;
const PROBE_MS = 1_000;

/**
 * Connects to a PostgreSQL server, which may also become available later. Requests, jobs and health
 * checks have separate connections, so none of them waits for the others.
 */
export async function openPostgres(url: string): Promise<Database> {
  const disconnected: (() => void)[] = [];
  const onclose = () => disconnected.forEach((tell) => tell());
  const { forRequests, forJobs, forOthers } = await acceptedOptions(url);
  const requests = new PostgresPool(
    () => new PostgresClient(url, { ...forRequests, onclose }),
    { connections: REQUEST_CONNECTIONS, waiting: MAX_WAITING },
  );
  const control = new PostgresPool(
    () => new PostgresClient(url, { ...forOthers, fetch_types: false }),
    { connections: 1, waiting: MAX_WAITING },
  );
  const connectJobs = () => postgres(url, { ...forJobs, onclose, idle_timeout: JOB_IDLE_SECONDS });
  let jobs = connectJobs();
  const listening = postgres(url, forOthers);

  const watch = new Watch(
    () => {
      const signal = AbortSignal.timeout(PROBE_MS);
      return control.run((client) => client.script("select 1", signal), { signal });
    },
    isAnswer,
    () => {
      // A hanging connection may hang for minutes after the server is back: replace them all.
      const error = databaseAway("no answer");
      requests.reset(error);
      control.reset(error);
      jobs.end({ timeout: GIVE_UP_SECONDS });
      jobs = connectJobs();
      return error;
    },
  );
  const guard = <Result>(answer: PromiseLike<Result>) =>
    watch.guard(answer).catch((error) => {
      throw explainError(error);
    });

  return {
    kind: "postgres",
    query<Row>(statement: Sql, caller?: Caller): Promise<Row[]> {
      const request = requestOf(caller);
      if (!request) return guard(runStatement<Row>(jobs, statement).rows);
      return guard(requests.run((client) => client.query(statement, request.signal), request));
    },
    async script(text) {
      await guard(runScript(jobs, text).rows);
    },
    transaction(work, caller) {
      const request = requestOf(caller);
      if (!request) return begin(jobs, guard, work);
      return guard(requests.run((client) => client.transaction(work, request.signal), request));
    },
    async inspect(read) {
      const signal = AbortSignal.timeout(INSPECT_MS);
      const readSoon = async (connection: Connection) => {
        // A statement that waits for a lock fails before our own timeout, which shows that the
        // server is there.
        await connection.script(`set local statement_timeout = ${INSPECT_MS - 100}`);
        return await read(connection);
      };
      const readOnce = () =>
        guard(control.run((client) => client.transaction(readSoon, signal), { signal }));
      try {
        // A server that was restarted has closed the connection: that alone does not say it is away.
        return await readOnce().catch((error) => {
          if (error instanceof DatabaseAway) return readOnce();
          throw error;
        });
      } catch (error) {
        if (error !== signal.reason) throw error;
        throw watch.isGone ? databaseAway("no answer") : new DatabaseBusy("No answer in time");
      }
    },
    async listen(channel, onMessage, onDoubt) {
      disconnected.push(onDoubt);
      await listening.listen(channel, onMessage, onDoubt);
    },
    async close() {
      disconnected.length = 0;
      await Promise.all([
        requests.end(1),
        jobs.end({ timeout: 5 }),
        control.end(1),
        listening.end({ timeout: 1 }),
      ]);
    },
  };
}

/** The caller with its signal at this moment; null: it is a job. */
function requestOf(caller?: Caller): Caller & { readonly signal: Signal } | null {
  const signal = caller?.signal;
  if (!signal) return null;
  return {
    signal,
    get clients() {
      return caller.clients;
    },
  };
}

type Guard = <Result>(answer: PromiseLike<Result>) => Promise<Result>;

/** A job's transaction has no time limit once it has begun: it ends with its connection. */
async function begin<Result>(
  jobs: postgres.Sql,
  guard: Guard,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const hasBegun = Promise.withResolvers<void>();
  let isGivenUp = false;
  const done = jobs.begin((transaction) => {
    if (isGivenUp) throw databaseAway("no answer");
    hasBegun.resolve();
    return work({
      query: <Row>(statement: Sql) => runStatement<Row>(transaction, statement).rows,
      async script(text) {
        await runScript(transaction, text).rows;
      },
    });
  }) as Promise<Result>;
  try {
    await guard(Promise.race([hasBegun.promise, done]));
    return await done;
  } catch (error) {
    isGivenUp = true;
    done.catch(() => {});
    throw explainError(error);
  }
}
