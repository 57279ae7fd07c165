import type { Cadence } from "../../text/cadence.ts";
import type { Digest } from "./digest.ts";
import type { VariantName } from "../../roadmap/variant.ts";
import { ADVISORY_LOCKS } from "../../database/advisory_locks.ts";
import { type Connection, queryOne } from "../../database/database.ts";
import { insertMessages } from "../outbox/messages_sql.ts";
import { every, json, type Sql, sql, timestamp } from "../../database/sql.ts";
import type { Preferences } from "../subscriptions/subscriptions_sql.ts";

/**
 * The change that was stored last (its id), and the newest day of all; null where there is none.
 */
export async function readLastChange(
  connection: Connection,
): Promise<{ change_id: string; day: string } | null> {
  // Imports are stored one after the other, so that nothing with a lower id can still come.
  const last = await queryOne<{ change_id: string | null; day: string | null }>(
    connection,
    sql`select max(change_id)::text as change_id, max(day)::text as day from changes`,
  );
  return last.change_id === null ? null : { change_id: last.change_id, day: last.day! };
}

/** The condition that a subscription gets digests on a day, `YYYY-MM-DD`. */
export function getsDigests(day: string): Sql {
  return sql`(state = 'verified' and (paused_until is null or paused_until <= ${day}::date))`;
}

/** Whom a run writes to: subscribers of some cadences who have not paused on its day. */
export interface Audience {
  readonly cadences: readonly Cadence[];
  /** `YYYY-MM-DD` */
  readonly day: string;
}

function isIn({ cadences, day }: Audience): Sql {
  return every([getsDigests(day), sql`cadence = any(${[...cadences]}::text[])`]);
}

/** How many subscribers an audience has, whether there is anything new for them or not. */
export async function countAudience(connection: Connection, audience: Audience): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    connection,
    sql`select count(*)::int as count from subscriptions where ${isIn(audience)}`,
  );
  return count;
}

/** What a digest is made for: preferences, and the last change that the one before it covered. */
export interface DigestReceiver extends Omit<Preferences, "cadence" | "reminders"> {
  /** The same for all who have these preferences. */
  filter_key: string;
  variant: VariantName;
  /** The id of the last change that was sent, or that there was before the first digest. */
  last_notified_change: string;
}

const WAITING = sql`kind = 'digest' and status = 'waiting'`;

/** The condition that a subscriber has not been sent everything up to a change, and no digest waits. */
function isBehind(upTo: string): Sql {
  return sql`(
    last_notified_change < ${upTo}::bigint
    and not exists (
      select from outbox
      where outbox.subscription_id = subscriptions.subscription_id and ${WAITING}
    )
  )`;
}

/** Has other runs wait until the transaction ends, so that no subscriber gets the same twice. */
export async function lockRuns(connection: Connection): Promise<void> {
  await connection.query(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.digests})`);
}

/** Has the digests that wait for an audience owe everything up to a change; returns how many did not. */
export async function oweMore(
  connection: Connection,
  audience: Audience,
  upTo: string,
): Promise<number> {
  const owing = await connection.query(sql`
    with owing as (
      select mail_id
      from outbox join subscriptions using (subscription_id)
      where ${WAITING} and changes_up_to < ${upTo}::bigint and ${isIn(audience)}
      order by mail_id
      for update of outbox
    )
    update outbox set changes_up_to = ${upTo}::bigint
    from owing
    where outbox.mail_id = owing.mail_id
    returning 1
  `);
  return owing.length;
}

/** The groups of those of an audience who are behind: each gets the same. */
export function listGroups(
  connection: Connection,
  audience: Audience,
  upTo: string,
): Promise<DigestReceiver[]> {
  return connection.query(sql`
    select filter_key, any_value(variant) as variant, any_value(scope) as scope,
      any_value(filter) as filter, any_value(releases)::text[] as releases,
      any_value(upcoming) as upcoming, last_notified_change::text as last_notified_change
    from subscriptions
    where ${isIn(audience)} and ${isBehind(upTo)}
    group by filter_key, last_notified_change
    order by filter_key, last_notified_change
  `);
}

/** Which of a group come next, in the order of their ids. */
export interface Next {
  audience: Audience;
  upTo: string;
  /** The id of the last one that was dealt with. */
  after: string | null;
  limit: number;
}

/** The next ones of a group, with a lock: who is deleted meanwhile is none of them. */
function nextOf(
  { filter_key, last_notified_change }: DigestReceiver,
  { audience, upTo, after, limit }: Next,
  lock: Sql,
): Sql {
  return sql`
    next as (
      select subscription_id
      from subscriptions
      where filter_key = ${filter_key} and last_notified_change = ${last_notified_change}::bigint
        and ${isIn(audience)} and ${isBehind(upTo)}
        and (${after}::uuid is null or subscription_id > ${after}::uuid)
      order by subscription_id
      limit ${limit}
      ${lock}
    )
  `;
}

/** Queues a digest that owes everything up to a change for the next ones of a group; returns their ids. */
export async function queueNext(
  connection: Connection,
  group: DigestReceiver,
  next: Next,
  now: Date,
): Promise<string[]> {
  const queued = await connection.query<{ id: string }>(sql`
    with ${nextOf(group, next, sql`for key share`)}
    ${
    insertMessages("mail", {
      columns: sql`subscription_id, kind, changes_up_to`,
      rows: sql`select subscription_id, 'digest', ${next.upTo}::bigint from next`,
      now,
    })
  }
    on conflict (subscription_id) where ${WAITING} do update
    set changes_up_to = greatest(outbox.changes_up_to, excluded.changes_up_to)
    returning subscription_id as id
  `);
  return queued.map(({ id }) => id);
}

/** Notes for the next ones of a group that nothing up to a change is for them; returns their ids. */
export async function passNext(
  connection: Connection,
  group: DigestReceiver,
  next: Next,
): Promise<string[]> {
  const passed = await connection.query<{ id: string }>(sql`
    with ${nextOf(group, next, sql`for no key update`)}
    update subscriptions set last_notified_change = ${next.upTo}::bigint
    from next
    where subscriptions.subscription_id = next.subscription_id
    returning subscriptions.subscription_id as id
  `);
  return passed.map(({ id }) => id);
}

/** Stores the content of a digest, once for all who get the same. */
export async function storeDigest(
  connection: Connection,
  digest: Digest,
  now: Date,
): Promise<string> {
  const { digest_id } = await queryOne<{ digest_id: string }>(
    connection,
    sql`
      insert into digests (content, created_at)
      values (${json(digest)}, ${timestamp(now)})
      returning digest_id
    `,
  );
  return digest_id;
}

/** The content of a digest; null if none has this id, or only one from before a moment. */
export async function readDigest(
  connection: Connection,
  digestId: string,
  { since }: { since?: Date } = {},
): Promise<Digest | null> {
  const [found] = await connection.query<{ content: Digest }>(sql`
    select content from digests
    where digest_id = ${digestId}::uuid
      and ${since ? sql`created_at >= ${timestamp(since)}` : sql`true`}
  `);
  return found?.content ?? null;
}
