import { MAX_FORM_BYTES, requireUpload } from "../(_components)/chosen_upload.ts";
import { operatorAction } from "../(_components)/operator.tsx";
import { deleteUpload } from "../../../lib/admin/uploads/uploads_sql.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = { errors: "page", summary: "Deletes an uploaded file" };

/** Deletes an upload. */
const POST = operatorAction(
  async (form, { context: { services }, note }) => {
    const upload = await requireUpload(form.get("id"), services);
    await deleteUpload(services.databaseForJobs, upload.upload_id);
    if (upload.options.entry) return "/admin/sources";
    await note("deleted an upload", upload.file_name);
    return { page: "/admin/uploads", notice: "deleted" };
  },
  { maxBytes: MAX_FORM_BYTES },
);

export const handler: ActionHandlers = { POST };
