import { requireUpload } from "../(_components)/source_parts.tsx";
import { downloadJson, operatorRoute } from "../(_components)/operator.tsx";
import { draftEntry } from "../../../lib/admin/uploads/read_upload.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = { errors: "page", summary: "The mapping of a file, as JSON" };

/** The mapping of an upload as the file that `--fields` takes. */
const GET = operatorRoute(async ({ request, query, context: { services } }) => {
  const { options } = await requireUpload(query.get("id"), services);
  return options.entry
    ? downloadJson(request, "source.json", { name: options.sourceName, ...draftEntry(options) })
    : downloadJson(request, "fields.json", options.fields);
});

export const handler: ActionHandlers = { GET };
