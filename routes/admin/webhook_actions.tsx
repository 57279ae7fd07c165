import { addWebhook, WebhookError } from "../../lib/delivery/webhooks/add_webhook.ts";
import { testWebhook } from "../../lib/delivery/webhooks/test_webhook.ts";
import { enableWebhook, removeWebhook } from "../../lib/delivery/webhooks/webhooks_sql.ts";
import { resolveByMachine } from "../../lib/http/checked_addresses.ts";
import { Problem } from "../../lib/http/problem.ts";
import type { Services } from "../../lib/service/services.ts";
import { answerAdmin } from "../../lib/ui/admin/admin_page.tsx";
import { operatorAction, operatorRoute, readFields } from "./operator.ts";
import { readWebhookForm } from "./webhook_form.ts";

/** Adds a webhook; only this answer has its secret. */
export const postedWebhook = operatorRoute(async ({ request, who, context, note }) => {
  const { services, site: { path } } = context;
  const added = await refuseWrong(async () => {
    const wanted = readWebhookForm(await readFields(request));
    return await addWebhook(services.databaseForJobs, wanted, optionsOf(services));
  });
  const { name, shownUrl, secret } = added;
  await note("added a webhook", name);
  const page = {
    title: "Webhook added",
    children: (
      <>
        <p>
          {name}: {shownUrl}
        </p>
        {secret !== null && (
          <p>
            Its secret, which is shown only now: <code>{secret}</code>
          </p>
        )}
        <p>
          <a href={`${path}/admin/webhooks`}>All webhooks</a>
        </p>
      </>
    ),
  };
  return answerAdmin(request, page, { who, frame: context });
});

/** Sends a test message, and shows what came of it. */
export const postedWebhookTest = operatorRoute(async ({ request, who, context, note }) => {
  const { services, site } = context;
  const name = (await readFields(request)).get("name") ?? "";
  const outcome = await testWebhook(services.databaseForJobs, name, {
    context: { siteName: services.config.SITE_NAME, site },
    ...optionsOf(services),
  });
  if (outcome === null) throw noWebhook(name);
  await note("tested a webhook", name);
  const { isSuccess, text } = outcome;
  const page = {
    title: "Test of a webhook",
    children: (
      <>
        <p class={isSuccess ? "admin-note" : "admin-problem"} role="status">
          {isSuccess ? "The test succeeded." : "The test failed."} {text}
        </p>
        <p>
          <a href={`${site.path}/admin/webhooks`}>All webhooks</a>
        </p>
      </>
    ),
  };
  return answerAdmin(request, page, { who, frame: context });
});

/** Enables a webhook again. */
export const postedWebhookEnabling = operatorAction(
  async (form, { context: { services }, note }) => {
    const name = form.get("name") ?? "";
    const due = await enableWebhook(services.databaseForJobs, name, services.clock());
    if (due === null) throw noWebhook(name);
    await note("enabled a webhook", name);
    return { page: "/admin/webhooks", notice: "webhook-enabled" };
  },
);

/** Removes a webhook with its deliveries. */
export const postedWebhookRemoval = operatorAction(
  async (form, { context: { services }, note }) => {
    const name = form.get("name") ?? "";
    if (!await removeWebhook(services.databaseForJobs, name)) throw noWebhook(name);
    await note("removed a webhook", name);
    return { page: "/admin/webhooks", notice: "webhook-removed" };
  },
);

function optionsOf({ config, tokenSecret, clock }: Services) {
  return {
    tokenSecret,
    allowsPrivate: config.WEBHOOK_ALLOW_PRIVATE,
    resolve: resolveByMachine,
    now: clock(),
  };
}

function noWebhook(name: string): Problem {
  return new Problem(404, `There is no webhook "${name}"`);
}

async function refuseWrong<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    throw new Problem(422, error.message.replace(" : choose another --name", ": choose another"));
  }
}
