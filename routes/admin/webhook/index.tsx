import { operatorAction, operatorPage, type Visit } from "../(_components)/operator.tsx";
import {
  CadenceField,
  fieldsOf,
  FilterFields,
  mistakeOf,
  readWebhookCadence,
  readWebhookFilter,
  sentIn,
  type WebhookMistakes,
} from "../(_components)/webhook_filter.tsx";
import {
  Deliveries,
  LastDelivery,
  MAX_DELIVERIES,
  noWebhook,
  stateOf,
  webhookOptions,
} from "../(_components)/webhook_parts.tsx";
import {
  changeWebhook,
  parseWebhookUrl,
  WebhookError,
} from "../../../lib/delivery/webhooks/edit_webhooks.ts";
import { describeUnknown } from "../../../lib/delivery/webhooks/unknown_values.ts";
import { listDeliveries, listWebhooks } from "../../../lib/delivery/webhooks/webhooks_sql.ts";
import { sitesOf } from "../../../lib/roadmap/sites.ts";
import type { AdminPage } from "../../../lib/ui/admin/admin_page.tsx";
import { Confirm, FactList, PostForm } from "../../../lib/ui/admin/parts.tsx";
import { AddressField, WEBHOOK_KIND_NAMES } from "../../../lib/ui/admin/webhook_fields.tsx";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "For operators: one webhook with its deliveries",
    POST: "Changes what a webhook is narrowed to, and its address",
  },
};

/** One webhook: what it is, what it sent, and the form to change it. */
const GET = operatorPage((visit) => buildPage(visit, visit.query.get("name") ?? ""));

/** Saves what a webhook is narrowed to, its cadence, and its new address if there is one. */
const POST = operatorAction(async (form, visit) => {
  const { context: { services }, note } = visit;
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
    return {
      ...await buildPage(visit, name),
      notice: "The webhook is saved.",
    };
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    const page = await buildPage(visit, name, { given: form, errors: mistakeOf(error) });
    return { ...page, status: 422 };
  }
});

export const handler: ActionHandlers = { GET, POST };

async function buildPage(
  { context }: Pick<Visit, "context">,
  name: string,
  { given, errors = {} }: { given?: URLSearchParams; errors?: WebhookMistakes } = {},
): Promise<AdminPage> {
  const { services: { database, config }, site: { path } } = context;
  const webhook = (await listWebhooks(database)).find((webhook) => webhook.name === name);
  if (!webhook) throw noWebhook(name);
  const [deliveries, unknown] = await Promise.all([
    listDeliveries(database, { name, limit: MAX_DELIVERIES }),
    describeUnknown(database, webhook.filter),
  ]);
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
        {unknown && <p class="admin-problem">{unknown}.</p>}
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
            ? <PostForm {...act("disable")} button="Disable" />
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
              error={errors.url}
              isRequired={false}
            />
            <CadenceField
              value={given?.get("cadence") ?? webhook.cadence}
              error={errors.cadence}
              times={config.webhookTimes}
            />
            <FilterFields given={given ?? fieldsOf(webhook.filter)} errors={errors} />
            <button type="submit">Save</button>
          </form>
        </section>
        <Deliveries deliveries={deliveries} />
      </>
    ),
  };
}
