import { WebhookError } from "../../lib/delivery/webhooks/add_webhook.ts";
import { addWebhook } from "../../lib/delivery/webhooks/add_webhook.ts";
import {
  listDeliveries,
  type ListedDelivery,
  type ListedWebhook,
  listWebhooks,
} from "../../lib/delivery/webhooks/webhooks_sql.ts";
import { WEBHOOK_KINDS } from "../../lib/delivery/webhooks/webhook.ts";
import { resolveByMachine } from "../../lib/http/outgoing/checked_addresses.ts";
import type { Services } from "../../lib/service/services.ts";
import type { DigestTimes } from "../../lib/text/cadence.ts";
import { type AdminPage, AdminTable, Moment } from "../../lib/ui/admin/admin_page.tsx";
import { Field } from "../../lib/ui/admin/parts.tsx";
import { operatorPage, operatorRoute, readFields, showPage, type Visit } from "./operator.tsx";
import { AddressField, CadenceField, FilterFields, readWebhookForm } from "./webhook_form.tsx";

const MAX_DELIVERIES = 100;

/** The webhooks with their latest deliveries, and the form to add one. */
export const webhooksPage = operatorPage((visit) => buildPage(visit, new URLSearchParams(), null));

/** Adds a webhook; only this answer has its secret. */
export const postedWebhook = operatorRoute(async (visit) => {
  const { request, context: { services, site: { path } }, note } = visit;
  const form = await readFields(request);
  try {
    const added = await addWebhook(
      services.databaseForJobs,
      readWebhookForm(form),
      webhookOptions(services),
    );
    await note("added a webhook", added.name);
    return await showPage(visit, {
      title: "Webhook added",
      place: "/webhooks",
      children: (
        <>
          <p>
            {added.name}: {added.shownUrl}
          </p>
          {added.secret !== null && (
            <p>
              Its secret, which is shown only now: <code>{added.secret}</code>
            </p>
          )}
          <p>
            <a href={webhookPath(path, added.name)}>Test or edit it</a>
          </p>
        </>
      ),
    });
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    const message = error.message.replace(" : choose another --name", ": choose another");
    return await showPage(visit, { ...await buildPage(visit, form, message), status: 422 });
  }
});

async function buildPage(
  { context }: Pick<Visit, "context">,
  given: URLSearchParams,
  error: string | null,
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
        <p>Webhooks send what changes to other systems and chats.</p>
        {error && <p class="admin-problem" role="alert">{error}</p>}
        {webhooks.length > 0 && <WebhookTable webhooks={webhooks} path={path} />}
        <AddForm path={path} given={given} times={config.webhookTimes} />
        <Deliveries deliveries={deliveries} />
      </>
    ),
  };
}

function WebhookTable({ webhooks, path }: { webhooks: readonly ListedWebhook[]; path: string }) {
  return (
    <AdminTable
      label="Webhooks"
      columns={["Name", "Kind", "Address", "Cadence", "State", "Last delivery"]}
    >
      {webhooks.map(({ name, kind, shown_url, cadence, ...webhook }) => (
        <tr key={name}>
          <td>
            <a href={webhookPath(path, name)}>{name}</a>
          </td>
          <td>{kind}</td>
          <td>{shown_url}</td>
          <td>{cadence}</td>
          <td>{stateOf(webhook)}</td>
          <td>
            <LastDelivery webhook={webhook} />
          </td>
        </tr>
      ))}
    </AdminTable>
  );
}

/** Whether a webhook is enabled, and why it is not. */
export function stateOf(
  { disabled_at, disabled_reason }: Pick<ListedWebhook, "disabled_at" | "disabled_reason">,
): string {
  return disabled_at === null ? "enabled" : `disabled: ${disabled_reason}`;
}

/** What became of the newest delivery. */
export function LastDelivery(
  { webhook: { last_at, last_status } }: {
    webhook: Pick<ListedWebhook, "last_at" | "last_status">;
  },
) {
  if (last_at === null) return <>none</>;
  return (
    <>
      {last_status} <Moment at={last_at} />
    </>
  );
}

function AddForm(
  { path, given, times }: { path: string; given: URLSearchParams; times: DigestTimes },
) {
  return (
    <section>
      <h2>Add a webhook</h2>
      <form method="post" action={`${path}/admin/webhooks`}>
        <Field id="kind" label="Kind">
          <select id="kind" name="kind">
            {WEBHOOK_KINDS.map((kind) => (
              <option key={kind} value={kind} selected={kind === given.get("kind")}>{kind}</option>
            ))}
          </select>
        </Field>
        <AddressField value={given.get("url") ?? ""} label="Address" isRequired />
        <Field id="webhook-name" label="Name (empty: the name of the host)">
          <input
            id="webhook-name"
            name="name"
            value={given.get("name") ?? ""}
            maxLength={100}
          />
        </Field>
        <CadenceField value={given.get("cadence")} times={times} />
        <FilterFields given={given} />
        <button type="submit">Add</button>
      </form>
    </section>
  );
}

/** What was sent lately. */
export function Deliveries({ deliveries }: { deliveries: readonly ListedDelivery[] }) {
  if (deliveries.length === 0) return null;
  const columns = ["Created", "Webhook", "State", "Attempts", "Reason"];
  return (
    <section>
      <h2>Deliveries</h2>
      <AdminTable label="Deliveries" columns={columns}>
        {deliveries.map(({ mail_id, name, status, attempts, created_at, last_error }) => (
          <tr key={mail_id}>
            <td>
              <Moment at={created_at} />
            </td>
            <td>{name}</td>
            <td>{status}</td>
            <td>{attempts}</td>
            <td>{last_error}</td>
          </tr>
        ))}
      </AdminTable>
      {deliveries.length === MAX_DELIVERIES && <p>Only the newest {MAX_DELIVERIES} are shown.</p>}
    </section>
  );
}

/** The page of one webhook. */
export function webhookPath(path: string, name: string): string {
  return `${path}/admin/webhook?${new URLSearchParams({ name })}`;
}

/** With what webhooks are added, changed and tested. */
export function webhookOptions({ config, tokenSecret, clock }: Services) {
  return {
    tokenSecret,
    allowsPrivate: config.WEBHOOK_ALLOW_PRIVATE,
    resolve: resolveByMachine,
    now: clock(),
  };
}
