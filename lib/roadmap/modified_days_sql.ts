import type { Connection } from "../database/database.ts";
import { sql } from "../database/sql.ts";

/** Of these items, in the same order, the id and the day of the last change (`YYYY-MM-DD`). */
export function readModifiedDays(
  connection: Connection,
  ids: readonly string[],
): Promise<{ release_item_id: string; last_modified: string }[]> {
  return connection.query(sql`
    select release_item_id, last_modified::text as last_modified
    from unnest(${ids}::uuid[]) with ordinality as wanted (release_item_id, position)
    join items using (release_item_id)
    order by position
  `);
}
