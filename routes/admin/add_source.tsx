import {
  readSourceForm,
  readSourceJson,
  type SourceDraft,
} from "../../lib/admin/sources/source_form.ts";
import { beginDraft } from "../../lib/admin/uploads/uploads.ts";
import { draftEntry } from "../../lib/admin/uploads/read_upload.ts";
import { saveOptions, type Upload } from "../../lib/admin/uploads/uploads_sql.ts";
import type { SourceKind } from "../../lib/config/settings.ts";
import type { Connection } from "../../lib/database/database.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import type { WrittenEntry } from "../../lib/import/schedule/configured_source.ts";
import { MAX } from "../../lib/import/schedule/source_config.ts";
import { listVariables } from "../../lib/import/schedule/source_secrets.ts";
import {
  listStoredSources,
  readSecrets,
  storeSecrets,
} from "../../lib/import/schedule/stored_sources_sql.ts";
import type { Services } from "../../lib/service/services.ts";
import type { AdminPage } from "../../lib/ui/admin/admin_page.tsx";
import { SourceFields } from "../../lib/ui/admin/source_form.tsx";
import {
  goTo,
  operatorAction,
  operatorPage,
  operatorRoute,
  readFormFields,
  showPage,
} from "./operator.tsx";
import { requireUpload } from "./require_upload.ts";

/** The form to add a source. */
export const addSourcePage = operatorPage(({ query, context: { site } }) =>
  Promise.resolve(buildForm(site.path, { given: query }))
);

/** Begins to add a source: its page shows how it is read, and what an import would do. */
export const postedSource = operatorRoute(async (visit) => {
  const { request, context } = visit;
  const { services, site: { path } } = context;
  const form = await readFormFields(request);
  const draft = readSourceForm(form, around("", services));
  const errors = { ...draft.errors, ...findTaken(draft.name, services) };
  if (Object.keys(errors).length > 0) {
    return await showPage(visit, { ...buildForm(path, { given: form, errors }), status: 422 });
  }
  const { databaseForJobs: database } = services;
  const secretsId = await keepSecrets(database, draft, services);
  const options = { sourceName: draft.name, fields: {}, entry: draft.entry, secretsId };
  const id = await beginDraft(database, options, services.clock());
  return goTo(`/admin/upload?id=${id}`, context);
});

/** Begins to change a source that was added before. */
export const postedSourceChange = operatorAction(async (form, { context: { services } }) => {
  const name = form.get("name") ?? "";
  const { databaseForJobs: database } = services;
  const stored = (await listStoredSources(database)).find((source) => source.name === name);
  if (stored === undefined) {
    throw new Problem(404, `No source "${name}" was added here, so it cannot be changed here`);
  }
  const id = await beginDraft(database, {
    ...optionsOfEntry(stored.entry),
    sourceName: name,
    ...stored.secrets_id !== null && { secretsId: stored.secrets_id },
    isChange: true,
  }, services.clock());
  return `/admin/upload?id=${id}`;
});

/** Changes the address of a source that is being added, how often it is read, or its sign-in. */
export const postedDraft = operatorRoute(async (visit) => {
  const { request, context } = visit;
  const { services, site: { path } } = context;
  const form = await readFormFields(request);
  const upload = await requireUpload(form.get("id"), services);
  const before = await beforeOf(upload, services);
  const draft = readSourceForm(form, { ...around(before.name, services), before });
  if (Object.keys(draft.errors).length > 0) {
    const given = { given: form, errors: draft.errors, upload };
    return await showPage(visit, { ...buildForm(path, given), status: 422 });
  }
  const isElsewhere = draft.entry.from !== before.entry.from;
  await saveDraft(upload, isElsewhere ? dropKind(draft) : draft, services);
  return goTo(`/admin/upload?id=${upload.upload_id}`, context);
});

/** Of another address the kind is found anew. */
function dropKind(draft: SourceDraft): SourceDraft {
  const { kind: _, ...entry } = draft.entry;
  return { ...draft, entry };
}

/**
 * Takes a source that is being added as JSON, as a file of ROADMAP_CONFIG has it.
 *
 * @throws {Problem} 422 that says what is wrong
 */
export async function saveJson(
  upload: Upload,
  written: WrittenEntry,
  services: Services,
): Promise<void> {
  const before = await beforeOf(upload, services);
  const { name: _, ...entry } = written;
  const draft = readSourceJson(entry, { ...around(before.name, services), before });
  const mistakes = Object.entries(draft.errors).map(([field, reason]) => `${field}: ${reason}`);
  if (mistakes.length > 0) {
    throw new Problem(422, `This source cannot be used: ${mistakes.join("; ")}`);
  }
  await saveDraft(upload, draft, services);
}

async function saveDraft(upload: Upload, draft: SourceDraft, services: Services): Promise<void> {
  const { databaseForJobs: database } = services;
  const { isChange, partial, allowMassRemoval } = upload.options;
  await saveOptions(database, upload.upload_id, {
    ...optionsOfEntry(draft.entry),
    sourceName: draft.name,
    secretsId: await keepSecrets(database, draft, services),
    isChange,
    partial,
    allowMassRemoval,
  });
}

async function beforeOf({ options }: Upload, { databaseForJobs: database }: Services) {
  if (options.entry === undefined) throw new Problem(409, "This is a file, not a source");
  return {
    name: options.sourceName,
    entry: draftEntry(options),
    secrets: await readSecrets(database, options.secretsId),
  };
}

/** What the page of an upload chooses is stored with its choices. */
function optionsOfEntry({ fields = {}, sheet, kind, ...entry }: WrittenEntry) {
  return {
    fields: fields as WrittenEntry,
    ...sheet !== undefined && { sheet: sheet as string },
    ...kind !== undefined && { kind: kind as SourceKind },
    entry,
  };
}

async function keepSecrets(
  database: Connection,
  { secrets }: SourceDraft,
  { clock }: Services,
): Promise<string | undefined> {
  if (Object.keys(secrets.values).length === 0) return undefined;
  const id = crypto.randomUUID();
  await storeSecrets(database, { id, secrets, now: clock() });
  return id;
}

/** What else is known when a source is read from its form. */
function around(name: string, { sources, config }: Services) {
  const others = sources.listed.filter(({ source }) => source.name !== name);
  return {
    taken: new Set(others.flatMap(({ source }) => listVariables(source))),
    gitlabUrl: config.gitlab.url,
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

function buildForm(
  path: string,
  { given, errors = {}, upload }: {
    given: URLSearchParams;
    errors?: Readonly<Record<string, string>>;
    upload?: Upload;
  },
): AdminPage {
  const action = upload ? "/admin/upload/source" : "/admin/source/add";
  return {
    title: upload ? `Change ${upload.options.sourceName}` : "Add a source",
    place: "/sources",
    children: (
      <form method="post" action={path + action}>
        {upload ? <input type="hidden" name="id" value={upload.upload_id} /> : (
          <p>
            You can check the result before anything is imported. To import a file, use{" "}
            <a href={`${path}/admin/uploads`}>Upload</a>.
          </p>
        )}
        <SourceFields
          entry={upload?.options.entry ?? {}}
          given={given}
          errors={errors}
          isNew={!upload}
        />
        <p>
          <button type="submit">{upload ? "Check again" : "Read and check"}</button>
        </p>
      </form>
    ),
  };
}
