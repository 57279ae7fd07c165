import { operatorAction } from "../(_components)/operator.tsx";
import { retryMails } from "../../../lib/delivery/outbox/outbox_sql.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import { UUID } from "../../../lib/text/values.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "Makes emails due that wait or failed",
};

/** Makes an email due now, or all that wait or failed. */
const POST = operatorAction(async (form, { context: { services }, note }) => {
  const { databaseForJobs, clock, config, jobs } = services;
  const mailId = form.get("id");
  if (mailId !== null && !UUID.test(mailId)) throw new Problem(400, "There is no such email");
  const count = await retryMails(databaseForJobs, { mailId, now: clock() });
  if (count === 0) return { page: "/admin/emails", notice: "nothing-to-retry" };
  await note("retried emails", mailId ?? `all ${count}`);
  // A running server sends them after its pause, which no request shortens (lib/service/jobs.ts).
  if (!config.BACKGROUND_JOBS) await jobs.runDue();
  return { page: "/admin/emails", notice: "retried" };
});

export const handler: ActionHandlers = { POST };
