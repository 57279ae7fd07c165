import type { Connection } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { entriesOf } from "../../lib/roadmap/changes/kinds_sql.ts";

/**
 * Notes for changes that no import stored what they did to their releases, and tells the planner of
 * them, as an import does.
 */
export async function noteEntries(connection: Connection): Promise<void> {
  const newest = sql`(select coalesce(max(entry_id), 0) from change_entries)`;
  await connection.query(sql`
    insert into change_entries (
      entry_id, first_change, run_id, release_item_id, day, tone_before, tone_after,
      kinds_by_quarter, kinds_by_day
    )
    ${entriesOf(sql`(select * from changes where change_id > ${newest})`)}
  `);
  await connection.script("analyze import_runs, changes, change_entries");
}
