import { operatorAction } from "../(_components)/operator.tsx";
import { noWebhook, pageOf } from "../(_components)/webhook_parts.tsx";
import { enableWebhook } from "../../../lib/delivery/webhooks/webhooks_sql.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = { errors: "page", summary: "Enables a webhook again" };

/** Enables a webhook again. */
const POST = operatorAction(
  async (form, { context: { services }, note }) => {
    const name = form.get("name") ?? "";
    const due = await enableWebhook(services.databaseForJobs, name, services.clock());
    if (due === null) throw noWebhook(name);
    await note("enabled a webhook", name);
    return pageOf(name, "webhook-enabled");
  },
);

export const handler: ActionHandlers = { POST };
