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

/**
 * The last reading of each source that has active items, by name. It is among the newest imports of a
 * source, unless somebody imported that many earlier days by hand since; all of a month would be many.
 */
export function readSourceReadings(connection: Connection): Promise<SourceReading[]> {
  return connection.query(sql`
    -- One step in an index for each source.
    with recursive sources (name) as (
      (select source from item_rows where active order by source limit 1)
      union all
      select (
        select source from item_rows where active and source > sources.name order by source limit 1
      )
      from sources
      where sources.name is not null
    )
    select name, max(as_of)::text as day,
      extract(epoch from max(least(
        finished_at, (as_of + 1)::timestamp at time zone 'UTC'
      )))::float8 * 1000 as at
    from sources
    cross join lateral (
      select as_of, finished_at
      from import_runs
      where source_name = sources.name
        -- The removal of a source is noted as an import, but nothing was read.
        and is_good and run_kind <> 'removal'
      order by run_id desc
      limit 100
    ) as newest
    group by name
    order by name
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
