import type { Connection } from "../database/database.ts";
import { sql } from "../database/sql.ts";

/**
 * The planned days (`YYYY-MM-DD`) that items had before their dates last moved, by id.
 *
 * @param day only moves until this day count; absent: all
 */
export async function readMovedFrom(
  connection: Connection,
  ids: readonly string[],
  day?: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.query<{ release_item_id: string; moved_from: string }>(sql`
    select distinct on (release_item_id) release_item_id, old_value as moved_from
    from changes
    where release_item_id = any(${ids}::uuid[])
      and field = 'release_date' and old_value is not null and new_value is not null
      and ${day === undefined ? sql`true` : sql`day <= ${day}::date`}
    order by release_item_id, change_id desc
  `);
  return new Map(rows.map(({ release_item_id, moved_from }) => [release_item_id, moved_from]));
}
