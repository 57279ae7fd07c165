import type { ListedDelivery, ListedWebhook } from "../../lib/delivery/webhooks/webhooks_sql.ts";
import { countOf } from "../../lib/text/count_of.ts";

/** A webhook in one line. */
export function describeWebhook(webhook: ListedWebhook): string {
  const { name, kind, shown_url, filter, disabled_at, disabled_reason, last_at } = webhook;
  const values = Object.entries(filter).map(([name, values]) =>
    `${name} ${values.map((value) => `"${value}"`).join(", ")}`
  );
  return [
    name,
    kind,
    shown_url,
    disabled_at === null ? "enabled" : `switched off ${disabled_at} (${disabled_reason})`,
    ...values,
    last_at === null ? "nothing delivered yet" : `last delivery ${last_at} ${webhook.last_status}`,
  ].join("  ");
}

/** A delivery in one line, and what the receiver answered in a second one. */
export function describeDelivery(delivery: ListedDelivery): string {
  const { mail_id, status, attempts, created_at, due_at, finished_at, last_error } = delivery;
  const next = status === "waiting" ? `next attempt ${due_at}` : `ended ${finished_at}`;
  const line = [
    `${mail_id} ${status} ${delivery.name}`,
    created_at,
    countOf(attempts, "attempt"),
    next,
  ].join(", ");
  return last_error === null ? line : `${line}\n  ${last_error}`;
}
