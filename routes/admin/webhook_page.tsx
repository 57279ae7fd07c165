import {
  changeWebhook,
  parseWebhookUrl,
  rotateSecret,
  WebhookError,
} from "../../lib/delivery/webhooks/edit_webhooks.ts";
import { testWebhook } from "../../lib/delivery/webhooks/webhook_sender.ts";
import {
  disableWebhook,
  enableWebhook,
  findTarget,
  listDeliveries,
  listWebhooks,
  removeWebhook,
} from "../../lib/delivery/webhooks/webhooks_sql.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import { sitesOf } from "../../lib/roadmap/sites.ts";
import type { AdminPage } from "../../lib/ui/admin/admin_page.tsx";
import { Confirm, FactList, PostForm } from "../../lib/ui/admin/parts.tsx";
import { AddressField, WEBHOOK_KIND_NAMES } from "../../lib/ui/admin/webhook_fields.tsx";
import {
  type Next,
  type Notice,
  operatorAction,
  operatorPage,
  operatorRoute,
  readFormFields,
  showPage,
  type Visit,
} from "./operator.tsx";
import {
  CadenceField,
  Deliveries,
  fieldsOf,
  FilterFields,
  LastDelivery,
  readWebhookCadence,
  readWebhookFilter,
  sentIn,
  stateOf,
  webhookOptions,
  webhookPath,
} from "./webhooks_page.tsx";

const MAX_DELIVERIES = 100;

/** One webhook: what it is, what it sent, and the form to change it. */
export const webhookPage = operatorPage((visit) => buildPage(visit, visit.query.get("name") ?? ""));

/** Saves what a webhook is narrowed to, its cadence, and its new address if there is one. */
export const postedWebhookChange = operatorRoute(async (visit) => {
  const { request, context: { services }, note } = visit;
  const form = await readFormFields(request);
  const name = form.get("name") ?? "";
  try {
    const text = form.get("url")?.trim() ?? "";
    const wanted = {
      url: text === "" ? null : parseWebhookUrl(text),
      filter: readWebhookFilter(form),
      cadence: readWebhookCadence(form),
    };
    const { config } = services;
    const options = {
      ...webhookOptions(services),
      site: sitesOf(config)[0]!,
      zone: config.DIGEST_ZONE,
    };
    if (!await changeWebhook(services.databaseForJobs, name, wanted, options)) {
      throw noWebhook(name);
    }
    await note("changed a webhook", name);
    return await showPage(visit, {
      ...await buildPage(visit, name),
      notice: "The webhook is saved.",
    });
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    const page = await buildPage(visit, name, { given: form, error: error.message });
    return await showPage(visit, { ...page, status: 422 });
  }
});

async function buildPage(
  { context }: Pick<Visit, "context">,
  name: string,
  { given, error }: { given?: URLSearchParams; error?: string } = {},
): Promise<AdminPage> {
  const { services: { database, config }, site: { path } } = context;
  const webhook = (await listWebhooks(database)).find((webhook) => webhook.name === name);
  if (!webhook) throw noWebhook(name);
  const deliveries = await listDeliveries(database, { name, limit: MAX_DELIVERIES });
  const act = (action: string) => ({
    action: `${path}/admin/webhook/${action}`,
    fields: { name },
    label: name,
  });
  return {
    title: name,
    place: "/webhooks",
    children: (
      <>
        {error && <p class="admin-problem" role="alert">{error}</p>}
        <FactList
          facts={[
            ["Kind", WEBHOOK_KIND_NAMES[webhook.kind]],
            ["Address", webhook.shown_url],
            ["Sent", sentIn(webhook.cadence, config.webhookTimes)],
            ["State", stateOf(webhook)],
            ["Last delivery", <LastDelivery key="last" webhook={webhook} />],
          ]}
        />
        <div class="admin-actions">
          <PostForm {...act("test")} button="Test" />
          {webhook.disabled_at === null
            ? <PostForm {...act("disable")} button="Switch off" />
            : <PostForm {...act("enable")} button="Enable" />}
          {webhook.kind === "standard" && (
            <Confirm
              {...act("rotate")}
              button="New secret"
              question="The next page shows it, once. For 24 hours each delivery has the signatures of both secrets."
            />
          )}
          <Confirm
            {...act("remove")}
            button="Remove"
            question="Its secret and its deliveries are deleted for good."
          />
        </div>
        <section>
          <h2>Change</h2>
          <form method="post" action={`${path}/admin/webhook`}>
            <input type="hidden" name="name" value={name} />
            <AddressField
              value={given?.get("url") ?? ""}
              label="New address (empty: the present one)"
              isRequired={false}
            />
            <CadenceField
              value={given?.get("cadence") ?? webhook.cadence}
              times={config.webhookTimes}
            />
            <FilterFields given={given ?? fieldsOf(webhook.filter)} />
            <button type="submit">Save</button>
          </form>
        </section>
        <Deliveries deliveries={deliveries} />
      </>
    ),
  };
}

/** Sends a test message, and shows what came of it. */
export const postedWebhookTest = operatorRoute(async (visit) => {
  const { request, context: { services, site }, note } = visit;
  const name = (await readFormFields(request)).get("name") ?? "";
  const outcome = await testWebhook(services.databaseForJobs, name, {
    context: { siteName: services.config.SITE_NAME, site },
    ...webhookOptions(services),
  });
  if (outcome === null) throw noWebhook(name);
  await note("tested a webhook", name);
  const { isSuccess, text } = outcome;
  return await showPage(visit, {
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
  });
});

/** Gives a webhook a new secret, which only this answer has. */
export const postedWebhookRotation = operatorRoute(async (visit) => {
  const { request, context: { services, site }, note } = visit;
  const name = (await readFormFields(request)).get("name") ?? "";
  const secret = await rotateSecret(services.databaseForJobs, name, webhookOptions(services))
    .catch((error) => {
      throw error instanceof WebhookError ? new Problem(409, error.message) : error;
    });
  if (secret === null) throw noWebhook(name);
  await note("gave a webhook a new secret", name);
  return await showPage(visit, {
    title: "New secret",
    place: "/webhooks",
    children: (
      <>
        <p>
          The secret of {name}, which is not shown again: <code>{secret}</code>
        </p>
        <p>For 24 hours each delivery has the signatures of both secrets.</p>
        <p>
          <a href={webhookPath(site.path, name)}>Back to {name}</a>
        </p>
      </>
    ),
  });
});

/** Enables a webhook again. */
export const postedWebhookEnabling = operatorAction(
  async (form, { context: { services }, note }) => {
    const name = form.get("name") ?? "";
    const due = await enableWebhook(services.databaseForJobs, name, services.clock());
    if (due === null) throw noWebhook(name);
    await note("enabled a webhook", name);
    return pageOf(name, "webhook-enabled");
  },
);

/** Switches a webhook off until it is enabled again. */
export const postedWebhookDisabling = operatorAction(
  async (form, { context: { services }, who, note }) => {
    const name = form.get("name") ?? "";
    const { databaseForJobs: database, clock } = services;
    const found = await findTarget(database, name);
    if (found === null) throw noWebhook(name);
    const reason = who === "token" ? "switched off in /admin" : `switched off by ${who}`;
    await database.transaction((connection) =>
      disableWebhook(connection, found.webhook_id, { reason, now: clock() })
    );
    await note("switched off a webhook", name);
    return pageOf(name, "webhook-disabled");
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

function pageOf(name: string, notice: Notice): Next {
  return { page: webhookPath("", name), notice };
}

function noWebhook(name: string): Problem {
  return new Problem(404, `There is no webhook "${name}"`);
}
