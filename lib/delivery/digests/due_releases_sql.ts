import type { Connection } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";
import { dueDays, type DuePeriod } from "../../roadmap/filter/filter_values.ts";
import { isDue } from "../../roadmap/filter/conditions_sql.ts";
import { LISTED_ITEM } from "../../roadmap/items_sql.ts";
import type { ListedItem } from "../../roadmap/item.ts";
import { type Covering, isCoveredBy } from "./pending_changes_sql.ts";

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
