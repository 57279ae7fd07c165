import { MAX_FORM_BYTES, requireUpload, saveChoices } from "../(_components)/chosen_upload.ts";
import { operatorAction } from "../(_components)/operator.tsx";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "Changes what the columns of a file mean",
};

/** Changes what the columns mean. */
const POST = operatorAction(async (form, { context: { services } }) => {
  const upload = await requireUpload(form.get("id"), services);
  await saveChoices(upload, form, services);
  return `/admin/upload?id=${upload.upload_id}`;
}, { maxBytes: MAX_FORM_BYTES });

export const handler: ActionHandlers = { POST };
