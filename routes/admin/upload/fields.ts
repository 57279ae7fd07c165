import { answerJson } from "../(_components)/answer_json.ts";
import { MAX_FORM_BYTES, requireUpload } from "../(_components)/chosen_upload.ts";
import { operatorAction, operatorRoute } from "../(_components)/operator.tsx";
import { saveJson } from "../(_components)/source_draft.tsx";
import { checkMapping } from "../../../lib/admin/uploads/choose_mapping.ts";
import { draftEntry } from "../../../lib/admin/uploads/read_upload.ts";
import { saveOptions } from "../../../lib/admin/uploads/uploads_sql.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: { GET: "The mapping of a file, as JSON", POST: "Takes a mapping as JSON" },
};

/** The mapping of an upload as the file that `--fields` takes. */
const GET = operatorRoute(async ({ request, query, context: { services } }) => {
  const { options } = await requireUpload(query.get("id"), services);
  return options.entry
    ? answerJson(request, { name: options.sourceName, ...draftEntry(options) }, "source.json")
    : answerJson(request, options.fields, "fields.json");
});

/** Takes a mapping as JSON, or a whole source. */
const POST = operatorAction(async (form, { context: { services } }) => {
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

export const handler: ActionHandlers = { GET, POST };

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem(422, `This mapping is not JSON: ${(error as Error).message}`);
  }
}
