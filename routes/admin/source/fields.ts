import { downloadJson, operatorRoute } from "../(_components)/operator.tsx";
import { readMapping } from "../../../lib/admin/uploads/uploads_sql.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = { errors: "page", summary: "The mapping of a source, as JSON" };

/** The mapping with which the files of a source are read, as `--fields` takes it. */
const GET = operatorRoute(async ({ request, query, context: { services } }) => {
  const name = query.get("name") ?? "";
  const mapping = await readMapping(services.database, name);
  if (mapping === null) throw new Problem(404, `No mapping is stored for the source "${name}"`);
  return downloadJson(request, "fields.json", mapping.fields);
});

export const handler: ActionHandlers = { GET };
