import { operatorAction } from "../(_components)/operator.tsx";
import { followSources, pageOf } from "../(_components)/source_actions.ts";
import { raiseDataVersion } from "../../../lib/database/data_version.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import {
  removeSource,
  SourceBusyNow,
  SourceRemovalError,
} from "../../../lib/import/remove_source.ts";
import { deleteSource } from "../../../lib/import/sources/stored_sources_sql.ts";
import { countOf } from "../../../lib/text/phrases.ts";
import { type ActionConfig, type ActionHandlers, today } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "Removes the items of a source, and the source if it was added",
};

/** Removes the items of a source that is not of the configuration, and the source. */
const POST = operatorAction(async (form, { context: { services }, note }) => {
  const name = form.get("name") ?? "";
  const { databaseForJobs: database, sources } = services;
  await sources.readStored(database);
  const { configured, stored } = sources.find(name);
  if (configured && stored) {
    // Its items are those of the configuration.
    await deleteSource(database, name);
    await raiseDataVersion(database);
    await note("removed a source", `${name}, which ${configured.setIn} has as well`);
    await followSources(services);
    return pageOf(name, "stored-source-removed");
  }
  if (configured) {
    throw new Problem(
      409,
      `The source "${name}" is imported on a schedule: remove it from ${configured.setIn} first`,
    );
  }
  try {
    const removed = await removeSource(database, name, today(services));
    await note("removed a source", `${name}, ${countOf(removed, "item")}`);
  } catch (error) {
    if (error instanceof SourceBusyNow) throw new Problem(409, error.message);
    if (error instanceof SourceRemovalError) throw new Problem(404, error.message);
    throw error;
  }
  await followSources(services);
  return { page: "/admin/sources", notice: "source-removed" };
});

export const handler: ActionHandlers = { POST };
