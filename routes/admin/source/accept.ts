import { operatorAction } from "../(_components)/operator.tsx";
import { pageOf, requireSource, startImport } from "../(_components)/source_actions.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import { readRunsOf } from "../../../lib/import/import_runs_sql.ts";
import { acceptRemovals, readRefusal } from "../../../lib/import/removals_sql.ts";
import { scheduleOf } from "../../../lib/import/sources/source_states_sql.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "Accepts once what the last import was refused for",
};

/** Accepts once what the last import was refused for. */
const POST = operatorAction(async (form, { context: { services }, note }) => {
  const { databaseForJobs: database } = services;
  const { name } = requireSource(form, services);
  const [last] = await readRunsOf(database, { sourceName: name, limit: 1 });
  const removals = last ? await readRefusal(database, last.run_id) : null;
  if (!last || removals === null || String(last.run_id) !== form.get("run_id")) {
    throw new Problem(409, "There has been another import: check first what it would remove");
  }
  await acceptRemovals(database, scheduleOf(name), removals.total);
  await note("accepted once that an import removes items", `${removals.total} of ${name}`);
  const done = await startImport(name, services);
  return pageOf(name, done === "started" ? "accepted" : done);
});

export const handler: ActionHandlers = { POST };
