import { operatorAction } from "../(_components)/operator.tsx";
import { noWebhook, webhookOptions, webhookPath } from "../(_components)/webhook_parts.tsx";
import { rotateSecret, WebhookError } from "../../../lib/delivery/webhooks/edit_webhooks.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "Gives a webhook a new secret, and shows it",
};

/** Gives a webhook a new secret, which only this answer has. */
const POST = operatorAction(async (form, visit) => {
  const { context: { services, site }, note } = visit;
  const name = form.get("name") ?? "";
  const secret = await rotateSecret(services.databaseForJobs, name, webhookOptions(services))
    .catch((error) => {
      throw error instanceof WebhookError ? new Problem(409, error.message) : error;
    });
  if (secret === null) throw noWebhook(name);
  await note("gave a webhook a new secret", name);
  return {
    title: "New secret",
    place: "/webhooks",
    children: (
      <>
        <p>
          Copy the new secret of {name} now. It is not shown again: <code>{secret}</code>
        </p>
        <p>For 24 hours each delivery has the signatures of both secrets.</p>
        <p>
          <a href={webhookPath(site.path, name)}>Back to {name}</a>
        </p>
      </>
    ),
  };
});

export const handler: ActionHandlers = { POST };
