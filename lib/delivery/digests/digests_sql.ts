import type { Cadence } from "../../text/cadence.ts";
import { type ChangedItem, COMPARED_LENGTH, type Digest } from "./digest.ts";
import type { Variant, VariantName } from "../../roadmap/variant.ts";
import { changeUpTo, isShownBy } from "../../roadmap/changes/changes_sql.ts";
import { ADVISORY_LOCKS } from "../../database/advisory_locks.ts";
import { type Connection, queryOne } from "../../database/database.ts";
import { LISTED_ITEM } from "../../roadmap/items_sql.ts";
import { insertMessages } from "../queue/queued_messages_sql.ts";
import { every, type Sql, sql } from "../../database/sql.ts";
import type { Scope } from "../../roadmap/filter/preference_list.ts";

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

/** Whom a run tells: of some cadences, and not who has paused on its day. */
export interface Audience {
  readonly cadences: readonly Cadence[];
  /** `YYYY-MM-DD` */
  readonly day: string;
}

function isIn({ cadences, day }: Audience): Sql {
  return every([
    sql`state = 'verified' and cadence = any(${[...cadences]}::text[])`,
    sql`(paused_until is null or paused_until <= ${day}::date)`,
  ]);
}

/** How many subscribers there are to tell, whether there is anything new for them or not. */
export async function countAudience(connection: Connection, audience: Audience): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    connection,
    sql`select count(*)::int as count from subscriptions where ${isIn(audience)}`,
  );
  return count;
}

/** Subscribers who get the same digest: same preferences, and up to date to the same change. */
export interface SubscriberGroup {
  filter_key: string;
  variant: VariantName;
  scope: Scope;
  products: string[];
  types: string[];
  statuses: string[];
  releases: string[];
  /** The id of the last change that they were told, or that there was before. */
  last_notified_change: string;
}

/** The groups of an audience that have not received everything up to a change. */
export function listGroups(
  connection: Connection,
  audience: Audience,
  upTo: string,
): Promise<SubscriberGroup[]> {
  return connection.query(sql`
    select filter_key, any_value(variant) as variant, any_value(scope) as scope,
      any_value(products) as products, any_value(types) as types, any_value(statuses) as statuses,
      any_value(releases)::text[] as releases, last_notified_change::text as last_notified_change
    from subscriptions
    where ${isIn(audience)} and last_notified_change < ${upTo}::bigint
    group by filter_key, last_notified_change
    order by filter_key, subscriptions.last_notified_change
  `);
}

/**
 * The items that changed after what a group has been told, up to a change, as far as they meet its
 * wishes and its variant shows them: the first of so many in all, newest day first, and inside a
 * day by product, name and id. Of each field an item has one change, from the first old value to
 * the last new one, and none where these are the same.
 */
export async function readPendingChanges(
  connection: Connection,
  group: SubscriberGroup,
  { upTo, variant, limit }: { upTo: string; variant: Variant; limit: number },
): Promise<{ items: ChangedItem[]; total: number }> {
  const isIncluded = (changeId: Sql) =>
    every([
      sql`${changeId} > ${group.last_notified_change}::bigint and ${changeId} <= ${upTo}::bigint`,
      isShownBy(variant),
    ]);
  // An expression is in no index: the few changes of one item are found by the item, also where the
  // database does not know, as in a prepared statement, how many changes the bounds let in.
  const rows = await connection.query<ChangedItem & { total: number }>(sql`
    with changed as (
      select release_item_id, max(day) as newest_day
      from changes
      where ${isIncluded(sql`change_id`)}
      group by release_item_id
    ),
    listed as (
      select release_item_id, newest_day, count(*) over ()::int as total,
        row_number() over (
          order by newest_day desc, lower(product_name) collate "C",
            lower(feature_name) collate "C", release_item_id
        ) as place
      from changed
      join items using (release_item_id)
      where ${variant.showsInactive ? sql`true` : sql`active`} and ${isCoveredBy(group)}
      order by place
      limit ${limit}
    )
    select ${LISTED_ITEM}, newest_day::text as day, total,
      (
        select coalesce(jsonb_agg(${changeUpTo(COMPARED_LENGTH)} order by change_id), '[]')
        from (
          select newest.change_id, newest.kind, newest.field, oldest.old_value, newest.new_value,
            newest.fields, newest.day, newest.run_id
          from (
            select min(change_id) as oldest_id, max(change_id) as newest_id
            from changes
            where changes.release_item_id = items.release_item_id
              and ${isIncluded(sql`(change_id + 0)`)}
            group by kind, field
          ) as spans
          join changes as oldest on oldest.change_id = oldest_id
          join changes as newest on newest.change_id = newest_id
          where newest.kind <> 'changed' or oldest.old_value is distinct from newest.new_value
        ) as net_changes
      ) as changes
    from listed join items using (release_item_id)
    order by place
  `);
  return { items: rows, total: rows[0]?.total ?? 0 };
}

