import { operatorAction } from "../(_components)/operator.tsx";
import { noteReading, optionsOfEntry } from "../(_components)/source_draft.tsx";
import { beginDraft } from "../../../lib/admin/uploads/uploads.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import { listStoredSources } from "../../../lib/import/sources/stored_sources_sql.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "Begins to change a source that was added",
};

/** Begins to change a source that was added before. */
const POST = operatorAction(async (form, visit) => {
  const { services } = visit.context;
  const name = form.get("name") ?? "";
  const { databaseForJobs: database } = services;
  const stored = (await listStoredSources(database)).find((source) => source.name === name);
  if (stored === undefined) {
    throw new Problem(404, `No source "${name}" was added here, so it cannot be changed here`);
  }
  const id = await beginDraft(database, {
    ...optionsOfEntry(stored.entry),
    sourceName: name,
    secrets: stored.secrets,
    version: stored.version,
  }, services.clock());
  await noteReading(stored, visit);
  return `/admin/upload?id=${id}`;
});

export const handler: ActionHandlers = { POST };
