import { draftEntry } from "../../../lib/admin/uploads/read_upload.ts";
import { deleteUpload, type Upload } from "../../../lib/admin/uploads/uploads_sql.ts";
import { raiseDataVersion } from "../../../lib/database/data_version.ts";
import { makeDue } from "../../../lib/database/leases.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import {
  removeListed,
  SourceConflict,
  SourceRemovalError,
} from "../../../lib/import/remove_source.ts";
import { acceptRemovals } from "../../../lib/import/removals_sql.ts";
import { readSourceStates, scheduleOf } from "../../../lib/import/sources/source_states_sql.ts";
import { pauseSource, storeSource } from "../../../lib/import/sources/stored_sources_sql.ts";
import type { Services } from "../../../lib/service/services.ts";
import { sourcePath } from "../../../lib/ui/admin/parts.tsx";
import { countOf } from "../../../lib/text/phrases.ts";
import { today } from "../../route.ts";
import type { Visit } from "./operator.tsx";
import { findTaken } from "./source_draft.tsx";

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
): Promise<{ to: string; said: "added" | "changed" }> {
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
  return { to: sourcePath("", name), said: isChange ? "changed" : "added" };
}

/** @throws {Problem} 404 where a source is not imported on a schedule */
export function requireScheduled(name: string, { sources }: Pick<Services, "sources">): void {
  if (sources.current.some((source) => source.name === name)) return;
  throw new Problem(404, `The source "${name}" is not scheduled`);
}

/** Pauses a source that was added here, or resumes it: then it is imported at once. */
export async function pause(
  name: string,
  { context: { services }, note }: Visit,
  isPaused: boolean,
): Promise<void> {
  const isStored = await services.databaseForJobs.transaction(async (connection) => {
    const isStored = await pauseSource(connection, name, isPaused);
    if (isStored && !isPaused) await makeDue(connection, scheduleOf(name));
    await raiseDataVersion(connection);
    return isStored;
  });
  if (!isStored) throw new Problem(404, `No source "${name}" was added here`);
  await note(isPaused ? "paused a source" : "resumed a source", name);
  await followSources(services);
}

/** Removes the items of a source that is not of the configuration, and the source. */
export async function remove(name: string, { context: { services }, note }: Visit) {
  const { databaseForJobs: database, sources } = services;
  await sources.readStored(database);
  const { configured, stored } = sources.find(name);
  let removed: number | null;
  try {
    removed = await removeListed(database, name, { configured, stored, asOf: today(services) });
  } catch (error) {
    if (!(error instanceof SourceRemovalError)) throw error;
    throw new Problem(error instanceof SourceConflict ? 409 : 404, error.message);
  }
  await note(
    "removed a source",
    `${name}, ${
      removed === null ? `which ${configured!.setIn} has as well` : countOf(removed, "item")
    }`,
  );
  await followSources(services);
  return removed === null ? { said: "stored" } : { to: "/admin/sources", said: "all" };
}

/** Has this process follow what was just stored; the others are notified. */
async function followSources(services: Services): Promise<void> {
  const { sources, databaseForJobs: database, jobs, config } = services;
  await sources.readStored(database);
  await jobs.restart();
  if (config.BACKGROUND_JOBS) jobs.trigger("imports");
}
