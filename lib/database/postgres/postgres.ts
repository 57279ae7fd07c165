import postgres from "postgres";
import type { Database } from "../database.ts";
import { RANDOM_PAGE_COST } from "../planner.ts";
import type { MakeClient, PostgresOptions } from "./postgres_client.ts";
import { type AcceptedOptions, databaseOn } from "./postgres_connections.ts";
import { databaseAway, explainError } from "./postgres_errors.ts";

/** The connections of a process; those of jobs are made when they are needed. */
const CONNECTIONS = { requests: 8, jobs: 10 };
/** The server ends a request's statement after this time, in case this process was killed. */
const STATEMENT_SECONDS = 10;

/** Connects to a PostgreSQL server, which may also become available later. */
export async function openPostgres(url: string): Promise<Database> {
  const client: MakeClient = (options) => postgres(url, options);
  return databaseOn({
    kind: "postgres",
    client,
    options: await acceptedOptions(client),
    connections: CONNECTIONS,
    prepares: () => true,
    away: databaseAway,
  });
}

/** Options that every server and pooler accepts. */
export const OWN_OPTIONS: PostgresOptions = {
  connect_timeout: 5,
  backoff: (attempt: number) => Math.min(0.1 * 2 ** attempt, 1),
  onnotice: () => {},
  connection: { application_name: "roadcast", DateStyle: "ISO" },
};

/**
 * The connection options for requests and for jobs that the server accepts. JIT compilation costs
 * more than any of our statements gains, so `jit` is off. Connection poolers refuse settings at
 * connect ("unsupported startup parameter"); these are left out then, and so are prepared statements,
 * which belong to a connection that a pooler gives to another client after each transaction.
 */
async function acceptedOptions(client: MakeClient): Promise<AcceptedOptions> {
  const { connection } = OWN_OPTIONS;
  const jobSettings = {
    ...connection,
    jit: "off" as never,
    random_page_cost: RANDOM_PAGE_COST as never,
  };
  const requestSettings = { ...jobSettings, statement_timeout: STATEMENT_SECONDS * 1000 };
  const accepted = {
    forRequests: { ...OWN_OPTIONS, connection: requestSettings },
    forJobs: { ...OWN_OPTIONS, connection: jobSettings },
    forOthers: OWN_OPTIONS,
  };
  const trial = client({ ...accepted.forRequests, max: 1 });
  try {
    await trial.unsafe("select 1");
    return accepted;
  } catch (error) {
    // PgBouncer's SQLSTATE for it is that of a broken connection.
    if (String(error).includes("startup parameter")) {
      const pooled = { ...OWN_OPTIONS, prepare: false };
      return { forRequests: pooled, forJobs: pooled, forOthers: pooled };
    }
    if (explainError(error, databaseAway) !== error) return accepted;
    throw error;
  } finally {
    await trial.end({ timeout: 0 });
  }
}
