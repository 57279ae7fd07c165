import { operatorAction } from "../(_components)/operator.tsx";
import { requireSubscriber } from "../(_components)/require_subscriber.ts";
import { reactivateMailbox } from "../../../lib/delivery/bounces/bounces_sql.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "Sends emails again to a mailbox that was set aside",
};

/** Has a mailbox that rejected too many emails get them again. */
const POST = operatorAction(
  async (form, { context: { services }, note }) => {
    const { subscription_id: id, email } = await requireSubscriber(form.get("id"), services);
    if (!await reactivateMailbox(services.databaseForJobs, email)) {
      throw new Problem(409, "This address is not among those that rejected too many emails");
    }
    await note("reactivated a subscriber", id);
    return { page: `/admin/subscriber?id=${id}`, notice: "reactivated" };
  },
);

export const handler: ActionHandlers = { POST };
