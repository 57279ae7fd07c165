import type { Caller, Signal } from "../../work/cancellation.ts";
import type { Connection, Database } from "../database.ts";
import { PostgresConnections } from "./postgres_connections.ts";
import { databaseAway, explainError } from "./postgres_errors.ts";
import { acceptedOptions } from "./postgres_options.ts";
import { runScript, runStatement } from "./postgres_statement.ts";
import type { Sql } from "../sql.ts";

/** Connects to a PostgreSQL server, which may also become available later. */
export async function openPostgres(url: string): Promise<Database> {
  const connections = new PostgresConnections(url, await acceptedOptions(url));
  const { requests } = connections;
  return {
    kind: "postgres",
    query<Row>(statement: Sql, caller?: Caller): Promise<Row[]> {
      const request = requestOf(caller);
      return connections.guard(
        request
          ? requests.run((client) => client.query<Row>(statement, request.signal), request)
          : runStatement<Row>(connections.jobs, statement).rows,
      );
    },
    async script(text) {
      await connections.guard(runScript(connections.jobs, text).rows);
    },
    transaction(work, caller) {
      const request = requestOf(caller);
      if (!request) return begin(connections, work);
      return connections.guard(
        requests.run((client) => client.transaction(work, request.signal), request),
      );
    },
    inspect: (read) => connections.inspect(read),
    listen: (channel, onMessage, onDoubt) => connections.listen(channel, onMessage, onDoubt),
    close: () => connections.end(),
  };
}

/** The caller with its signal at this moment; null: it is a job. */
function requestOf(caller?: Caller): Caller & { readonly signal: Signal } | null {
  const signal = caller?.signal;
  if (!signal) return null;
  return { signal, client: caller.client };
}

/** A job's transaction has no time limit once it has begun: it ends with its connection. */
async function begin<Result>(
  connections: PostgresConnections,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const hasBegun = Promise.withResolvers<void>();
  let isGivenUp = false;
  const done = connections.jobs.begin((transaction) => {
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
    await connections.guard(Promise.race([hasBegun.promise, done]));
    return await done;
  } catch (error) {
    isGivenUp = true;
    done.catch(() => {});
    throw explainError(error);
  }
}
