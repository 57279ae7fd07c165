import type { Connection } from "../../database/database.ts";
import { every, type Sql, sql } from "../../database/sql.ts";
import {
  CHANGED_FIELDS,
  isDue,
  isDueWithin,
  kindsFor,
  kindsOf,
} from "../../roadmap/filter/conditions_sql.ts";
import { changeUpTo, IS_NEWS, isShownBy } from "../../roadmap/changes/changes_sql.ts";
import { LISTED_ITEM, whereFilter } from "../../roadmap/items_sql.ts";
import type { Variant } from "../../roadmap/variant.ts";
import { isFoundBy } from "../../roadmap/words/searches_sql.ts";
import { type ChangedItem, COMPARED_LENGTH } from "./digest.ts";
import type { SubscriberGroup } from "./digests_sql.ts";
import { dueDays, type DuePeriod } from "../../roadmap/filter/filter_values.ts";
import type { ListedItem } from "../../roadmap/item.ts";

/** In its beginning a description has its first sentence. */
const DESCRIPTION_LENGTH = 1_000;

/** What a group's digest covers, and since which change; it need not have subscribers. */
export type PendingFor = Omit<SubscriberGroup, "filter_key" | "variant">;

/** Up to which change items are read, how many, and as of which day, `YYYY-MM-DD`. */
interface PendingOptions {
  upTo: string;
  variant: Variant;
  limit: number;
  today: string;
}

/**
 * The items that changed after the last digest of a group, up to a change, as far as they meet its
 * preferences and its variant shows them: the first ones, newest day first, and inside a
 * day by product, name and id. Of each field an item has one change, from the first old value to
 * the last new one, and none where these are the same.
 */
export async function readPendingChanges(
  connection: Connection,
  group: PendingFor,
  { upTo, variant, limit, today }: PendingOptions,
): Promise<{ items: ChangedItem[]; total: number }> {
  const isIncluded = (changeId: Sql) =>
    every([
      sql`${changeId} > ${group.last_notified_change}::bigint and ${changeId} <= ${upTo}::bigint`,
      isShownBy(variant),
      IS_NEWS,
    ]);
  const isCovered = await isCoveredBy(connection, group, today);
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
      where ${variant.showsInactive ? sql`true` : sql`active`} and ${isCovered}
        and ${hasWantedKind(group, { upTo, variant })}
      order by place
      limit ${limit}
    )
    select ${LISTED_ITEM}, newest_day::text as day, total, changes,
      left(feature_description, ${DESCRIPTION_LENGTH}) as description,
      jsonb_build_object('quarter', ${kindsOf("quarter")}, 'day', ${kindsOf("day")}) as kinds
    from listed
    join items using (release_item_id)
    cross join lateral (
      ${netChanges(isIncluded(sql`(change_id + 0)`))}
    ) as net
    cross join lateral (
      select (array_agg(tone_before order by entry_id))[1] as tone_before,
        (array_agg(tone_after order by entry_id desc))[1] as tone_after
      from change_entries
      where change_entries.release_item_id = items.release_item_id
        and entry_id > ${group.last_notified_change}::bigint and entry_id <= ${upTo}::bigint
    ) as tones
    order by place
  `);
  return { items: rows, total: rows[0]?.total ?? 0 };
}

/**
 * What became of each field of an item: `changes`, `event` and `CHANGED_FIELDS`.
 *
 * @param isIncluded uses an expression, which is in no index: the few changes of one item are found by
 *   the item, also where the database does not know, as in a prepared statement, how many changes the
 *   bounds let in
 */
function netChanges(isIncluded: Sql): Sql {
  return sql`
    select coalesce(jsonb_agg(${changeUpTo(COMPARED_LENGTH)} order by change_id), '[]') as changes,
      case when bool_or(kind = 'added') then 'added'
        else (array_agg(kind order by change_id desc) filter (where kind <> 'changed'))[1]
      end as event,
      ${CHANGED_FIELDS}
    from (
      select newest.change_id, newest.kind, newest.field, oldest.old_value, newest.new_value,
        newest.fields, newest.day, newest.run_id, null as kinds, newest.by_source
      from (
        select min(change_id) as oldest_id, max(change_id) as newest_id
        from changes
        where changes.release_item_id = items.release_item_id and ${isIncluded}
        group by kind, field
      ) as spans
      join changes as oldest on oldest.change_id = oldest_id
      join changes as newest on newest.change_id = newest_id
      where newest.kind <> 'changed' or oldest.old_value is distinct from newest.new_value
    ) as net_changes
  `;
}

/** What of preferences says which releases are covered. */
export type Covering = Omit<PendingFor, "last_notified_change">;

/** The condition that an item is covered on a day, `YYYY-MM-DD`, by what a group has chosen. */
async function isCoveredBy(
  connection: Connection,
  { scope, filter, releases }: Covering,
  today: string,
): Promise<Sql> {
  if (scope === "all") return sql`true`;
  const isWatched = sql`release_item_id = any(${releases}::uuid[])`;
  if (scope === "watched") return isWatched;
  const { kind: _, q = [], due = [], ...lists } = filter;
  const isChosen = every([
    whereFilter({ ...lists, include_inactive: true }),
    await isFoundBy(connection, q),
    isDueWithin(due, today),
  ]);
  return sql`(${isWatched} or ${isChosen})`;
}

/** The condition that one of the imports since then made a change of a kind that a group wants. */
function hasWantedKind(
  { filter: { kind }, last_notified_change }: PendingFor,
  { upTo, variant }: { upTo: string; variant: Variant },
): Sql {
  if (!kind) return sql`true`;
  return sql`exists (
    select from change_entries
    where change_entries.release_item_id = items.release_item_id
      and entry_id > ${last_notified_change}::bigint and entry_id <= ${upTo}::bigint
      and ${IS_NEWS}
      and ${kindsFor(variant)} && ${kind}::text[]
  )`;
}

/**
 * The changes of the last days up to the newest one, as the change before them and the last of
 * them; null where nothing has changed.
 */
export async function readLastDays(
  connection: Connection,
  days: number,
): Promise<{ after: string; upTo: string } | null> {
  const [found] = await connection.query<{ after: string | null; upTo: string }>(sql`
    select (min(change_id) - 1)::text as after, max(change_id)::text as "upTo"
    from changes
    where ${IS_NEWS} and day > (select max(day) from changes where ${IS_NEWS}) - ${days}::int
  `);
  return found && found.after !== null ? { after: found.after, upTo: found.upTo } : null;
}

/**
 * The first releases of a period that a group covers, with their number in all: what is nearest to
 * the day comes first.
 */
export async function readDueReleases(
  connection: Connection,
  group: Covering,
  { period, today, limit }: { period: DuePeriod; today: string; limit: number },
): Promise<{ items: ListedItem[]; total: number }> {
  const isCovered = await isCoveredBy(connection, group, today);
  const rows = await connection.query<ListedItem & { total: number }>(sql`
    select ${LISTED_ITEM}, count(*) over ()::int as total
    from items
    where active and ${isDue(dueDays(period, today))} and ${isCovered}
    order by abs(items.release_date - ${today}::date), lower(product_name) collate "C",
      lower(feature_name) collate "C", release_item_id
    limit ${limit}
  `);
  return { items: rows, total: rows[0]?.total ?? 0 };
}
