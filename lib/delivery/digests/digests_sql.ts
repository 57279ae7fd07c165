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

/** Whom a run writes to: subscribers of some cadences who have not paused on its day. */
export interface Audience {
  readonly cadences: readonly Cadence[];
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** The id of a subscription; absent: all of them. */
  readonly only?: string;
}

function isIn({ cadences, day, only }: Audience): Sql {
  return every([
    sql`state = 'verified' and cadence = any(${[...cadences]}::text[])`,
    sql`(paused_until is null or paused_until <= ${day}::date)`,
    only === undefined ? sql`true` : sql`subscription_id = ${only}::uuid`,
  ]);
}

/** How many subscribers an audience has, whether there is anything new for them or not. */
export async function countAudience(connection: Connection, audience: Audience): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    connection,
    sql`select count(*)::int as count from subscriptions where ${isIn(audience)}`,
  );
  return count;
}

/** Subscribers who get the same digest: same preferences, and up to date to the same change. */
export interface SubscriberGroup extends Omit<Preferences, "cadence" | "reminders"> {
  filter_key: string;
  variant: VariantName;
  /** The id of the last change that a digest covered, or that there was before the first one. */
  last_notified_change: string;
}

/** The waiting digest of each subscription, of which there is one at most. */
const WAITING = sql`
  (
    select subscription_id, mail_id, changes_after,
      coalesce(leased_until > now(), false) as is_on_its_way
    from outbox
    where kind = 'digest' and status = 'waiting'
  ) as waiting
`;

/** The last change that a subscriber was told of, where a waiting digest is told in full again. */
const POSITION = sql`coalesce(changes_after, last_notified_change)`;

/** The condition that a subscriber has not received everything up to a change. */
function isBehind(upTo: string): Sql {
  return sql`(last_notified_change < ${upTo}::bigint and is_on_its_way is not true)`;
}

/** The groups of an audience that have not received everything up to a change. */
export function listGroups(
  connection: Connection,
  audience: Audience,
  upTo: string,
): Promise<SubscriberGroup[]> {
  return connection.query(sql`
    select filter_key, any_value(variant) as variant, any_value(scope) as scope,
      any_value(filter) as filter, any_value(releases)::text[] as releases,
      any_value(upcoming) as upcoming, ${POSITION}::text as last_notified_change
    from subscriptions left join ${WAITING} using (subscription_id)
    where ${isIn(audience)} and ${isBehind(upTo)}
    group by filter_key, ${POSITION}
    order by filter_key, ${POSITION}
  `);
}

/**
 * Notes for subscribers whose digest is being sent right now that they get what changed since in
 * another one, which its sender queues.
 */
export async function promiseRest(
  connection: Connection,
  audience: Audience,
  upTo: string,
): Promise<void> {
  await connection.query(sql`
    update subscriptions set last_notified_change = ${upTo}::bigint
    where ${isIn(audience)} and last_notified_change < ${upTo}::bigint
      and subscription_id in (select subscription_id from ${WAITING} where is_on_its_way)
  `);
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

/**
 * Notes for the next subscribers of a group, in the order of their ids, that they are notified of
 * everything up to a change. Where there is a digest, it replaces the one that waits for a subscriber,
 * or is put into the outbox. Others who queue wait until the transaction ends, so that no subscriber
 * gets the same twice.
 */
export async function queueFor(
  connection: Connection,
  group: SubscriberGroup,
  { audience, upTo, digestId, after, limit, now }: {
    audience: Audience;
    upTo: string;
    /** Null: there is nothing new for the group. */
    digestId: string | null;
    /** The id of the last subscription that was dealt with. */
    after: string | null;
    limit: number;
    now: Date;
  },
): Promise<{ notified: number; last: string | null }> {
  await connection.query(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.digests})`);
  const { ids } = await lockNext(connection, group, { audience, upTo, after, limit });
  // A statement of its own: a mail that was taken for sending until its lock was ours is on its way.
  const { notified } = await queryOne<{ notified: number }>(
    connection,
    sql`
      with next as (
        select subscription_id, mail_id
        from subscriptions left join ${WAITING} using (subscription_id)
        where subscription_id = any(${ids}::uuid[]) and ${isAt(group, upTo)}
      ),
      notified as (
        update subscriptions set last_notified_change = ${upTo}::bigint
        from next
        where subscriptions.subscription_id = next.subscription_id
        returning 1
      ),
      joined as (
        update outbox
        set changes_up_to = ${upTo}::bigint, digest_id = ${digestId}::uuid,
          status = case when ${digestId !== null} then 'waiting' else 'superseded' end,
          finished_at = case when ${digestId === null} then ${timestamp(now)} end
        from next
        where outbox.mail_id = next.mail_id
      ),
      queued as (
        ${
      insertMessages("mail", {
        columns: sql`subscription_id, kind, digest_id, changes_after, changes_up_to`,
        rows: sql`
          select subscription_id, 'digest', ${digestId}::uuid,
            ${group.last_notified_change}::bigint, ${upTo}::bigint
          from next
          where mail_id is null and ${digestId !== null}
        `,
        now,
      })
    }
      )
      select count(*)::int as notified from notified
    `,
  );
  return { notified, last: ids.length < limit ? null : ids.at(-1)! };
}

/** Locks the next subscriptions of a group, and then the digests that wait for them. */
function lockNext(
  connection: Connection,
  group: SubscriberGroup,
  { audience, upTo, after, limit }: {
    audience: Audience;
    upTo: string;
    after: string | null;
    limit: number;
  },
): Promise<{ ids: string[] }> {
  return queryOne(
    connection,
    sql`
      with next as (
        select subscription_id
        from subscriptions left join ${WAITING} using (subscription_id)
        where filter_key = ${group.filter_key} and ${isIn(audience)} and ${isAt(group, upTo)}
          and (${after}::uuid is null or subscription_id > ${after}::uuid)
        order by subscription_id
        limit ${limit}
        for no key update of subscriptions
      ),
      waiting as (
        select mail_id
        from outbox
        where kind = 'digest' and status = 'waiting'
          and subscription_id in (select subscription_id from next)
        order by mail_id
        for update
      )
      select coalesce(array_agg(subscription_id::text order by subscription_id), '{}') as ids,
        (select count(*) from waiting)
      from next
    `,
  );
}

/** The condition that a subscriber is where a group is, and has not received everything. */
function isAt({ last_notified_change }: SubscriberGroup, upTo: string): Sql {
  return every([isBehind(upTo), sql`${POSITION} = ${last_notified_change}::bigint`]);
}
