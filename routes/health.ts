import { answerUncached } from "../lib/http/responses/representation.ts";
import type { ImportRun } from "../lib/import/import_runs_sql.ts";
import { inspectLastRuns } from "../lib/import/sources/inspect_imports.ts";
import { VERSION } from "../lib/version.ts";
import type { ActionConfig, ActionHandlers } from "./route.ts";

export const config: ActionConfig = {
  errors: "json",
  summary: "Whether this process is alive, and the result of the last import",
};

/** Liveness: answers whatever the state of the database, and reports the last import. */
export const handler: ActionHandlers = {
  GET: {
    isForOperators: true,
    async answer(_request, _client, { services: { monitor, sources } }) {
      const { database, known } = await inspectLastRuns(monitor, sources);
      const last = known?.last ?? null;
      return answerUncached({
        status: "ok",
        version: VERSION,
        database,
        last_import: last && withoutSource(last),
        ...sources.current.length > 1 && {
          sources: sources.current.map(({ name }) => {
            const run = known?.bySource.get(name);
            return { name, last_import: run ? withoutSource(run) : null };
          }),
        },
      });
    },
  },
};

/** The address of the source may be private, and what its server says is for operators. */
function withoutSource(
  {
    source: _source,
    source_name: _,
    repaired: _repaired,
    left_out: _left,
    notes: _notes,
    error,
    public_error,
    ...run
  }: ImportRun,
) {
  return { ...run, error: error && (public_error ?? "the import failed") };
}
