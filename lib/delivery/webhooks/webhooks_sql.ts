import { type Connection, type Database, queryOne } from "../../database/database.ts";
import { isoTime, json, sql, timestamp } from "../../database/sql.ts";
import { LAST_CHANGE } from "../../roadmap/changes/changes_sql.ts";
import type { Cadence } from "../../text/cadence.ts";
import type { MailState } from "../outbox/messages_sql.ts";
import type { WebhookFilter, WebhookKind } from "./webhook.ts";

/** How a webhook is known, and where it is reached, encrypted. */
interface SealedWebhook {
  webhook_id: string;
  kind: WebhookKind;
  target: Uint8Array;
}

/** Stores a webhook, which receives what changes from now on; false if its name is taken. */
export async function storeWebhook(
  connection: Connection,
  { webhook_id, name, kind, shown_url, target, filter, cadence }:
    & SealedWebhook
    & Pick<ListedWebhook, "name" | "shown_url" | "filter" | "cadence">,
  now: Date,
): Promise<boolean> {
  const added = await connection.query(sql`
    insert into webhooks (
      webhook_id, name, kind, shown_url, target, filter, cadence,
      last_notified_change, created_at
    )
    values (
      ${webhook_id}::uuid, ${name}, ${kind}, ${shown_url}, ${target},
      ${json(filter)}, ${cadence}, ${LAST_CHANGE}, ${timestamp(now)}
    )
    on conflict (name) do nothing
    returning 1
  `);
  return added.length === 1;
}

/** A webhook as it is listed; times in UTC, ISO 8601. */
export interface ListedWebhook {
  name: string;
  kind: WebhookKind;
  shown_url: string;
  filter: WebhookFilter;
  cadence: Cadence;
  /** Null: it is enabled. */
  disabled_at: string | null;
  disabled_reason: string | null;
  /** What became of the newest delivery, if there was one. */
  last_status: MailState | null;
  last_at: string | null;
}

/** All webhooks, by name. */
export function listWebhooks(connection: Connection): Promise<ListedWebhook[]> {
  return connection.query(sql`
    select name, webhooks.kind, shown_url, filter, cadence,
      ${isoTime(sql`disabled_at`)} as disabled_at, disabled_reason,
      last.status as last_status, ${isoTime(sql`last.created_at`)} as last_at
    from webhooks
    left join lateral (
      select status, created_at from outbox
      where outbox.webhook_id = webhooks.webhook_id
      order by created_at desc
      limit 1
    ) as last on true
    order by name collate "C"
  `);
}

/** Where a webhook is reached, encrypted; null if none has this name. */
export async function findTarget(
  connection: Connection,
  name: string,
): Promise<SealedWebhook | null> {
  const [found] = await connection.query<SealedWebhook>(sql`
    select webhook_id, kind, target from webhooks where name = ${name}
  `);
  return found ?? null;
}

/** Changes where a webhook is reached, or its secret; false where somebody else did since `from`. */
export async function storeTarget(
  connection: Connection,
  webhookId: string,
  { from, to }: { from: Uint8Array; to: Uint8Array },
): Promise<boolean> {
  const stored = await connection.query(sql`
    update webhooks set target = ${to}
    where webhook_id = ${webhookId}::uuid and target = ${from}
    returning 1
  `);
  return stored.length === 1;
}

/**
 * Changes what a webhook is narrowed to, its cadence, and its address if one is given; false if it is
 * gone. What waits for it is sent with its new cadence: from the next moment of that, not at once.
 */
export async function updateWebhook(
  connection: Connection,
  webhookId: string,
  { filter, cadence, target = null, shownUrl = null }: {
    filter: WebhookFilter;
    cadence: Cadence;
    /** Encrypted. */
    target?: Uint8Array | null;
    shownUrl?: string | null;
  },
): Promise<boolean> {
  const updated = await connection.query(sql`
    update webhooks
    set filter = ${json(filter)}, target = coalesce(${target}::bytea, target),
      shown_url = coalesce(${shownUrl}::text, shown_url),
      cadence = ${cadence}
    where webhook_id = ${webhookId}::uuid
    returning 1
  `);
  return updated.length === 1;
}

/** Removes a webhook with its deliveries; false if none has this name. */
export async function removeWebhook(connection: Connection, name: string): Promise<boolean> {
  const removed = await connection.query(sql`
    delete from webhooks where name = ${name} returning 1
  `);
  return removed.length === 1;
}

/**
 * Enables a webhook for what is imported from now on, and makes deliveries that wait for their next
 * attempt due; null if none has this name, otherwise how many deliveries are due now.
 */
export function enableWebhook(
  database: Database,
  name: string,
  now: Date,
): Promise<number | null> {
  return database.transaction(async (connection) => {
    const [enabled] = await connection.query<{ webhook_id: string }>(sql`
      update webhooks
      set disabled_at = null, disabled_reason = null,
        last_notified_change = case
          when disabled_at is null then last_notified_change else ${LAST_CHANGE}
        end
      where name = ${name}
      returning webhook_id
    `);
    if (enabled === undefined) return null;
    const due = await connection.query(sql`
      update outbox set due_at = least(due_at, ${timestamp(now)})
      where webhook_id = ${enabled.webhook_id}::uuid and status = 'waiting'
      returning 1
    `);
    return due.length;
  });
}

/** Disables a webhook; its waiting deliveries fail. */
export async function disableWebhook(
  connection: Connection,
  webhookId: string,
  { reason, now }: { reason: string; now: Date },
): Promise<void> {
  const moment = timestamp(now);
  await connection.query(sql`
    update webhooks set disabled_at = ${moment}, disabled_reason = ${reason}
    where webhook_id = ${webhookId}::uuid and disabled_at is null
  `);
  await connection.query(sql`
    update outbox
    set status = 'failed', finished_at = ${moment}, leased_until = null, payload_id = null,
      last_error = coalesce(last_error || '; ', '') || 'the webhook was disabled'
    where webhook_id = ${webhookId}::uuid and status = 'waiting'
  `);
}

/** A delivery as it is listed; times in UTC, ISO 8601. */
export interface ListedDelivery {
  mail_id: string;
  name: string;
  status: MailState;
  attempts: number;
  created_at: string;
  due_at: string;
  finished_at: string | null;
  last_error: string | null;
}

/** The newest deliveries, newest first, of one webhook or of all. */
export function listDeliveries(
  connection: Connection,
  { name, limit }: { name: string | null; limit: number },
): Promise<ListedDelivery[]> {
  return connection.query(sql`
    select mail_id, name, status, attempts, last_error,
      ${isoTime(sql`outbox.created_at`)} as created_at,
      ${isoTime(sql`due_at`)} as due_at,
      ${isoTime(sql`finished_at`)} as finished_at
    from outbox join webhooks using (webhook_id)
    where ${name === null ? sql`true` : sql`name = ${name}`}
    order by outbox.created_at desc, mail_id
    limit ${limit}
  `);
}

/** Counts webhooks that are enabled and disabled, and deliveries that are waiting or failed. */
export function countWebhooks(connection: Connection): Promise<{
  enabled: number;
  disabled: number;
  deliveries: Partial<Record<MailState, number>>;
}> {
  return queryOne(
    connection,
    sql`
      select
        (select count(*)::int from webhooks where disabled_at is null) as enabled,
        (select count(*)::int from webhooks where disabled_at is not null) as disabled,
        (
          select coalesce(jsonb_object_agg(status, count), '{}')
          from (
            select status, count(*)::int as count from outbox
            where webhook_id is not null and status in ('waiting', 'failed')
            group by status
          ) as counted
        ) as deliveries
    `,
  );
}
