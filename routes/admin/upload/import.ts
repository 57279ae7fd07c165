import {
  MAX_FORM_BYTES,
  refuseScheduled,
  requireUpload,
  saveChoices,
} from "../(_components)/chosen_upload.ts";
import { operatorAction } from "../(_components)/operator.tsx";
import { addSource, pageOf } from "../(_components)/source_actions.ts";
import { optionsOf } from "../../../lib/admin/uploads/read_upload.ts";
import { locationOf } from "../../../lib/admin/uploads/uploads.ts";
import { deleteUpload, keepMapping } from "../../../lib/admin/uploads/uploads_sql.ts";
import { notifyWebhooks } from "../../../lib/delivery/webhooks/queue_webhooks.ts";
import { importLocation } from "../../../lib/import/import_snapshot.ts";
import { SnapshotError } from "../../../lib/import/snapshot_error.ts";
import { type ActionConfig, type ActionHandlers, today } from "../../route.ts";

export const config: ActionConfig = { errors: "page", summary: "Imports an uploaded file" };

/** Imports an upload, whose mapping stays with its source; or adds the source that was checked. */
const POST = operatorAction(async (form, visit) => {
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
      onChange: notifyWebhooks(config, clock),
    });
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    // Its page shows why.
    return `/admin/upload?id=${upload.upload_id}`;
  }
  await keepMapping(database, upload.options);
  await deleteUpload(database, upload.upload_id);
  await note("imported an upload", `${upload.file_name} for ${sourceName}`);
  return pageOf(sourceName, "imported");
}, { maxBytes: MAX_FORM_BYTES });

export const handler: ActionHandlers = { POST };
