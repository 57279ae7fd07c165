import { raiseDataVersion } from "../database/data_version.ts";
import { type Connection, queryOne } from "../database/database.ts";
import { isoTime, json, type Sql, sql } from "../database/sql.ts";
import type { Remarks } from "./remarks.ts";

/** How many items an import added, changed, removed, restored and found unchanged. */
export interface ImportCounts {
  added: number;
  changed: number;
  removed: number;
  restored: number;
  unchanged: number;
}

/**
 * The record of an import; times are ISO 8601 in UTC, to the second, and the counts are null until
 * it has succeeded.
 */
export interface ImportRun extends Readonly<Record<keyof ImportCounts, number | null>>, Remarks {
  run_id: number;
  /** Where the items came from, without secrets. */
  source: string;
  source_name: string;
  as_of: string;
  started_at: string;
  /** Null: it is running, or its process was killed. */
  finished_at: string | null;
  /** Null: it has not failed. */
  error: string | null;
  /** The same as everybody may know it; null also of a run of an earlier version. */
  public_error: string | null;
}

const RUN = sql`
  run_id, source, source_name, as_of::text as as_of,
  ${isoTime(sql`started_at`)} as started_at,
  ${isoTime(sql`finished_at`)} as finished_at,
  added, changed, removed, restored, unchanged, error, public_error, repaired, left_out, notes
`;

/** The newest imports, of all sources or of one, newest first. */
export function readRuns(
  connection: Connection,
  limit: number,
  sourceName: string | null = null,
): Promise<ImportRun[]> {
  return connection.query(sql`
    select ${RUN}
    from import_runs
    where ${sourceName === null ? sql`true` : sql`source_name = ${sourceName}`}
    order by run_id desc
    limit ${limit}
  `);
}

/** The last import of each of these sources, if there was one. */
export function readLastRuns(
  connection: Connection,
  sources: readonly string[],
): Promise<ImportRun[]> {
  return connection.query(sql`
    select ${RUN}
    from ${sourceNamesSql(sources)}
    cross join lateral (
      select * from import_runs
      where source_name = wanted.name
      order by run_id desc
      limit 1
    ) as last
  `);
}

/** As JSON: the connection of the health checks does not support arrays. */
function sourceNamesSql(sources: readonly string[]): Sql {
  return sql`jsonb_array_elements_text(${json(sources)}) as wanted (name)`;
}

/** How many seconds ago an import of each of these sources last succeeded, if one did. */
export async function readAges(
  connection: Connection,
  sources: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await connection.query<{ name: string; age: number }>(sql`
    select name, extract(epoch from now() - finished_at)::float8 as age
    from ${sourceNamesSql(sources)}
    cross join lateral (
      select finished_at from import_runs
      where source_name = wanted.name and is_good
      order by run_id desc
      limit 1
    ) as last
  `);
  return new Map(rows.map(({ name, age }) => [name, age]));
}

/** How many seconds ago an import last succeeded; null if none did. */
export async function readAgeOfData(connection: Connection): Promise<number | null> {
  const [run] = await connection.query<{ age: number }>(sql`
    select extract(epoch from now() - finished_at)::float8 as age
    from import_runs
    where is_good and run_kind <> 'announcements'
    order by run_id desc
    limit 1
  `);
  return run?.age ?? null;
}

/** When an import last changed something; if none did, when the database was made. */
export async function readTimeOfData(connection: Connection): Promise<string> {
  const { time } = await queryOne<{ time: string }>(
    connection,
    sql`
      select ${isoTime(sql`coalesce(last.finished_at, made.at)`)} as time
      from (select min(applied_at) as at from migrations) as made
      left join lateral (
        select finished_at from import_runs
        where added + changed + removed + restored > 0
        order by run_id desc
        limit 1
      ) as last on true
    `,
  );
  return time;
}

/**
 * Deletes imports older than 30 days that changed nothing, some at a time, but not the last success
 * of a source: until then its releases were watched.
 */
export async function pruneRuns(connection: Connection): Promise<void> {
  await connection.query(sql`
    delete from import_runs
    where run_id in (
      select run_id from import_runs
      where started_at < now() - interval '30 days'
        and coalesce(added + changed + removed + restored, 0) = 0
        and run_id not in (
          select distinct on (source_name) run_id from import_runs
          where is_good
          order by source_name, as_of desc, run_id desc
        )
        and run_id not in (
          select max(run_id) from import_runs where day_order is not null group by source_name
        )
      order by run_id
      limit 100
    )
  `);
}

