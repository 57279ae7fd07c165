import postgres from "postgres";
import type { Caller, Signal } from "../../work/cancellation.ts";
import type { Database } from "../database.ts";
import { PostgresConnections, type Target } from "./postgres_connections.ts";
import { databaseAway } from "./postgres_errors.ts";
import { acceptedOptions, type MakeClient } from "./postgres_options.ts";

/** The connections of a process; those of jobs are made when they are needed. */
const CONNECTIONS = { requests: 8, jobs: 10 };

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

/** The database that a client of postgres.js leads to. */
export function databaseOn(target: Target): Database & Pick<PostgresConnections, "listenAgain"> {
  const connections = new PostgresConnections(target);
  const poolFor = (caller: Caller | null) => caller ? connections.requests : connections.jobs;
  return {
    kind: target.kind,
    query(statement, caller) {
      const request = requestOf(caller);
      const work = poolFor(request).run(
        (client) => client.query(statement, request?.signal),
        request ?? undefined,
      );
      return connections.guard(work) as Promise<never>;
    },
    async script(text) {
      await connections.guard(connections.jobs.run((client) => client.script(text)));
    },
    transaction(work, caller) {
      const request = requestOf(caller);
      if (!request) return connections.begin(work);
      return connections.guard(
        connections.requests.run((client) => client.transaction(work, request.signal), request),
      );
    },
    inspect: (read) => connections.inspect(read),
    listen: (channel, onMessage, onDoubt) => connections.listen(channel, onMessage, onDoubt),
    listenAgain: () => connections.listenAgain(),
    close: () => connections.end(),
  };
}

/** The caller with its signal at this moment; null: it is a job. */
function requestOf(caller?: Caller): Caller & { readonly signal: Signal } | null {
  const signal = caller?.signal;
  if (!signal) return null;
  return { signal, client: caller.client };
}
