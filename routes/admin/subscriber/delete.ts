import { operatorAction } from "../(_components)/operator.tsx";
import { requireSubscriber } from "../(_components)/require_subscriber.ts";
import { deleteSubscriber } from "../../../lib/delivery/subscriptions/subscribers_sql.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = { errors: "page", summary: "Deletes all data of a subscriber" };

/** Deletes what is stored of a subscriber. The audit log has the id, since the address is deleted. */
const POST = operatorAction(
  async (form, { context: { services }, note }) => {
    const { subscription_id: id, email } = await requireSubscriber(form.get("id"), services);
    await deleteSubscriber(services.databaseForJobs, email);
    await note("deleted a subscriber", id);
    return { page: "/admin/subscribers", notice: "subscriber-deleted" };
  },
);

export const handler: ActionHandlers = { POST };
