import { answerUncached } from "../lib/http/answer_uncached.ts";
import type { ImportRun } from "../lib/import/import_runs_sql.ts";
import { inspectLastRun } from "../lib/import/inspect_imports.ts";
import type { ActionHandler } from "./route.ts";

/** Live: this process answers, whatever becomes of the database; and what the last import did. */
export const health: ActionHandler = {
  isForOperators: true,
  async answer(_request, _client, { services: { monitor } }) {
    const { database, known: last } = await inspectLastRun(monitor);
    return answerUncached({ status: "ok", database, last_import: last && withoutSource(last) });
  },
};

/** Where the roadmap comes from is nothing that everybody has to know. */
function withoutSource({ source, error, ...run }: ImportRun) {
  return { ...run, error: error && error.replaceAll(source, "the source") };
}
