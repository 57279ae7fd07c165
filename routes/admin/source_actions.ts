import { draftEntry } from "../../lib/admin/uploads/read_upload.ts";
import { deleteUpload, readMapping, type Upload } from "../../lib/admin/uploads/uploads_sql.ts";
import { raiseDataVersion } from "../../lib/database/data_version.ts";
import { makeDue } from "../../lib/database/leases.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import { readRunsOf } from "../../lib/import/import_runs_sql.ts";
import { acceptRemovals, readRefusal } from "../../lib/import/removals_sql.ts";
import { removeSource, SourceBusyNow, SourceRemovalError } from "../../lib/import/remove_source.ts";
import {
  type ConfiguredSource,
  withoutSecretsIn,
} from "../../lib/import/schedule/configured_source.ts";
import { readSourceStates, scheduleOf } from "../../lib/import/schedule/source_states_sql.ts";
import {
  deleteSource,
  pauseSource,
  storeSource,
} from "../../lib/import/schedule/stored_sources_sql.ts";
import type { Services } from "../../lib/service/services.ts";
import { countOf } from "../../lib/text/phrases.ts";
import { today } from "../route.ts";
import { findTaken } from "./add_source.tsx";
import { answerJson } from "./answer_json.ts";
import { type Next, type Notice, operatorAction, operatorRoute, type Visit } from "./operator.tsx";

/** Has a source imported now, unless another operator did. */
export const postedImportNow = operatorAction(async (form, { context: { services }, note }) => {
  const name = requireSource(form, services).name;
  const done = await startImport(name, services);
  if (done === "started") await note("started an import", name);
  return pageOf(name, done);
});

/** Accepts once what the last import was refused for. */
export const postedAcceptance = operatorAction(async (form, { context: { services }, note }) => {
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

/** Has a source imported by whichever process is first; says what another operator did before. */
async function startImport(
  name: string,
  { databaseForJobs: database, config, jobs }: Services,
): Promise<"started" | "running" | "due"> {
  const before = (await readSourceStates(database, [name])).find((state) => state.name === name);
  if (before?.import === "due") return "due";
  const { isTaken } = await makeDue(database, scheduleOf(name));
  if (isTaken) return "running";
  if (config.BACKGROUND_JOBS) jobs.trigger("imports");
  else await jobs.runDue();
  return "started";
}

/** The mapping with which the files of a source are read, as `--fields` takes it. */
export const sourceFields = operatorRoute(async ({ request, query, context: { services } }) => {
  const name = query.get("name") ?? "";
  const mapping = await readMapping(services.database, name);
  if (mapping === null) throw new Problem(404, `No mapping is stored for the source "${name}"`);
  return answerJson(request, mapping.fields, "fields.json");
});

/**
 * Adds the source that was checked, or changes it: from now on it is imported on its schedule.
 *
 * @throws {Problem} 409 where the name was taken meanwhile
 */
export async function addSource(
  upload: Upload,
  { context: { services }, note }: Visit,
): Promise<Next> {
  const { databaseForJobs: database, clock } = services;
  const { options, upload_id: id } = upload;
  const { sourceName: name, secretsId = null, allowMassRemoval, isChange } = options;
  await services.sources.readStored(database);
  const taken = findTaken(name, services).name;
  if (!isChange && taken !== undefined) throw new Problem(409, taken);
  const states = allowMassRemoval ? await readSourceStates(database, []) : [];
  const state = states.find((state) => state.name === name);
  await database.transaction(async (connection) => {
    await storeSource(connection, { name, entry: draftEntry(options), secretsId, now: clock() });
    await makeDue(connection, scheduleOf(name));
    if (state) await acceptRemovals(connection, scheduleOf(name), state.active);
    await deleteUpload(connection, id);
    await raiseDataVersion(connection);
  });
  await note(isChange ? "changed a source" : "added a source", name);
  await followSources(services);
  return pageOf(name, isChange ? "source-changed" : "source-added");
}

/** Pauses a source that was added here. */
export const postedPause = operatorAction((form, visit) => pause(form, visit, true));

/** Resumes a source that was paused: it is imported at once. */
export const postedResumption = operatorAction((form, visit) => pause(form, visit, false));

async function pause(
  form: URLSearchParams,
  { context: { services }, note }: Visit,
  isPaused: boolean,
): Promise<Next> {
  const { databaseForJobs: database } = services;
  const name = form.get("name") ?? "";
  const isStored = await database.transaction(async (connection) => {
    const isStored = await pauseSource(connection, name, isPaused);
    if (isStored && !isPaused) await makeDue(connection, scheduleOf(name));
    await raiseDataVersion(connection);
    return isStored;
  });
  if (!isStored) throw new Problem(404, `No source "${name}" was added here`);
  await note(isPaused ? "paused a source" : "resumed a source", name);
  await followSources(services);
  return pageOf(name, isPaused ? "source-paused" : "source-resumed");
}

/** Has this process follow what was just stored; the others are notified. */
async function followSources(services: Services): Promise<void> {
  const { sources, databaseForJobs: database, jobs, config } = services;
  await sources.readStored(database);
  await jobs.restart();
  if (config.BACKGROUND_JOBS) jobs.trigger("imports");
}

/** Every source as a file that ROADMAP_CONFIG takes, without secrets. */
export const sourcesFile = operatorRoute(({ request, context: { services } }) => {
  const listed = services.sources.listed.filter(({ isShadowed }) => !isShadowed);
  const sources = listed.map(({ entry }) => withoutSecretsIn(entry));
  return Promise.resolve(answerJson(request, { sources }, "roadmap.json"));
});

/** Removes the items of a source that is not of the configuration, and the source. */
export const postedSourceRemoval = operatorAction(async (form, { context: { services }, note }) => {
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

function requireSource(
  form: URLSearchParams,
  { sources }: Pick<Services, "sources">,
): ConfiguredSource {
  const name = form.get("name") ?? "";
  const source = sources.current.find((source) => source.name === name);
  if (source) return source;
  throw new Problem(404, `The source "${name}" is not scheduled`);
}

function pageOf(name: string, notice: Notice): Next {
  return { page: `/admin/source?${new URLSearchParams({ name })}`, notice };
}
