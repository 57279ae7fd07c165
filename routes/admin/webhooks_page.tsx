import {
  listDeliveries,
  type ListedDelivery,
  type ListedWebhook,
  listWebhooks,
} from "../../lib/delivery/webhooks/webhooks_sql.ts";
import { WEBHOOK_KINDS } from "../../lib/delivery/webhooks/webhook.ts";
import { describeDue, DUE_PERIODS } from "../../lib/roadmap/filter/due.ts";
import { AdminTable, Moment } from "../../lib/ui/admin/admin_page.tsx";
import { FILTER_LISTS } from "./webhook_form.ts";
import { operatorPage } from "./operator.ts";

const MAX_DELIVERIES = 100;

/** The webhooks with their latest deliveries, and the form to add one. */
export const webhooksPage = operatorPage(async ({ context }) => {
  const { services: { database }, site: { path } } = context;
  const [webhooks, deliveries] = await Promise.all([
    listWebhooks(database),
    listDeliveries(database, { name: null, limit: MAX_DELIVERIES }),
  ]);
  return {
    title: "Webhooks",
    children: (
      <>
        <p>Webhooks send the changes of each import to other systems and chats.</p>
        {webhooks.length > 0 && <WebhookTable webhooks={webhooks} path={path} />}
        <AddForm path={path} />
        {deliveries.length > 0 && <DeliveryTable deliveries={deliveries} />}
      </>
    ),
  };
});

function WebhookTable({ webhooks, path }: { webhooks: readonly ListedWebhook[]; path: string }) {
  const columns = ["Name", "Kind", "Address", "Only", "State", "Last delivery", "Actions"];
  return (
    <AdminTable label="Webhooks" columns={columns}>
      {webhooks.map(({ name, kind, shown_url, filter, ...webhook }) => (
        <tr key={name}>
          <td>{name}</td>
          <td>{kind}</td>
          <td>{shown_url}</td>
          <td>
            {Object.entries(filter).map(([list, values]) => `${list}: ${values.join(", ")}`)
              .join("; ")}
          </td>
          <td>
            {webhook.disabled_at === null ? "enabled" : `disabled: ${webhook.disabled_reason}`}
          </td>
          <td>
            {webhook.last_at === null ? "none" : (
              <>
                {webhook.last_status} <Moment at={webhook.last_at} />
              </>
            )}
          </td>
          <td>
            <div class="admin-actions">
              <Act path={path} name={name} action="test" label="Test" />
              {webhook.disabled_at !== null && (
                <Act path={path} name={name} action="enable" label="Enable" />
              )}
              <Act path={path} name={name} action="remove" label="Remove" />
            </div>
          </td>
        </tr>
      ))}
    </AdminTable>
  );
}

function Act({ path, name, action, label }: Record<"path" | "name" | "action" | "label", string>) {
  return (
    <form method="post" action={`${path}/admin/webhook/${action}`}>
      <input type="hidden" name="name" value={name} />
      <button type="submit" class="second" aria-label={`${label} ${name}`}>{label}</button>
    </form>
  );
}

function AddForm({ path }: { path: string }) {
  return (
    <section>
      <h2>Add a webhook</h2>
      <form method="post" action={`${path}/admin/webhooks`}>
        <div class="field">
          <label for="url">Address</label>
          <input id="url" name="url" type="url" maxLength={4000} autocomplete="off" required />
        </div>
        <div class="field">
          <label for="kind">Kind</label>
          <select id="kind" name="kind">
            {WEBHOOK_KINDS.map((kind) => <option key={kind} value={kind}>{kind}</option>)}
          </select>
        </div>
        <div class="field">
          <label for="webhook-name">Name (empty: the name of the host)</label>
          <input id="webhook-name" name="name" maxLength={100} />
        </div>
        <details>
          <summary>Only some releases</summary>
          {FILTER_LISTS.map(({ name, label }) => (
            <div class="field" key={name}>
              <label for={`list-${name}`}>{label}, one a line</label>
              <textarea id={`list-${name}`} name={name} rows={2} />
            </div>
          ))}
          <fieldset class="preferences">
            <legend>Due</legend>
            <div class="choices in-line">
              {DUE_PERIODS.map((period) => (
                <label key={period} class="check">
                  <input type="checkbox" name="due" value={period} />
                  {describeDue(period)}
                </label>
              ))}
            </div>
          </fieldset>
        </details>
        <p>
          <button type="submit">Add</button>
        </p>
      </form>
    </section>
  );
}

function DeliveryTable({ deliveries }: { deliveries: readonly ListedDelivery[] }) {
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
    </section>
  );
}
