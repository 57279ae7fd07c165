import { answerJson } from "../(_components)/answer_json.ts";
import { MAX_FORM_BYTES, requireUpload } from "../(_components)/chosen_upload.ts";
import { operatorAction, operatorRoute, type Visit } from "../(_components)/operator.tsx";
import { saveJson } from "../(_components)/source_draft.tsx";
import { checkMapping } from "../../../lib/admin/uploads/choose_mapping.ts";
import { draftEntry } from "../../../lib/admin/uploads/read_upload.ts";
import { saveOptions, type Upload } from "../../../lib/admin/uploads/uploads_sql.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";
import { buildUploadPage } from "./index.tsx";

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
const POST = operatorAction(async (form, visit) => {
  const { services } = visit.context;
  const upload = await requireUpload(form.get("id"), services);
  const text = form.get("fields") ?? "";
  try {
    await saveWritten(upload, parseJson(text), visit);
    return `/admin/upload?id=${upload.upload_id}`;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const page = await buildUploadPage(visit, upload, { text, error: error.message });
    return { ...page, status: error.status };
  }
}, { maxBytes: MAX_FORM_BYTES });

export const handler: ActionHandlers = { GET, POST };

async function saveWritten(upload: Upload, written: unknown, visit: Visit): Promise<void> {
  const { upload_id: id, options } = upload;
  if (options.entry) return await saveJson(upload, Object(written), visit);
  const fields = checkMapping(written);
  await saveOptions(visit.context.services.databaseForJobs, id, { ...options, fields });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem(422, `This mapping is not JSON: ${(error as Error).message}`);
  }
}
