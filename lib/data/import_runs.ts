import type { Connection } from "./database.ts";
import type { ImportCounts } from "./imports.ts";
import { isoTime, sql } from "./sql.ts";

/** One import, as it is remembered; times are ISO 8601 in UTC, to the second. */
export interface ImportRun extends Partial<Record<keyof ImportCounts, number>> {
  run_id: number;
  source: string;
  /** `YYYY-MM-DD` */
  as_of: string;
  started_at: string;
  /** Null: it is running, or its process was killed. */
  finished_at: string | null;
  /** Null: it has not failed. */
  error: string | null;
}

/** The newest imports, newest first. */
export function readRuns(connection: Connection, limit: number): Promise<ImportRun[]> {
  return connection.query(sql`
    select run_id, source, as_of::text as as_of,
      ${isoTime(sql`started_at`)} as started_at,
      ${isoTime(sql`finished_at`)} as finished_at,
      added, changed, removed, restored, unchanged, error
    from import_runs
    order by run_id desc
    limit ${limit}
  `);
}

/** How many seconds ago an import ended well; null where none did. */
export async function readAgeOfData(connection: Connection): Promise<number | null> {
  const [run] = await connection.query<{ age: number }>(sql`
    select extract(epoch from now() - finished_at)::float8 as age
    from import_runs
    where finished_at is not null and error is null
    order by run_id desc
    limit 1
  `);
  return run?.age ?? null;
}

/** Forgets imports of more than 30 days ago that changed nothing, some at a time. */
export async function pruneRuns(connection: Connection): Promise<void> {
  await connection.query(sql`
    delete from import_runs
    where run_id in (
      select run_id from import_runs
      where started_at < now() - interval '30 days'
        and coalesce(added + changed + removed + restored, 0) = 0
      order by run_id
      limit 100
    )
  `);
}
