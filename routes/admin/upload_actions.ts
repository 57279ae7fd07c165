import { isDeepStrictEqual } from "node:util";
import { checkMapping, chooseMapping } from "../../lib/admin/uploads/choose_mapping.ts";
import { draftEntry, optionsOf } from "../../lib/admin/uploads/read_upload.ts";
import { locationOf, storeUpload } from "../../lib/admin/uploads/uploads.ts";
import {
  deleteUpload,
  keepMapping,
  saveOptions,
  type Upload,
  type UploadOptions,
} from "../../lib/admin/uploads/uploads_sql.ts";
import { MB } from "../../lib/config/config.ts";
import { SOURCE_KINDS } from "../../lib/config/settings.ts";
import { notifyImmediately } from "../../lib/delivery/notify_immediately.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { SnapshotError } from "../../lib/import/snapshot_error.ts";
import type { Services } from "../../lib/service/services.ts";
import { today } from "../route.ts";
import { answerJson } from "./answer_json.ts";
import { saveJson } from "./add_source.tsx";
import { requireUpload } from "./require_upload.ts";
import { addSource } from "./source_actions.ts";
import { goTo, operatorAction, operatorRoute } from "./operator.tsx";

/** A form with a thousand columns. */
const MAX_FORM_BYTES = 1024 * 1024;

/** Stores a file until it is checked and imported. */
export const postedUpload = operatorRoute(async ({ request, context, note }) => {
  const { databaseForJobs: database, config, clock } = context.services;
  const upload = await storeUpload(request, {
    database,
    maxBytes: config.ROADMAP_MAX_MB * MB,
    now: clock(),
    checkName: (name) => refuseScheduled(name, context.services),
  });
  await note("uploaded a file", `${upload.file_name} for ${upload.options.sourceName}`);
  return goTo(`/admin/upload?id=${upload.upload_id}`, context);
});

/** The next scheduled import would undo what was uploaded. */
function refuseScheduled(name: string, { sources }: Pick<Services, "sources">): void {
  if (!sources.listed.some(({ source }) => source.name === name)) return;
  throw new Problem(409, `The source "${name}" is imported on a schedule: choose another name`);
}

/** Changes what the columns mean. */
export const postedMapping = operatorAction(async (form, { context: { services } }) => {
  const upload = await requireUpload(form.get("id"), services);
  await saveChoices(upload, form, services);
  return `/admin/upload?id=${upload.upload_id}`;
}, { maxBytes: MAX_FORM_BYTES });

/** Stores what the form of an upload chooses; returns whether that is something else than before. */
async function saveChoices(
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

/** Takes a mapping as JSON, or a whole source. */
export const postedFields = operatorAction(async (form, { context: { services } }) => {
  const upload = await requireUpload(form.get("id"), services);
  const { upload_id: id, options } = upload;
  const written = parseJson(form.get("fields") ?? "");
  if (options.entry) {
    await saveJson(upload, Object(written), services);
    return `/admin/upload?id=${id}`;
  }
  const fields = checkMapping(written);
  await saveOptions(services.databaseForJobs, id, { ...options, fields });
  return `/admin/upload?id=${id}`;
}, { maxBytes: MAX_FORM_BYTES });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem(422, `This mapping is not JSON: ${(error as Error).message}`);
  }
}

/** The mapping of an upload as the file that `--fields` takes. */
export const fieldsFile = operatorRoute(async ({ request, query, context: { services } }) => {
  const { options } = await requireUpload(query.get("id"), services);
  return options.entry
    ? answerJson(request, { name: options.sourceName, ...draftEntry(options) }, "source.json")
    : answerJson(request, options.fields, "fields.json");
});

/** Deletes an upload. */
export const postedUploadDeletion = operatorAction(
  async (form, { context: { services }, note }) => {
    const upload = await requireUpload(form.get("id"), services);
    await deleteUpload(services.databaseForJobs, upload.upload_id);
    if (upload.options.entry) return "/admin/sources";
    await note("deleted an upload", upload.file_name);
    return { page: "/admin/uploads", notice: "deleted" };
  },
  { maxBytes: MAX_FORM_BYTES },
);

/** Imports an upload, whose mapping stays with its source; or adds the source that was checked. */
export const postedUploadImport = operatorAction(async (form, visit) => {
  const { request, context: { services }, note } = visit;
  const { databaseForJobs: database, config, clock } = services;
  const upload = await requireUpload(form.get("id"), services);
  // What was chosen after the page was made is checked first.
  if (form.has("columns") && await saveChoices(upload, form, services)) {
    return { page: `/admin/upload?id=${upload.upload_id}`, notice: "chosen" };
  }
  if (upload.options.entry) return await addSource(upload, visit);
  const { sourceName } = upload.options;
  refuseScheduled(sourceName, services);
  try {
    const reading = { config, database, asOf: today(services), signal: request.signal };
    await importLocation(database, locationOf(upload), {
      ...await optionsOf(upload, reading),
      onChange: notifyImmediately(config, clock),
    });
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    // Its page shows why.
    return `/admin/upload?id=${upload.upload_id}`;
  }
  await keepMapping(database, upload.options);
  await deleteUpload(database, upload.upload_id);
  await note("imported an upload", `${upload.file_name} for ${sourceName}`);
  return {
    page: `/admin/source?${new URLSearchParams({ name: sourceName })}`,
    notice: "imported",
  };
}, { maxBytes: MAX_FORM_BYTES });
