import type { Connection } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import { IS_NEWS } from "../../roadmap/changes/changes_sql.ts";
import { isBetween } from "../../roadmap/changes/net_changes_sql.ts";
import { isDue, isDueWithin } from "../../roadmap/filter/conditions_sql.ts";
import type { ChangesFilter } from "../../roadmap/filter/filter.ts";
import { dueDays } from "../../roadmap/filter/filter_values.ts";
import type { ListedItem } from "../../roadmap/item.ts";
import { LISTED_ITEM } from "../../roadmap/items_sql.ts";
import { isChosenBy } from "../../roadmap/words/searches_sql.ts";
import { DUE_PERIODS, type DueSection } from "./due_section.ts";

/** The condition that an item is one of some releases. */
export function isWatched(ids: readonly string[]): Sql {
  return sql`release_item_id = any(${[...ids]}::uuid[])`;
}

/** The ids of the items that a filter chooses, of those that changed in a period or are due on its day. */
export async function findChosen(
  connection: Connection,
  filter: ChangesFilter,
  { today, ...period }: { after: string; upTo: string; today: string },
): Promise<string[]> {
  const rows = await connection.query<{ id: string }>(sql`
    select release_item_id as id from items
    where ${await isChosenBy(connection, filter, today)} and (
      (active and ${isDueWithin(DUE_PERIODS, today)})
      or release_item_id in (select release_item_id from changes where ${isBetween(period)})
    )
  `);
  return rows.map(({ id }) => id);
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

/** A release that comes up or is overdue. */
export interface DueRelease {
  release_item_id: string;
  period: DueSection["period"];
}

/** The releases that come up or are overdue on a day, `YYYY-MM-DD`: what is nearest to it comes first. */
export function listDueReleases(connection: Connection, today: string): Promise<DueRelease[]> {
  const [first, second] = DUE_PERIODS;
  return connection.query(sql`
    select release_item_id,
      case when ${isDue(dueDays(first, today))} then ${first} else ${second} end as period
    from items
    where active and ${isDueWithin(DUE_PERIODS, today)}
    order by abs(items.release_date - ${today}::date), lower(product_name) collate "C",
      lower(feature_name) collate "C", release_item_id
  `);
}

/** The items with these ids, as a list shows them. */
export function readListedItems(
  connection: Connection,
  ids: readonly string[],
): Promise<ListedItem[]> {
  return connection.query(sql`select ${LISTED_ITEM} from items where ${isWatched(ids)}`);
}
