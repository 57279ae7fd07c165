import { operatorAction } from "../(_components)/operator.tsx";
import { removeImportToken } from "../../../lib/admin/import_tokens_sql.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = { errors: "page", summary: "Removes a token" };

/** Removes a token; it stops working at once. */
const POST = operatorAction(async (form, { context: { services }, note }) => {
  const name = form.get("name") ?? "";
  if (!await removeImportToken(services.databaseForJobs, name)) {
    throw new Problem(404, `There is no token ${JSON.stringify(name)}`);
  }
  await note("removed a token", name);
  return { page: "/admin/tokens", notice: "token-removed" };
});

export const handler: ActionHandlers = { POST };
