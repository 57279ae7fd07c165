import postgres from "postgres";
import type { Connection } from "../lib/database/database.ts";
import { runScript, runStatement } from "../lib/database/postgres/postgres_statement.ts";

/** A connection to a PostgreSQL that waits for however long a busy one takes. */
export function openPlainConnection(url: string): Connection & AsyncDisposable {
  const client = postgres(url, { max: 2, onnotice: () => {}, connection: { DateStyle: "ISO" } });
  return {
    query: (statement) => runStatement(client, statement).rows as Promise<never[]>,
    script: async (text) => void await runScript(client, text).rows,
    [Symbol.asyncDispose]: () => client.end(),
  };
}
