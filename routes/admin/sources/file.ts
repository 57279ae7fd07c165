import { answerJson } from "../(_components)/answer_json.ts";
import { operatorRoute } from "../(_components)/operator.tsx";
import { withoutSecretsIn } from "../../../lib/import/sources/configured_source.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "Every source as a file for ROADMAP_CONFIG, without secrets",
};

/** Every source as a file that ROADMAP_CONFIG takes, without secrets. */
const GET = operatorRoute(({ request, context: { services } }) => {
  const listed = services.sources.listed.filter(({ isShadowed }) => !isShadowed);
  const sources = listed.map(({ entry }) => withoutSecretsIn(entry));
  return Promise.resolve(answerJson(request, { sources }, "roadmap.json"));
});

export const handler: ActionHandlers = { GET };
