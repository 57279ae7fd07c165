import { operatorAction } from "../(_components)/operator.tsx";
import { noWebhook, pageOf } from "../(_components)/webhook_parts.tsx";
import { disableWebhook, findTarget } from "../../../lib/delivery/webhooks/webhooks_sql.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = { errors: "page", summary: "Switches a webhook off" };

/** Switches a webhook off until it is enabled again. */
const POST = operatorAction(
  async (form, { context: { services }, who, note }) => {
    const name = form.get("name") ?? "";
    const { databaseForJobs: database, clock } = services;
    const found = await findTarget(database, name);
    if (found === null) throw noWebhook(name);
    const reason = who === "token" ? "in /admin" : `by ${who}`;
    await database.transaction((connection) =>
      disableWebhook(connection, found.webhook_id, { reason, now: clock() })
    );
    await note("disabled a webhook", name);
    return pageOf(name, "webhook-disabled");
  },
);

export const handler: ActionHandlers = { POST };
