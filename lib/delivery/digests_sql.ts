import type { ChangedItem, Digest } from "./digest.ts";
import type { Variant, VariantName } from "../roadmap/variant.ts";
import { changeUpTo, isShownBy } from "../roadmap/changes_sql.ts";
import { type Connection, queryOne } from "../database/database.ts";
import { LISTED_ITEM } from "../roadmap/items_sql.ts";
import { TRIED_FOR } from "./outbox_sql.ts";
import { every, sql } from "../database/sql.ts";

/** A mail shortens values further, after it has taken their marks away. */
const DIGEST_VALUE = 1_000;

/** The change that was stored last (its id), and the newest day of all; null where there is none. */
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

/** So many verified subscriptions in the order of their ids, after a given one. */
export async function listVerified(
  connection: Connection,
  { after, limit }: { after: string | null; limit: number },
): Promise<string[]> {
  const rows = await connection.query<{ subscription_id: string }>(sql`
    select subscription_id
    from subscriptions
    where state = 'verified'
      and (${after}::uuid is null or subscription_id > ${after}::uuid)
    order by subscription_id
    limit ${limit}
  `);
  return rows.map(({ subscription_id }) => subscription_id);
}

/** A verified subscription that has not been told everything up to a change. */
export interface PendingDigest {
  subscription_id: string;
  variant: VariantName;
  /** The id of the last change that was told, or that there was before. */
  last_notified_change: string;
}

/**
 * Takes a subscription for telling it of everything up to a change, and keeps others waiting; null
 * where it is not verified any more, or has been told.
 */
export async function claimPendingDigest(
  connection: Connection,
  subscriptionId: string,
  upTo: string,
): Promise<PendingDigest | null> {
  const [pending] = await connection.query<PendingDigest>(sql`
    select subscription_id, variant, last_notified_change::text as last_notified_change
    from subscriptions
    where subscription_id = ${subscriptionId}::uuid
      and state = 'verified' and last_notified_change < ${upTo}::bigint
    for no key update
  `);
  return pending ?? null;
}

/**
 * The items that changed after what a subscription has been told, up to a change, as far as they
 * meet its preferences and its variant shows them: the first of so many in all, newest day first, and
 * inside a day by product, name and id.
 */
export async function readPendingChanges(
  connection: Connection,
  { subscription_id, last_notified_change }: PendingDigest,
  { upTo, variant, limit }: { upTo: string; variant: Variant; limit: number },
): Promise<{ items: ChangedItem[]; total: number }> {
  const isIncluded = every([
    sql`change_id > ${last_notified_change}::bigint and change_id <= ${upTo}::bigint`,
    isShownBy(variant),
  ]);
  const rows = await connection.query<ChangedItem & { total: number }>(sql`
    with changed as (
      select release_item_id, max(day) as newest_day
      from changes
      where ${isIncluded}
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
      join subscriptions on subscription_id = ${subscription_id}::uuid
      where ${variant.showsInactive ? sql`true` : sql`active`}
        and (products = '{}' or product_name = any(products))
        and (types = '{}' or release_type = any(types))
        and (statuses = '{}' or release_status = any(statuses))
      order by place
      limit ${limit}
    )
    select ${LISTED_ITEM}, newest_day::text as day, total,
      (
        select jsonb_agg(${changeUpTo(DIGEST_VALUE)} order by change_id)
        from changes
        where changes.release_item_id = items.release_item_id and ${isIncluded}
      ) as changes
    from listed join items using (release_item_id)
    order by place
  `);
  return { items: rows, total: rows[0]?.total ?? 0 };
}

/** Notes up to which change a subscription has been told. */
export async function markNotified(
  connection: Connection,
  subscriptionId: string,
  upTo: string,
): Promise<void> {
  await connection.query(sql`
    update subscriptions set last_notified_change = ${upTo}::bigint
    where subscription_id = ${subscriptionId}::uuid
  `);
}

/** Puts into the outbox a digest of everything up to a change that a subscription was not told. */
export async function queueDigest(
  connection: Connection,
  { subscription_id, last_notified_change }: PendingDigest,
  { digest, upTo, now }: { digest: Digest; upTo: string; now: Date },
): Promise<void> {
  await connection.query(sql`
    insert into outbox (
      subscription_id, kind, digest, changes_after, changes_up_to, created_at, due_at, give_up_at
    )
    values (
      ${subscription_id}::uuid, 'digest', ${JSON.stringify(digest)}::text::jsonb,
      ${last_notified_change}::bigint, ${upTo}::bigint,
      ${now.toISOString()}::timestamptz, ${now.toISOString()}::timestamptz,
      ${now.toISOString()}::timestamptz + ${TRIED_FOR}
    )
  `);
}
