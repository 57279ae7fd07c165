import { endSession, raiseGeneration } from "../../lib/admin/admin_sql.ts";
import { readForm } from "../../lib/http/requests/body.ts";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { endedCookie, findSession, goTo, operatorRoute } from "./(_components)/operator.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: "Ends an operator's session, or all of them",
};

/** Ends this session, or all of them. */
const POST = operatorRoute(async ({ request, context, note }) => {
  const { services } = context;
  const isEverywhere = (await readForm(request)).get("everywhere") === "yes";
  const session = await findSession(request.headers, services);
  if (isEverywhere) await raiseGeneration(services.databaseForJobs);
  else if (session !== null) await endSession(services.databaseForJobs, session, services.clock());
  await note(isEverywhere ? "signed out everywhere" : "signed out");
  return goTo("/admin/sign-in", context, { "Set-Cookie": endedCookie(services.config) });
});

export const handler: ActionHandlers = { POST };