/** The condition that an item is covered by what a group has chosen. */
function isCoveredBy({ scope, products, types, statuses, releases }: SubscriberGroup): Sql {
  if (scope === "all") return sql`true`;
  const isWatched = sql`release_item_id = any(${releases}::uuid[])`;
  const lists = [
    [sql`product_name`, products],
    [sql`release_type`, types],
    [sql`release_status`, statuses],
  ] as const;
  const narrowing = lists.filter(([, values]) => values.length > 0)
    .map(([column, values]) => sql`${column} = any(${values}::text[])`);
  if (scope === "watched" || narrowing.length === 0) return isWatched;
  return sql`(${isWatched} or ${every(narrowing)})`;
}

/** Stores what a digest tells, for all whom it tells the same. */
export async function storeDigest(
  connection: Connection,
  digest: Digest,
  now: Date,
): Promise<string> {
  const { digest_id } = await queryOne<{ digest_id: string }>(
    connection,
    sql`
      insert into digests (content, created_at)
      values (${JSON.stringify(digest)}::text::jsonb, ${now.toISOString()}::timestamptz)
      returning digest_id
    `,
  );
  return digest_id;
}

/** What a digest tells; null where there is none with this id, or only one from before a moment. */
export async function readDigest(
  connection: Connection,
  digestId: string,
  { since }: { since?: Date } = {},
): Promise<Digest | null> {
  const [found] = await connection.query<{ content: Digest }>(sql`
    select content from digests
    where digest_id = ${digestId}::uuid
      and ${since ? sql`created_at >= ${since.toISOString()}::timestamptz` : sql`true`}
  `);
  return found?.content ?? null;
}

/**
 * Notes for the next subscribers of a group, in the order of their ids, that they have been told
 * everything up to a change, and puts a digest for each into the outbox, where there is one. Others
 * who queue wait until the transaction ends, so that nobody is told the same twice.
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
): Promise<{ told: number; last: string | null }> {
  await lockQueueing(connection);
  return await queryOne(
    connection,
    sql`
      with next as (
        select subscription_id from subscriptions
        where filter_key = ${group.filter_key} and ${isIn(audience)}
          and last_notified_change = ${group.last_notified_change}::bigint
          and (${after}::uuid is null or subscription_id > ${after}::uuid)
        order by subscription_id
        limit ${limit}
        for no key update
      ),
      told as (
        update subscriptions set last_notified_change = ${upTo}::bigint
        from next
        where subscriptions.subscription_id = next.subscription_id
        returning subscriptions.subscription_id
      ),
      queued as (
        ${
      insertMessages("mail", {
        columns: sql`subscription_id, kind, digest_id, changes_after, changes_up_to`,
        rows: sql`
          select subscription_id, 'digest', ${digestId}::uuid,
            ${group.last_notified_change}::bigint, ${upTo}::bigint
          from told
          where ${digestId !== null}
        `,
        now,
      })
    }
      )
      select count(*)::int as told, max(subscription_id::text) as last from told
    `,
  );
}

/** Keeps everybody else from queueing until the transaction ends. */
async function lockQueueing(connection: Connection): Promise<void> {
  await connection.query(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.digests})`);
}
