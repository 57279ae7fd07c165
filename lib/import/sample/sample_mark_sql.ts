import type { Connection } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";

/**
 * Deletes the sample roadmap, if that is what the database contains. This is not a change, so
 * clients that follow the changes must start over, as with a new database.
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

/** Marks the content of the database as the sample. */
export async function markSample(connection: Connection): Promise<void> {
  await connection.query(sql`update service_state set holds_sample = true`);
}
