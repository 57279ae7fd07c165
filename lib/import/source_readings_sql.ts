import type { Connection } from "../database/database.ts";
import { sql } from "../database/sql.ts";

/** When a source was last read with success. */
export interface SourceReading {
  name: string;
  /** The as-of day of the import, `YYYY-MM-DD`. */
  day: string;
}

/** The last reading of each source that has active items, by name. */
export function readSourceReadings(connection: Connection): Promise<SourceReading[]> {
  return connection.query(sql`
    select source_name as name, max(as_of)::text as day
    from import_runs
    where finished_at is not null and error is null and not is_preview
      -- The removal of a source is noted as an import, but nothing was read.
      and source <> '(removed)'
      and exists (select from items where active and items.source = source_name)
    group by source_name
    order by source_name
  `);
}

/** Whether a run is the first one to read its source on its day, or on a later one. */
export async function isFirstOfDay(connection: Connection, runId: number): Promise<boolean> {
  const rows = await connection.query(sql`
    select
    from import_runs as own
    where run_id = ${runId} and not exists (
      select from import_runs as earlier
      where earlier.source_name = own.source_name and earlier.run_id < own.run_id
        and earlier.as_of >= own.as_of
        and earlier.finished_at is not null and earlier.error is null and not earlier.is_preview
    )
  `);
  return rows.length > 0;
}
