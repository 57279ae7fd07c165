import { type Connection, type Database, queryOne } from "../../database/database.ts";
import { json, type Sql, sql, timestamp } from "../../database/sql.ts";
import { LAST_CHANGE } from "../../roadmap/changes/changes_sql.ts";
import type { Cadence } from "../../text/cadence.ts";
import {
  claimNext,
  giveMessageUp,
  insertMessages,
  postponeMessage,
  TRIED_FOR,
} from "../outbox/messages_sql.ts";
import type { WebhookFilter, WebhookKind, WebhookPayload } from "./webhook.ts";
import { disableWebhook } from "./webhooks_sql.ts";

/** A webhook for which changes are put together. */
export interface NotifiedWebhook {
  webhook_id: string;
  kind: WebhookKind;
  filter: WebhookFilter;
  /** The id of the last change that it received, or that there was before. */
  last_notified_change: number;
}

/** Which enabled webhooks changes are put together for: those of a cadence, or one of them by its id. */
export interface WebhookAudience {
  cadence: Cadence;
  only?: string | undefined;
}

/** Locks such webhooks until the transaction ends; others who queue wait. */
export function lockWebhooks(
  connection: Connection,
  { cadence, only }: WebhookAudience,
): Promise<NotifiedWebhook[]> {
  return connection.query(sql`
    select webhook_id, kind, filter, last_notified_change::float8 as last_notified_change
    from webhooks
    where disabled_at is null and cadence = ${cadence}
      and (${only ?? null}::uuid is null or webhook_id = ${only ?? null}::uuid)
    order by webhook_id
    for no key update
  `);
}

/** The id of the last change; 0: there is none. */
export async function readLastChangeId(connection: Connection): Promise<number> {
  const { last } = await queryOne<{ last: number }>(
    connection,
    sql`select ${LAST_CHANGE}::float8 as last`,
  );
  return last;
}

/** Puts a delivery, with the changes up to one, in the queue of each of some webhooks. */
export async function queueDeliveries(
  connection: Connection,
  webhookIds: readonly string[],
  { payload, upTo, now }: { payload: WebhookPayload; upTo: number; now: Date },
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
          select webhook_id, 'webhook', payload_id, last_notified_change, ${upTo}::bigint
          from webhooks, payload
          where webhook_id = any(${[...webhookIds]}::uuid[])
        `,
      now,
    })
  }
  `);
}

/** Records that webhooks are up to date to a change. */
export async function noteNotified(
  connection: Connection,
  webhookIds: readonly string[],
  upTo: number,
): Promise<void> {
  await connection.query(sql`
    update webhooks set last_notified_change = ${upTo}::bigint
    where webhook_id = any(${[...webhookIds]}::uuid[])
  `);
}

/** A delivery that this process is to send now. */
export interface ClaimedDelivery {
  mail_id: string;
  webhook_id: string;
  name: string;
  kind: WebhookKind;
  /** Encrypted. */
  target: Uint8Array;
  payload_id: string;
  /** Counts from 1. */
  attempts: number;
  /** Milliseconds since 1970. */
  give_up_at: number;
}

/** How long nobody came for a delivery that was due, as in an outage: no receiver is blamed for it. */
function timeAway(now: Date): Sql {
  const late = sql`(${timestamp(now)} - due_at)`;
  return sql`case when ${late} > interval '4 hours' then ${late} else '0' end`;
}

/**
 * Claims a delivery that is due, those first that have failed least, so that receivers that answer
 * do not wait behind those that hang; null where none is due. Of the deliveries of a webhook only the
 * first that waits is claimed, so that over all processes they go out one after another and in order.
 */
export async function claimDelivery(
  connection: Connection,
  { now, leaseSeconds }: { now: Date; leaseSeconds: number },
): Promise<ClaimedDelivery | null> {
  const [delivery] = await connection.query<ClaimedDelivery>(sql`
    ${
    claimNext({
      isWanted: sql`webhook_id is not null and changes_up_to = (
        select min(earlier.changes_up_to) from outbox as earlier
        where earlier.webhook_id = outbox.webhook_id and earlier.status = 'waiting'
      )`,
      order: sql`attempts, due_at`,
      limit: 1,
      now,
      leaseSeconds,
    })
  }
    select mail_id, webhook_id, name, webhooks.kind, target, payload_id, attempts,
      (extract(epoch from give_up_at + ${timeAway(now)}) * 1000)::float8 as give_up_at
    from claimed join webhooks using (webhook_id)
  `);
  return delivery ?? null;
}

/** Notes why a delivery failed, when it is tried again, and until when: if it begins anew, for as long as ever. */
export async function postponeDelivery(
  connection: Connection,
  delivery: ClaimedDelivery,
  { reason, dueAt, beginsAnew }: { reason: string; dueAt: Date; beginsAnew: boolean },
): Promise<void> {
  const giveUpAt = beginsAnew
    ? sql`${timestamp(dueAt)} + ${TRIED_FOR.webhook}`
    : timestamp(new Date(delivery.give_up_at));
  await postponeMessage(connection, delivery, { reason, dueAt, giveUpAt });
}

/** Notes that the receiver of a webhook has answered, whatever it said. */
export async function noteAnswer(
  connection: Connection,
  { webhook_id }: ClaimedDelivery,
  now: Date,
): Promise<void> {
  await connection.query(sql`
    update webhooks set answered_at = ${timestamp(now)}
    where webhook_id = ${webhook_id}::uuid
      and (answered_at is null or answered_at not between
        ${timestamp(now)} - interval '10 minutes' and ${timestamp(now)})
  `);
}

/**
 * Whether our own network may be to blame that a receiver does not answer: others were tried, and
 * none has answered for longer than any waits between two attempts. It is to blame for a month at most.
 */
export async function mayBeOurNetwork(
  connection: Connection,
  { mail_id, webhook_id }: ClaimedDelivery,
  now: Date,
): Promise<boolean> {
  const { is_possible } = await queryOne<{ is_possible: boolean }>(
    connection,
    sql`
      select created_at > ${timestamp(now)} - interval '30 days'
        and exists (
          select from outbox
          where webhook_id <> ${webhook_id}::uuid and status = 'waiting' and last_error is not null
        )
        and not exists (
          select from webhooks where answered_at > ${timestamp(now)} - interval '5 hours'
        ) as is_possible
      from outbox where mail_id = ${mail_id}::uuid
    `,
  );
  return is_possible;
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

/** Notes that a delivery was accepted. */
export async function finishDelivery(
  connection: Connection,
  { mail_id }: ClaimedDelivery,
  now: Date,
): Promise<void> {
  await connection.query(sql`
    update outbox
    set status = 'sent', finished_at = ${timestamp(now)}, leased_until = null, last_error = null,
      payload_id = null
    where mail_id = ${mail_id}::uuid
  `);
}

/** Notes why a delivery failed for good, and switches its webhook off. */
export function giveDeliveryUp(
  database: Database,
  delivery: ClaimedDelivery,
  { reason, disabled, now }: { reason: string; disabled: string; now: Date },
): Promise<void> {
  const { webhook_id } = delivery;
  return database.transaction(async (connection) => {
    // Every change of a webhook locks it first and its deliveries then.
    await connection.query(sql`
      select 1 from webhooks where webhook_id = ${webhook_id}::uuid for no key update
    `);
    if (await giveMessageUp(connection, delivery, { reason, now })) {
      await disableWebhook(connection, webhook_id, { reason: disabled, now });
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
