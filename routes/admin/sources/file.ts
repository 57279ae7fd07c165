import { downloadJson, operatorRoute } from "../(_components)/operator.tsx";
import { writeSourcesFile } from "../../../lib/import/sources/entry_secrets.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "Every source as a file for ROADMAP_CONFIG, without secrets",
};

/** Every source as a file that ROADMAP_CONFIG takes, without secrets. */
const GET = operatorRoute(({ request, context: { services } }) => {
  const listed = services.sources.listed.filter(({ isShadowed }) => !isShadowed);
  return Promise.resolve(downloadJson(request, "roadmap.json", writeSourcesFile(listed)));
});

export const handler: ActionHandlers = { GET };
