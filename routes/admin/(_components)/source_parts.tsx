import { readSourceJson, type SourceDraft } from "../../../lib/admin/sources/read_source.ts";
import { chooseMapping } from "../../../lib/admin/uploads/choose_mapping.ts";
import { draftEntry } from "../../../lib/admin/uploads/read_upload.ts";
import { findUpload } from "../../../lib/admin/uploads/uploads.ts";
import {
  deleteUpload,
  saveOptions,
  type Upload,
  type UploadOptions,
} from "../../../lib/admin/uploads/uploads_sql.ts";
import { SOURCE_KINDS, type SourceKind } from "../../../lib/config/source_kinds.ts";
import { raiseDataVersion } from "../../../lib/database/data_version.ts";
import { makeDue } from "../../../lib/database/leases.ts";
import { FieldError } from "../../../lib/expected_error.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import { acceptRemovals } from "../../../lib/import/removals_sql.ts";
import {
  removeListed,
  SourceConflict,
  SourceRemovalError,
} from "../../../lib/import/remove_source.ts";
import { originsOf, type WrittenEntry } from "../../../lib/import/sources/configured_source.ts";
import { MAX, type SourceEntry } from "../../../lib/import/sources/source_config.ts";
import { readSourceStates, scheduleOf } from "../../../lib/import/sources/source_states_sql.ts";
import { pauseSource, storeSource } from "../../../lib/import/sources/stored_sources_sql.ts";
import type { Services } from "../../../lib/service/services.ts";
import { countOf } from "../../../lib/text/phrases.ts";
import { UUID } from "../../../lib/text/values.ts";
import type { AdminPage } from "../../../lib/ui/admin/admin_page.tsx";
import type { Refused } from "../../../lib/ui/admin/form.tsx";
import { sourcePath } from "../../../lib/ui/admin/parts.tsx";
import { SourceFields } from "../../../lib/ui/admin/source_form.tsx";
import { isDeepStrictEqual } from "node:util";
import { today } from "../../route.ts";
import type { Visit } from "./operator.tsx";

/** The form to add a source, or to change one that is being added. */
export function buildForm(path: string, given: Refused, upload?: Upload): AdminPage {
  return {
    title: upload ? `Change ${upload.options.sourceName}` : "Add a source",
    place: "/sources",
    children: (
      <form method="post">
        {!upload && (
          <p>
            You can check the result before anything is imported. To import a file, use{" "}
            <a href={`${path}/admin/uploads`}>Upload</a>.
          </p>
        )}
        <SourceFields entry={upload?.options.entry ?? {}} given={given} isNew={!upload} />
        <p>
          <button type="submit" name="do" value={upload ? "source" : "add"}>
            {upload ? "Check again" : "Read and check"}
          </button>
        </p>
      </form>
    ),
  };
}

/**
 * Takes a source that is being added as JSON, as a file of ROADMAP_CONFIG has it.
 *
 * @throws {FieldError} that says what is wrong
 */
export async function saveJson(
  upload: Upload,
  written: WrittenEntry,
  visit: Visit,
): Promise<void> {
  const { name: _, ...entry } = written;
  const draft = readSourceJson(entry, beforeOf(upload));
  if (draft.mistakes.length > 0) {
    const mistakes = draft.mistakes.map(({ path, reason }) => `${path}: ${reason}`);
    throw new FieldError({ fields: `This source cannot be used: ${mistakes.join("; ")}` });
  }
  await saveDraft(upload, draft, visit);
}

/** Stores the changes of a source that is being added. */
export async function saveDraft(
  upload: Upload,
  draft: SourceDraft,
  visit: Visit,
): Promise<void> {
  const { services } = visit.context;
  const { databaseForJobs: database } = services;
  const { version, partial, allowMassRemoval } = upload.options;
  await saveOptions(database, upload.upload_id, {
    ...optionsOfEntry(draft.entry),
    sourceName: draft.name,
    secrets: draft.secrets,
    version,
    partial,
    allowMassRemoval,
  });
  await noteReading(draft, visit);
}

/** Notes that an operator has a server asked: the page of a draft reads it. */
export async function noteReading(
  { name, entry }: Pick<SourceDraft, "name" | "entry">,
  { note }: Visit,
): Promise<void> {
  const { from, announcements, auth } = entry as SourceEntry;
  const origins = originsOf({ name, from, auth });
  const asked = [...origins, ...announcements === undefined ? [] : [announcements]]
    .map((address) => URL.parse(address.replace(/^jira:/, ""))?.host || address);
  await note("read and checked a source", `${name}: ${[...new Set(asked)].join(", ")}`);
}

/** A source that is being added, as it is stored. @throws {Problem} 409 if it is a file */
export function beforeOf({ options }: Upload) {
  if (options.entry === undefined) throw new Problem(409, "This is a file, not a source");
  return {
    name: options.sourceName,
    entry: draftEntry(options),
    secrets: options.secrets ?? {},
  };
}

/** What the page of an upload chooses is stored with its choices. */
export function optionsOfEntry({ fields = {}, sheet, kind, ...entry }: WrittenEntry) {
  return {
    fields: fields as WrittenEntry,
    ...sheet !== undefined && { sheet: sheet as string },
    ...kind !== undefined && { kind: kind as SourceKind },
    entry,
  };
}

/** What is wrong with the name of a new source, if anything is. */
export function findTaken(name: string, { sources }: Services): { name?: string } {
  const { configured, stored } = sources.find(name);
  if (configured) return { name: `${configured.setIn} has a source of this name` };
  if (stored) return { name: "There is a source of this name: change that one, or choose another" };
  const count = sources.listed.filter(({ setIn }) => setIn === "page").length;
  return count < MAX.sources ? {} : { name: `There can be at most ${MAX.sources} sources` };
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

/**
 * The upload of an address or a form.
 *
 * @throws {Problem} 404 if it has gone
 */
export async function requireUpload(
  id: string | null,
  { databaseForJobs: database, clock }: Services,
): Promise<Upload> {
  const upload = id !== null && UUID.test(id) ? await findUpload(database, id, clock()) : null;
  if (upload) return upload;
  throw new Problem(404, "This page has expired. Upload the file or add the source again.");
}

/** Stores what the form of an upload chooses; returns whether that is something else than before. */
export async function saveChoices(
  { upload_id: id, options }: Upload,
  form: URLSearchParams,
  { databaseForJobs: database }: Services,
): Promise<boolean> {
  const sheet = form.has("sheet") ? form.get("sheet")!.trim() : options.sheet;
  const kind = form.has("kind")
    ? SOURCE_KINDS.find((kind) => kind === form.get("kind"))
    : options.kind;
  const { sheet: _sheet, kind: _kind, ...others } = options;
  const chosen: UploadOptions = {
    ...others,
    fields: chooseMapping(options.fields, form),
    ...sheet && { sheet },
    ...kind && { kind },
    partial: form.get("missing") === "stay",
    allowMassRemoval: form.get("allow") === "yes",
  };
  const before = { partial: false, allowMassRemoval: false, ...options };
  if (isDeepStrictEqual(chosen, before)) return false;
  await saveOptions(database, id, chosen);
  return true;
}

/** The next scheduled import would undo what was uploaded. */
export function refuseScheduled(name: string, { sources }: Pick<Services, "sources">): void {
  if (sources.find(name).counted === null) return;
  throw new Problem(409, `The source "${name}" is imported on a schedule: choose another name`);
}
