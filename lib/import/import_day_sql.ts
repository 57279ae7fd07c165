import { type Connection, queryOne } from "../database/database.ts";
import { sql } from "../database/sql.ts";
import { SnapshotError } from "./snapshot_error.ts";

/** An import has a day that has not come anywhere on earth. */
class LaterDay extends SnapshotError {
  override get inPublic(): string {
    return "the day of the import is in the future";
  }
}

/**
 * Refuses the day of an import, `YYYY-MM-DD`, that is later than the database's tomorrow: the day of a
 * release moves forward and never back, so each of its later changes would be dated so. No time zone
 * is further ahead of UTC than a day.
 *
 * @throws {SnapshotError} that says what to check
 */
export async function refuseLaterDay(connection: Connection, asOf: string): Promise<void> {
  const { tomorrow } = await queryOne<{ tomorrow: string }>(
    connection,
    sql`select ((now() at time zone 'UTC')::date + 1)::text as tomorrow`,
  );
  if (asOf <= tomorrow) return;
  throw new LaterDay(
    `The day of the import, ${asOf}, is in the future: by the clock of the database, tomorrow is ` +
      `${tomorrow}. Check the day that was given, or the clocks of this machine and the database`,
  );
}
