import { type Connection, type Database, queryOne } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";
import { leaseNext } from "../queue/outbox_lease_sql.ts";
import type { WebhookFilter, WebhookKind, WebhookPayload } from "./webhook.ts";
import { disableWebhook } from "./webhooks_sql.ts";

/** How long a delivery is tried before its webhook is switched off. */
const TRIED_FOR = sql`interval '3 days'`;

/** Webhooks that get the same delivery: same filter, and up to date to the same change. */
export interface WebhookGroup {
  filter: WebhookFilter;
  /** The id of the last change that they were told, or that there was before. */
  last_notified_change: number;
}

/** The groups of enabled webhooks. */
export function listGroups(connection: Connection): Promise<WebhookGroup[]> {
  return connection.query(sql`
    select filter, last_notified_change::float8 as last_notified_change
    from webhooks
    where disabled_at is null
    group by filter, webhooks.last_notified_change
    order by filter, webhooks.last_notified_change
  `);
}

/** Puts a delivery down for each webhook of a group. */
export async function queueDeliveries(
  connection: Connection,
  { filter, last_notified_change }: WebhookGroup,
  { payload, now }: { payload: WebhookPayload; now: Date },
): Promise<void> {
  const moment = sql`${now.toISOString()}::timestamptz`;
  await connection.query(sql`
    with payload as (
      insert into webhook_payloads (content) values (${JSON.stringify(payload)}::text::jsonb)
      returning payload_id
    )
    insert into outbox (
      webhook_id, kind, payload_id, changes_after, changes_up_to, created_at, due_at, give_up_at
    )
    select webhook_id, 'webhook', payload_id, last_notified_change,
      (select max(change_id) from changes), ${moment}, ${moment}, ${moment} + ${TRIED_FOR}
    from webhooks, payload
    where disabled_at is null and filter = ${JSON.stringify(filter)}::text::jsonb
      and last_notified_change = ${last_notified_change}::bigint
  `);
}

/** Records that all webhooks are up to date. */
export async function noteAllNotified(connection: Connection): Promise<void> {
  await connection.query(sql`
    update webhooks set last_notified_change = (select coalesce(max(change_id), 0) from changes)
    where disabled_at is null
  `);
}

/** A delivery that this process is to send now. */
export interface TakenDelivery {
  mail_id: string;
  webhook_id: string;
  name: string;
  kind: WebhookKind;
  /** Encrypted. */
  target: Uint8Array;
  payload_id: string;
  /** Counts from 1. */
  attempts: number;
  /** Milliseconds since 1970 */
  give_up_at: number;
}

/**
 * Takes a delivery that is due, those first that have failed least, so that receivers that answer
 * do not wait behind those that hang; null where none is due.
 */
export async function takeDelivery(
  connection: Connection,
  { now, leaseSeconds }: { now: Date; leaseSeconds: number },
): Promise<TakenDelivery | null> {
  const [delivery] = await connection.query<TakenDelivery>(sql`
    ${
    leaseNext({
      receiver: "webhook",
      isWanted: sql`webhook_id is not null`,
      order: sql`attempts, due_at`,
      now,
      leaseSeconds,
    })
  }
    select mail_id, webhook_id, name, webhooks.kind, target, payload_id, attempts,
      (extract(epoch from give_up_at) * 1000)::float8 as give_up_at
    from taken join webhooks using (webhook_id)
  `);
  return delivery ?? null;
}

/** Reads what a delivery tells. */
export async function readPayload(
  connection: Connection,
  payloadId: string,
): Promise<WebhookPayload> {
  const { content } = await queryOne<{ content: WebhookPayload }>(
    connection,
    sql`select content from webhook_payloads where payload_id = ${payloadId}::uuid`,
  );
  return content;
}

/** Notes that a receiver has taken a delivery. */
export async function finishDelivery(
  connection: Connection,
  { mail_id }: TakenDelivery,
  now: Date,
): Promise<void> {
  await connection.query(sql`
    update outbox
    set status = 'sent', finished_at = ${now.toISOString()}::timestamptz, leased_until = null,
      last_error = null, payload_id = null
    where mail_id = ${mail_id}::uuid
  `);
}

/** Notes why a delivery failed and when it is tried again. */
export async function postponeDelivery(
  connection: Connection,
  { mail_id, attempts }: TakenDelivery,
  { reason, dueAt }: { reason: string; dueAt: Date },
): Promise<void> {
  // Where another process has taken it since, what became of our attempt is stale.
  await connection.query(sql`
    update outbox
    set last_error = ${reason}, leased_until = null, due_at = ${dueAt.toISOString()}::timestamptz
    where mail_id = ${mail_id}::uuid and attempts = ${attempts} and status = 'waiting'
  `);
}

/** Notes why a delivery failed for good, and switches its webhook off. */
export function giveDeliveryUp(
  database: Database,
  { mail_id, webhook_id, attempts }: TakenDelivery,
  { reason, switchedOff, now }: { reason: string; switchedOff: string; now: Date },
): Promise<void> {
  return database.transaction(async (connection) => {
    // Whoever changes a webhook locks it first and its deliveries then.
    await connection.query(sql`
      select 1 from webhooks where webhook_id = ${webhook_id}::uuid for no key update
    `);
    const failed = await connection.query(sql`
      update outbox
      set status = 'failed', finished_at = ${now.toISOString()}::timestamptz, leased_until = null,
        last_error = ${reason}, payload_id = null
      where mail_id = ${mail_id}::uuid and attempts = ${attempts} and status = 'waiting'
      returning 1
    `);
    if (failed.length > 0) {
      await disableWebhook(connection, webhook_id, { reason: switchedOff, now });
    }
  });
}

/** Removes what no delivery tells any more. */
export async function prunePayloads(connection: Connection): Promise<void> {
  await connection.query(sql`
    delete from webhook_payloads
    where not exists (
      select 1 from outbox where outbox.payload_id = webhook_payloads.payload_id
    )
  `);
}
