import {
  addWebhook,
  parseWebhookUrl,
  type WantedWebhook,
  WEBHOOK_NAME,
  WebhookError,
} from "../../lib/delivery/webhooks/edit_webhooks.ts";
import { describeUnknown } from "../../lib/delivery/webhooks/unknown_values.ts";
import { WEBHOOK_KINDS } from "../../lib/delivery/webhooks/webhook.ts";
import {
  listDeliveries,
  type ListedWebhook,
  listWebhooks,
} from "../../lib/delivery/webhooks/webhooks_sql.ts";
import type { DigestTimes } from "../../lib/text/cadence.ts";
import { type AdminPage, AdminTable } from "../../lib/ui/admin/admin_page.tsx";
import { FormField } from "../../lib/ui/admin/parts.tsx";
import { AddressField, WEBHOOK_KIND_NAMES } from "../../lib/ui/admin/webhook_fields.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { operatorAction, operatorPage, type Visit } from "./(_components)/operator.tsx";
import {
  CadenceField,
  FilterFields,
  mistakeOf,
  readWebhookCadence,
  readWebhookFilter,
  sentIn,
  type WebhookMistakes,
} from "./(_components)/webhook_filter.tsx";
import {
  Deliveries,
  LastDelivery,
  MAX_DELIVERIES,
  stateOf,
  webhookOptions,
  webhookPath,
} from "./(_components)/webhook_parts.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "For operators: webhooks with their deliveries",
    POST: "Adds a webhook, and shows its secret",
  },
};

/** The webhooks with their latest deliveries, and the form to add one. */
const GET = operatorPage((visit) => buildPage(visit, new URLSearchParams(), {}));

/** Adds a webhook; only this answer has its secret. */
const POST = operatorAction(async (form, visit) => {
  const { context: { services, site: { path } }, note } = visit;
  try {
    const { databaseForJobs: database } = services;
    const wanted = readWebhookForm(form);
    const added = await addWebhook(database, wanted, webhookOptions(services));
    await note("added a webhook", added.name);
    const unknown = await describeUnknown(database, wanted.filter);
    return {
      title: "Webhook added",
      place: "/webhooks",
      children: (
        <>
          <p>
            {added.name}: {added.shownUrl}
          </p>
          {unknown && <p class="admin-problem">{unknown}.</p>}
          {added.secret !== null && (
            <p>
              Copy its secret now. It is not shown again: <code>{added.secret}</code>
            </p>
          )}
          <p>
            <a href={webhookPath(path, added.name)}>Test or edit it</a>
          </p>
        </>
      ),
    };
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    const errors = mistakeOf(error);
    return { ...await buildPage(visit, form, errors), status: 422 };
  }
});

export const handler: ActionHandlers = { GET, POST };

async function buildPage(
  { context }: Pick<Visit, "context">,
  given: URLSearchParams,
  errors: WebhookMistakes,
): Promise<AdminPage> {
  const { services: { database, config }, site: { path } } = context;
  const [webhooks, deliveries] = await Promise.all([
    listWebhooks(database),
    listDeliveries(database, { name: null, limit: MAX_DELIVERIES }),
  ]);
  return {
    title: "Webhooks",
    children: (
      <>
        <p>Webhooks send changes to other systems and chats.</p>
        {webhooks.length > 0 && (
          <WebhookTable webhooks={webhooks} times={config.webhookTimes} path={path} />
        )}
        <AddForm path={path} given={given} errors={errors} times={config.webhookTimes} />
        <Deliveries deliveries={deliveries} />
      </>
    ),
  };
}

function WebhookTable({ webhooks, times, path }: {
  webhooks: readonly ListedWebhook[];
  times: DigestTimes;
  path: string;
}) {
  return (
    <AdminTable
      label="Webhooks"
      columns={["Name", "Kind", "Address", "Sent", "State", "Last delivery"]}
    >
      {webhooks.map(({ name, kind, shown_url, cadence, ...webhook }) => (
        <tr key={name}>
          <td>
            <a href={webhookPath(path, name)}>{name}</a>
          </td>
          <td>{WEBHOOK_KIND_NAMES[kind]}</td>
          <td>{shown_url}</td>
          <td>{sentIn(cadence, times)}</td>
          <td>{stateOf(webhook)}</td>
          <td>
            <LastDelivery webhook={webhook} />
          </td>
        </tr>
      ))}
    </AdminTable>
  );
}

function AddForm({ path, given, errors, times }: {
  path: string;
  given: URLSearchParams;
  errors: WebhookMistakes;
  times: DigestTimes;
}) {
  return (
    <section>
      <h2>Add a webhook</h2>
      <form method="post" action={`${path}/admin/webhooks`}>
        <FormField id="kind" label="Kind" error={errors.kind}>
          <select id="kind" name="kind">
            {WEBHOOK_KINDS.map((kind) => (
              <option key={kind} value={kind} selected={kind === given.get("kind")}>
                {WEBHOOK_KIND_NAMES[kind]}
              </option>
            ))}
          </select>
        </FormField>
        <AddressField
          value={given.get("url") ?? ""}
          label="Address"
          error={errors.url}
          isRequired
        />
        <FormField
          id="webhook-name"
          label="Name (empty: the name of the host)"
          error={errors.name}
        >
          <input
            id="webhook-name"
            name="name"
            value={given.get("name") ?? ""}
            maxLength={100}
          />
        </FormField>
        <CadenceField value={given.get("cadence")} error={errors.cadence} times={times} />
        <FilterFields given={given} errors={errors} />
        <button type="submit">Add</button>
      </form>
    </section>
  );
}

/**
 * Reads the form to add a webhook.
 *
 * @throws {WebhookError} that says what is wrong
 */
function readWebhookForm(form: URLSearchParams): WantedWebhook {
  const kind = WEBHOOK_KINDS.find((kind) => kind === form.get("kind"));
  if (!kind) throw new WebhookError("kind", `The kind must be one of ${WEBHOOK_KINDS.join(", ")}`);
  const name = form.get("name")?.trim() || undefined;
  if (name !== undefined && !WEBHOOK_NAME.test(name)) {
    throw new WebhookError(
      "name",
      "The name takes 1 to 100 characters without control characters",
    );
  }
  const url = parseWebhookUrl(form.get("url")?.trim() ?? "");
  return { url, kind, name, filter: readWebhookFilter(form), cadence: readWebhookCadence(form) };
}
