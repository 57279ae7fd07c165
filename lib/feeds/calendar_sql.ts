import type { Connection } from "../database/database.ts";
import { type Sql, sql } from "../database/sql.ts";
import type { ItemFilter } from "../roadmap/filter/filter.ts";
import type { ListedItem } from "../roadmap/item.ts";
import { LISTED_ITEM, whereFilter } from "../roadmap/items_sql.ts";

/** A release in a calendar. */
export type CalendarItem = ListedItem & {
  release_date: string;
  /** Of its whole history. */
  change_count: number;
  /** Planned for today or later, and neither shipped nor stopped. */
  is_ahead: boolean;
  /** Removed or cancelled before today. */
  is_cancelled: boolean;
  /** Which date its day is; absent: the release date. */
  date_name?: string;
};

/** Which releases a calendar holds. */
interface CalendarQuery {
  /** The ids of those that it chooses from; null: all that pass the filter. */
  ids: readonly string[] | null;
  filter: ItemFilter;
  /** Releases that were removed or cancelled on or after this day are included. */
  removedSince: string;
  /** If there are more, those nearest to this day are kept. */
  today: string;
  limit: number;
}

/** The releases with a date, in the order of their dates. */
export function readCalendar(
  connection: Connection,
  { ids, filter, removedSince, today, limit }: CalendarQuery,
): Promise<CalendarItem[]> {
  const { include_inactive, q, words, ...others } = filter;
  const isChosen = ids === null
    ? whereFilter({ ...others, q, words, include_inactive: true })
    : sql`${whereFilter({ ...others, include_inactive: true })} and release_item_id = any(${[
      ...ids,
    ]}::uuid[])`;
  const stays = include_inactive
    ? sql`true`
    : others.release_status
    ? sql`active`
    : sql`(active and tone <> 'stopped')`;
  const isNotified: Sql = sql`(${stays} or last_modified >= ${removedSince}::date)`;
  return connection.query(sql`
    with nearest as (
      select *
      from items
      where release_date is not null and ${isChosen} and ${isNotified}
      order by abs(release_date - ${today}::date), release_date, release_item_id
      limit ${limit}
    ),
    counted as (
      select release_item_id, count(*)::int as change_count
      from changes
      where release_item_id in (select release_item_id from nearest)
      group by release_item_id
    )
    select ${LISTED_ITEM}, coalesce(change_count, 0) as change_count,
      active and tone in ('planned', 'in_progress') and release_date >= ${today}::date as is_ahead,
      (not active or tone = 'stopped') and last_modified < ${today}::date as is_cancelled
    from nearest as items
    left join counted using (release_item_id)
    order by items.release_date, release_item_id
  `);
}
