import { readSourceJson, type SourceDraft } from "../../../lib/admin/sources/read_source.ts";
import { draftEntry } from "../../../lib/admin/uploads/read_upload.ts";
import { saveOptions, type Upload } from "../../../lib/admin/uploads/uploads_sql.ts";
import type { SourceKind } from "../../../lib/config/source_kinds.ts";
import { FieldError } from "../../../lib/expected_error.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import { originsOf, type WrittenEntry } from "../../../lib/import/sources/configured_source.ts";
import { MAX, type SourceEntry } from "../../../lib/import/sources/source_config.ts";
import type { Services } from "../../../lib/service/services.ts";
import type { AdminPage } from "../../../lib/ui/admin/admin_page.tsx";
import type { Refused } from "../../../lib/ui/admin/form.tsx";
import { SourceFields } from "../../../lib/ui/admin/source_form.tsx";
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
