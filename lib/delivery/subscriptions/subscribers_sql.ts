import { type Connection, type Database, queryOne } from "../../database/database.ts";
import { isoTime, sql, timestamp } from "../../database/sql.ts";
import {
  preferenceColumns,
  type Preferences,
  type SubscriptionState,
} from "./subscriptions_sql.ts";
import { pruneMessages } from "../outbox/messages_sql.ts";
import { prunePayloads } from "../webhooks/deliveries_sql.ts";
import type { ChangeKind } from "../../roadmap/changes/kinds.ts";
import type { Scope } from "../../roadmap/filter/preference_lists.ts";
import type { VariantName } from "../../roadmap/variant.ts";
import type { Cadence } from "../../text/cadence.ts";

/** How many subscriptions there are in each state. */
export async function countSubscriptions(
  connection: Connection,
): Promise<Record<SubscriptionState, number>> {
  return await queryOne(
    connection,
    sql`
      select count(*) filter (where state = 'unverified')::int as unverified,
        count(*) filter (where state = 'verified')::int as verified,
        count(*) filter (where state = 'unsubscribed')::int as unsubscribed,
        count(*) filter (where state = 'bounced')::int as bounced
      from subscriptions
    `,
  );
}

/** How many verified subscribers get what, and how often. */
export interface SubscriberCounts {
  cadences: Partial<Record<Cadence, number>>;
  scopes: Partial<Record<Scope, number>>;
  /** Of those who chose kinds of changes. */
  kinds: Partial<Record<ChangeKind, number>>;
}

/** Counts the verified subscribers by what they chose. */
export function countChosen(connection: Connection): Promise<SubscriberCounts> {
  return queryOne(
    connection,
    sql`
      with verified as (select cadence, scope, filter from subscriptions where state = 'verified')
      select
        (
          select coalesce(jsonb_object_agg(cadence, count), '{}')
          from (select cadence, count(*)::int as count from verified group by cadence) as counted
        ) as cadences,
        (
          select coalesce(jsonb_object_agg(scope, count), '{}')
          from (select scope, count(*)::int as count from verified group by scope) as counted
        ) as scopes,
        (
          select coalesce(jsonb_object_agg(kind, count), '{}')
          from (
            select kind, count(*)::int as count
            from verified cross join jsonb_array_elements_text(filter -> 'kind') as kind
            group by kind
          ) as counted
        ) as kinds
    `,
  );
}

/** A subscription as it is exported; times in UTC, ISO 8601, null where it did not happen. */
export interface Subscriber extends Preferences {
  email: string;
  state: SubscriptionState;
  variant: VariantName;
  /** `YYYY-MM-DD` */
  paused_until: string | null;
  requested_at: string;
  verified_at: string | null;
  unsubscribed_at: string | null;
  /** When an email was rejected for good last, and why. */
  refused_at: string | null;
  refusal_reason: string | null;
}

/** A page of subscribers in the order of their addresses, after a given one. */
export function readSubscribers(
  connection: Connection,
  { after, limit, today }: { after: string; limit: number; today: string },
): Promise<Subscriber[]> {
  return connection.query(sql`
    select email, state, variant, ${preferenceColumns(today)},
      ${isoTime(sql`requested_at`)} as requested_at,
      ${isoTime(sql`verified_at`)} as verified_at,
      ${isoTime(sql`unsubscribed_at`)} as unsubscribed_at,
      ${isoTime(sql`refused_at`)} as refused_at, refusal_reason
    from subscriptions
    where email collate "C" > ${after}
    order by email collate "C"
    limit ${limit}
  `);
}

/** An address whose mailbox is set aside. */
interface BouncedMailbox {
  subscription_id: string;
  email: string;
  refused_at: string;
  refusal_reason: string;
}

/** The addresses whose mailboxes are set aside, those that refused last first, and why. */
export function readBounced(
  connection: Connection,
  limit: number,
): Promise<BouncedMailbox[]> {
  return connection.query(sql`
    select subscription_id, email, ${isoTime(sql`refused_at`)} as refused_at, refusal_reason
    from subscriptions
    where state = 'bounced'
    order by subscriptions.refused_at desc, email
    limit ${limit}
  `);
}

/** Removes everything that is known of an address; false where nothing is. */
export function deleteSubscriber(database: Database, email: string): Promise<boolean> {
  return database.transaction(async (connection) => {
    // In the order of everybody: the subscription, its mails. Its key is locked last: who takes a
    // mail for sending holds the mail, and then refers to that key.
    await connection.query(sql`
      select 1 from subscriptions where email = ${email} for no key update
    `);
    await connection.query(sql`
      delete from outbox using subscriptions
      where outbox.subscription_id = subscriptions.subscription_id and email = ${email}
    `);
    const deleted = await connection.query(sql`
      delete from subscriptions where email = ${email} returning 1
    `);
    return deleted.length === 1;
  });
}

/** How long verification tokens, emails, bounces and unverified subscriptions are stored. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Removes what was kept long enough: verification tokens, finished emails, digests, reports of bounces,
 * and subscriptions that were never verified. An address that had unsubscribed and was not verified
 * after a later request is unsubscribed again: otherwise others could have it emailed as if it had
 * never unsubscribed.
 */
export async function pruneSubscriptions(database: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - RETENTION_MS);
  await pruneMessages(database, before);
  await database.transaction(async (connection) => {
    // Subscriptions are locked first, and what belongs to them then. The link of an email that still
    // waits would do nothing: its receiver has unsubscribed.
    await connection.query(sql`
      with lapsed as (
        update subscriptions set state = 'unsubscribed'
        where state = 'unverified' and unsubscribed_at is not null
          and requested_at < ${timestamp(before)}
        returning subscription_id
      )
      update outbox
      set status = 'superseded', finished_at = ${timestamp(now)}
      from lapsed
      where outbox.subscription_id = lapsed.subscription_id and status = 'waiting'
    `);
    await connection.query(sql`
      delete from subscriptions
      where state = 'unverified' and requested_at < ${timestamp(before)}
    `);
    await connection.query(sql`delete from digests where created_at < ${timestamp(before)}`);
    await connection.query(sql`
      delete from reminders where planned_on < ${timestamp(before)}
    `);
    await connection.query(sql`
      delete from verification_tokens where created_at < ${timestamp(before)}
    `);
    await connection.query(sql`
      delete from bounce_reports where handled_at < ${timestamp(before)}
    `);
  });
  await prunePayloads(database);
}
