import { chooseMapping } from "../../../lib/admin/uploads/choose_mapping.ts";
import { findUpload } from "../../../lib/admin/uploads/uploads.ts";
import {
  saveOptions,
  type Upload,
  type UploadOptions,
} from "../../../lib/admin/uploads/uploads_sql.ts";
import { SOURCE_KINDS } from "../../../lib/config/source_kinds.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import type { Services } from "../../../lib/service/services.ts";
import { UUID } from "../../../lib/text/values.ts";
import { isDeepStrictEqual } from "node:util";

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
