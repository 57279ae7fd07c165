import type { Connection } from "../database/database.ts";
import { sql } from "../database/sql.ts";

/** When a source was last read with success. */
export interface SourceReading {
  name: string;
  /** The as-of day of the import, `YYYY-MM-DD`. */
  day: string;
  /** In milliseconds since 1970; for an import as of an earlier day, the end of that day. */
  at: number;
}

/** The last reading of each source that has active items, by name. */
export function readSourceReadings(connection: Connection): Promise<SourceReading[]> {
  return connection.query(sql`
    select source_name as name, max(as_of)::text as day,
      extract(epoch from max(least(
        finished_at, (as_of + 1)::timestamp at time zone 'UTC'
      )))::float8 * 1000 as at
    from import_runs
    where is_good and run_kind <> 'removal'
      and exists (select from items where active and items.source = source_name)
    group by source_name
    order by source_name
  `);
}

/** After this many intervals a source is late. */
const INTERVALS = 3;
/** A late source may be read again at any moment. */
const LATE_RECHECK_MS = 5 * 60_000;

/** The sources as they were last read, told apart by whether their schedule asks for more. */
export interface JudgedReadings {
  current: SourceReading[];
  late: SourceReading[];
  /** Until when that holds without another import, in milliseconds since 1970. */
  until: number;
}

/** Tells which sources with a schedule have not been read for three times their interval. */
export function judgeReadings(
  readings: readonly SourceReading[],
  sources: readonly { name: string; everyMinutes: number }[],
  now: Date,
): JudgedReadings {
  const moment = now.getTime();
  const lateFrom = ({ name, at }: SourceReading) => {
    const source = sources.find((source) => source.name === name);
    return source ? at + source.everyMinutes * INTERVALS * 60_000 : Infinity;
  };
  const { late = [], current = [] } = Object.groupBy(
    readings,
    (reading) => lateFrom(reading) <= moment ? "late" : "current",
  );
  const until = Math.min(...current.map(lateFrom));
  return {
    current,
    late,
    until: late.length > 0 ? Math.min(until, moment + LATE_RECHECK_MS) : until,
  };
}

/** Whether a run is the first one to read its source on its day, or on a later one. */
export async function isFirstOfDay(connection: Connection, runId: number): Promise<boolean> {
  const rows = await connection.query(sql`
    select
    from import_runs as own
    where run_id = ${runId} and not exists (
      select from import_runs as earlier
      where earlier.source_name = own.source_name and earlier.run_id < own.run_id
        and earlier.as_of >= own.as_of and earlier.is_good
    )
  `);
  return rows.length > 0;
}
