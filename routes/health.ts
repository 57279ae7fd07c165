import { type ImportRun, readRuns } from "../lib/import/import_runs_sql.ts";
import type { Database } from "../lib/database/database.ts";
import type { ActionHandler } from "./route.ts";

/** Live: this process answers, whatever becomes of the database; and what the last import did. */
export const health: ActionHandler = {
  isForOperators: true,
  async answer(_request, _client, { services: { database } }) {
    return answerPlainly({ status: "ok", ...await readState(database) });
  },
};

async function readState(database: Database) {
  try {
    const [last] = await readRuns(database, 1);
    return { database: "ok", last_import: last ? withoutSource(last) : null };
  } catch {
    return { database: "away", last_import: null };
  }
}

/** Where the roadmap comes from is nothing that everybody has to know. */
function withoutSource({ source, error, ...run }: ImportRun) {
  return { ...run, error: error && error.replaceAll(source, "the source") };
}

/** JSON that no cache keeps. */
export function answerPlainly(value: unknown, status = 200): Response {
  return Response.json(value, { status, headers: { "Cache-Control": "no-store" } });
}
