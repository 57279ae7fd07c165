import { operatorAction } from "../(_components)/operator.tsx";
import { noWebhook } from "../(_components)/webhook_parts.tsx";
import { removeWebhook } from "../../../lib/delivery/webhooks/webhooks_sql.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = { errors: "page", summary: "Removes a webhook" };

/** Removes a webhook with its deliveries. */
const POST = operatorAction(
  async (form, { context: { services }, note }) => {
    const name = form.get("name") ?? "";
    if (!await removeWebhook(services.databaseForJobs, name)) throw noWebhook(name);
    await note("removed a webhook", name);
    return { page: "/admin/webhooks", notice: "webhook-removed" };
  },
);

export const handler: ActionHandlers = { POST };
