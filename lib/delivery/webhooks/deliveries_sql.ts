import { type Connection, type Database, queryOne } from "../../database/database.ts";
import { json, sql } from "../../database/sql.ts";
import { LAST_CHANGE } from "../../roadmap/changes/changes_sql.ts";
import { leaseNext } from "../queue/outbox_lease_sql.ts";
import { giveMessageUp, insertMessages } from "../queue/queued_messages_sql.ts";
import type { WebhookFilter, WebhookKind, WebhookPayload } from "./webhook.ts";
import { disableWebhook } from "./webhooks_sql.ts";

/** Webhooks that get the same delivery: same filter, and up to date to the same change. */
export interface WebhookGroup {
  filter: WebhookFilter;
  /** The id of the last change that they received, or that there was before. */
  last_notified_change: number;
}

/** The groups of enabled webhooks. */
export function listWebhookGroups(connection: Connection): Promise<WebhookGroup[]> {
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
  await connection.query(sql`
    with payload as (
      insert into webhook_payloads (content) values (${json(payload)})
      returning payload_id
    )
    ${
    insertMessages("webhook", {
      columns: sql`webhook_id, kind, payload_id, changes_after, changes_up_to`,
      rows: sql`
          select webhook_id, 'webhook', payload_id, last_notified_change, ${LAST_CHANGE}
          from webhooks, payload
          where disabled_at is null and filter = ${json(filter)}
            and last_notified_change = ${last_notified_change}::bigint
        `,
      now,
    })
  }
  `);
}

/** Records that all webhooks are up to date. */
export async function noteAllNotified(connection: Connection): Promise<void> {
  await connection.query(sql`
    update webhooks set last_notified_change = ${LAST_CHANGE}
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
 * do not wait behind those that hang; null where none is due. Of the deliveries of a webhook only the
 * first that waits is taken, so that over all processes they go out one after another and in order.
 */
export async function takeDelivery(
  connection: Connection,
  { now, leaseSeconds }: { now: Date; leaseSeconds: number },
): Promise<TakenDelivery | null> {
  const [delivery] = await connection.query<TakenDelivery>(sql`
    ${
    leaseNext({
      isWanted: sql`webhook_id is not null and changes_up_to = (
        select min(earlier.changes_up_to) from outbox as earlier
        where earlier.webhook_id = outbox.webhook_id and earlier.status = 'waiting'
      )`,
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

/** Reads the content of a delivery. */
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

/** Notes why a delivery failed for good, and switches its webhook off. */
export function giveDeliveryUp(
  database: Database,
  delivery: TakenDelivery,
  { reason, switchedOff, now }: { reason: string; switchedOff: string; now: Date },
): Promise<void> {
  const { webhook_id } = delivery;
  return database.transaction(async (connection) => {
    // Every change of a webhook locks it first and its deliveries then.
    await connection.query(sql`
      select 1 from webhooks where webhook_id = ${webhook_id}::uuid for no key update
    `);
    if (await giveMessageUp(connection, delivery, { reason, now })) {
      await disableWebhook(connection, webhook_id, { reason: switchedOff, now });
    }
  });
}

/** Removes the content that no delivery needs any more. */
export async function prunePayloads(connection: Connection): Promise<void> {
  await connection.query(sql`
    delete from webhook_payloads
    where not exists (
      select 1 from outbox where outbox.payload_id = webhook_payloads.payload_id
    )
  `);
}
