import { draftEntry } from "../../../lib/admin/uploads/read_upload.ts";
import { deleteUpload, type Upload } from "../../../lib/admin/uploads/uploads_sql.ts";
import { raiseDataVersion } from "../../../lib/database/data_version.ts";
import { makeDue } from "../../../lib/database/leases.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import { acceptRemovals } from "../../../lib/import/removals_sql.ts";
import type { ConfiguredSource } from "../../../lib/import/sources/configured_source.ts";
import { readSourceStates, scheduleOf } from "../../../lib/import/sources/source_states_sql.ts";
import { pauseSource, storeSource } from "../../../lib/import/sources/stored_sources_sql.ts";
import type { Services } from "../../../lib/service/services.ts";
import type { Next, Notice, Visit } from "./operator.tsx";
import { findTaken } from "./source_draft.tsx";

/** The scheduled source that a form names. @throws {Problem} 404 if there is none */
export function requireSource(
  form: URLSearchParams,
  { sources }: Pick<Services, "sources">,
): ConfiguredSource {
  const name = form.get("name") ?? "";
  const source = sources.current.find((source) => source.name === name);
  if (source) return source;
  throw new Problem(404, `The source "${name}" is not scheduled`);
}

/** Has a source imported by whichever process is first; says what another operator did before. */
export async function startImport(
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

/**
 * Adds the source that was checked, or changes it: from now on it is imported on its schedule.
 *
 * @throws {Problem} 409 where somebody else added, changed or removed it meanwhile
 */
export async function addSource(
  upload: Upload,
  { context: { services }, note }: Visit,
): Promise<Next> {
  const { databaseForJobs: database } = services;
  const { options, upload_id: id } = upload;
  const { sourceName: name, secrets = {}, allowMassRemoval, version = null } = options;
  const isChange = version !== null;
  await services.sources.readStored(database);
  const taken = findTaken(name, services).name;
  if (!isChange && taken !== undefined) throw new Problem(409, taken);
  const states = allowMassRemoval ? await readSourceStates(database, []) : [];
  const state = states.find((state) => state.name === name);
  await database.transaction(async (connection) => {
    const stored = { name, entry: draftEntry(options), secrets, version };
    if (!await storeSource(connection, stored)) {
      throw new Problem(
        409,
        `The source "${name}" was ${isChange ? "changed or removed" : "added"} meanwhile: ` +
          "nothing was saved. Look at it again",
      );
    }
    await makeDue(connection, scheduleOf(name));
    if (state) await acceptRemovals(connection, scheduleOf(name), state.active);
    await deleteUpload(connection, id);
    await raiseDataVersion(connection);
  });
  await note(isChange ? "changed a source" : "added a source", name);
  await followSources(services);
  return pageOf(name, isChange ? "source-changed" : "source-added");
}

/** Pauses a source that was added here, or resumes it: then it is imported at once. */
export async function pause(
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
export async function followSources(services: Services): Promise<void> {
  const { sources, databaseForJobs: database, jobs, config } = services;
  await sources.readStored(database);
  await jobs.restart();
  if (config.BACKGROUND_JOBS) jobs.trigger("imports");
}

/** The page of a source, and what it says first. */
export function pageOf(name: string, notice: Notice): Next {
  return { page: `/admin/source?${new URLSearchParams({ name })}`, notice };
}
