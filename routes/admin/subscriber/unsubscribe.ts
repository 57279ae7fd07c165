import { operatorAction } from "../(_components)/operator.tsx";
import { requireSubscriber } from "../(_components)/require_subscriber.ts";
import { unsubscribe } from "../../../lib/delivery/subscriptions/subscriptions_sql.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = { errors: "page", summary: "Ends a subscription" };

/** Ends a subscription. */
const POST = operatorAction(
  async (form, { context: { services }, note }) => {
    const { subscription_id: id } = await requireSubscriber(form.get("id"), services);
    await unsubscribe(services.databaseForJobs, id, services.clock());
    await note("unsubscribed a subscriber", id);
    return { page: `/admin/subscriber?id=${id}`, notice: "unsubscribed" };
  },
);

export const handler: ActionHandlers = { POST };
