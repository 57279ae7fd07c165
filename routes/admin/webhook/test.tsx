import { operatorAction } from "../(_components)/operator.tsx";
import { noWebhook, webhookOptions, webhookPath } from "../(_components)/webhook_parts.tsx";
import { testWebhook } from "../../../lib/delivery/webhooks/webhook_sender.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = { errors: "page", summary: "Sends a webhook a test message" };

/** Sends a test message, and shows what came of it. */
const POST = operatorAction(async (form, visit) => {
  const { context: { services, site }, note } = visit;
  const name = form.get("name") ?? "";
  const outcome = await testWebhook(services.databaseForJobs, name, {
    context: { siteName: services.config.SITE_NAME, site },
    ...webhookOptions(services),
  });
  if (outcome === null) throw noWebhook(name);
  await note("tested a webhook", name);
  const { isSuccess, text } = outcome;
  return {
    title: "Test of a webhook",
    place: "/webhooks",
    children: (
      <>
        <p class={isSuccess ? "admin-note" : "admin-problem"} role="status">
          {isSuccess ? "The test succeeded." : "The test failed."} {text}
        </p>
        <p>
          <a href={webhookPath(site.path, name)}>Back to {name}</a>
        </p>
      </>
    ),
  };
});

export const handler: ActionHandlers = { POST };