/** Records the start of an import, and returns its number. */
export async function startRun(
  connection: Connection,
  { kind = "import", source, sourceName, asOf, partial }: {
    kind?: "import" | "removal" | "sample";
    source: string;
    sourceName: string;
    asOf: string;
    partial: boolean;
  },
): Promise<number> {
  const { run_id } = await queryOne<{ run_id: number }>(
    connection,
    sql`
      insert into import_runs (run_kind, source, source_name, as_of, partial, reads_dates)
      values (${kind}, ${source}, ${sourceName}, ${asOf}::date, ${partial}, true)
      returning run_id
    `,
  );
  return run_id;
}

/** Records the result of a successful import: whether it is news, and the order of day and month in it. */
export async function finishRun(
  connection: Connection,
  runId: number,
  counts: ImportCounts,
  { remarks, dayOrder = null, isNews = true }: {
    remarks?: Remarks | undefined;
    dayOrder?: "DMY" | "MDY" | null;
    isNews?: boolean;
  } = {},
): Promise<void> {
  const { repaired, left_out, notes } = remarks ?? { repaired: null, left_out: null, notes: null };
  const { is_first } = await queryOne<{ is_first: boolean | null }>(
    connection,
    sql`
      update import_runs as run
      set finished_at = clock_timestamp(), added = ${counts.added}, changed = ${counts.changed},
        removed = ${counts.removed}, restored = ${counts.restored}, unchanged = ${counts.unchanged},
        repaired = ${repaired}, left_out = ${json(left_out)}, notes = ${json(notes)},
        day_order = ${dayOrder}, is_news = ${isNews}
      where run_id = ${runId}
      returning date_trunc('quarter', as_of) > (
        select date_trunc('quarter', max(as_of)) from import_runs as earlier
        where earlier.source_name = run.source_name and earlier.run_id <> run.run_id and is_good
      ) as is_first
    `,
  );
  // The first reading of a source after a quarter settles the promises for it, even unchanged.
  if (is_first) await raiseDataVersion(connection);
}

/** The order of day and month in the last import of a source that proved one. */
export async function readDayOrder(
  connection: Connection,
  sourceName: string,
): Promise<"DMY" | "MDY" | null> {
  const [run] = await connection.query<{ day_order: "DMY" | "MDY" }>(sql`
    select day_order from import_runs
    where source_name = ${sourceName} and day_order is not null
    order by run_id desc
    limit 1
  `);
  return run?.day_order ?? null;
}

/** The latest day of the snapshots of a source; null: there is none but the sample. */
export async function readLastDay(
  connection: Connection,
  sourceName: string,
): Promise<string | null> {
  const { day } = await queryOne<{ day: string | null }>(
    connection,
    sql`
      select max(as_of)::text as day
      from import_runs
      where source_name = ${sourceName} and run_kind = 'import' and is_good
    `,
  );
  return day;
}

/** Where a source was last read with success; null: nowhere yet. */
export async function readLastPlace(
  connection: Connection,
  sourceName: string,
): Promise<string | null> {
  const [run] = await connection.query<{ source: string }>(sql`
    select source
    from import_runs
    where source_name = ${sourceName} and run_kind = 'import' and is_good
    order by run_id desc
    limit 1
  `);
  return run?.source ?? null;
}

/** Forgets a run of which nothing was stored. */
export async function forgetRun(connection: Connection, runId: number): Promise<void> {
  await connection.query(sql`delete from import_runs where run_id = ${runId}`);
}

/** Records why an import failed, and what it would have removed, if it was refused for that. */
export async function failRun(
  connection: Connection,
  runId: number,
  { error, inPublic, removals }: { error: string; inPublic: string; removals: unknown },
): Promise<void> {
  await connection.query(sql`
    update import_runs
    set finished_at = now(), error = ${error}, public_error = ${inPublic},
      refused = ${removals === null ? null : json(removals)}
    where run_id = ${runId}
  `);
}

/** Records that the source has not changed, and counts the unchanged items. */
export async function confirmRun(
  connection: Connection,
  runId: number,
  source: string,
): Promise<ImportCounts & { remarks: Remarks | null }> {
  const { unchanged } = await queryOne<{ unchanged: number }>(
    connection,
    sql`
      select count(*)::int as unchanged from items where active and source = ${source}
    `,
  );
  const [before] = await connection.query<Remarks>(sql`
    select repaired, left_out, notes
    from import_runs
    where source_name = ${source} and is_good
    order by run_id desc
    limit 1
  `);
  const counts = { added: 0, changed: 0, removed: 0, restored: 0, unchanged };
  await finishRun(connection, runId, counts, { remarks: before });
  return { ...counts, remarks: before ?? null };
}
