import type { ListedDelivery, ListedWebhook } from "../../../lib/delivery/webhooks/webhooks_sql.ts";
import { resolveByMachine } from "../../../lib/http/outgoing/checked_addresses.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import type { Services } from "../../../lib/service/services.ts";
import { AdminTable, Moment } from "../../../lib/ui/admin/admin_page.tsx";
import type { Next, Notice } from "./operator.tsx";

/** How many deliveries a page shows. */
export const MAX_DELIVERIES = 100;

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

/** The page of a webhook, and what it says first. */
export function pageOf(name: string, notice: Notice): Next {
  return { page: webhookPath("", name), notice };
}

/** Says that there is no such webhook. */
export function noWebhook(name: string): Problem {
  return new Problem(404, `There is no webhook "${name}"`);
}
