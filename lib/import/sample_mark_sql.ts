import type { Connection } from "../database/database.ts";
import { sql } from "../database/sql.ts";

/**
 * Removes the sample roadmap wholly, if that is what the database holds. No change tells of it, so
 * that whoever followed the changes has to begin anew: as with another database.
 */
export async function clearSample(connection: Connection): Promise<boolean> {
  const cleared = await connection.query(sql`
    update service_state set holds_sample = false, database_id = gen_random_uuid()
    where holds_sample
    returning 1
  `);
  if (cleared.length === 0) return false;
  await connection.query(sql`delete from items`);
  return true;
}

/** Marks what the database holds as the sample. */
export async function markSample(connection: Connection): Promise<void> {
  await connection.query(sql`update service_state set holds_sample = true`);
}
