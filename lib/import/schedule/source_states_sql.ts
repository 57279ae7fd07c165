import type { Connection } from "../../database/database.ts";
import { isoTime, sql } from "../../database/sql.ts";
import { type ImportRun, readLastRuns } from "../import_runs_sql.ts";
import { scheduleOf } from "./schedule_name.ts";

/** The stored state of a source. */
export interface SourceState {
  name: string;
  /** How many active items it has. */
  active: number;
  /** How many products these have. */
  products: number;
  /** When it is imported next, ISO 8601 in UTC; null: it has no schedule. */
  due_at: string | null;
  /** Its import runs now, or begins in a few seconds. */
  import: "running" | "due" | null;
  last_run: ImportRun | null;
}

/** The sources that have active items, and those of the given names, sorted by name. */
export async function readSourceStates(
  connection: Connection,
  names: readonly string[],
): Promise<SourceState[]> {
  const counts = await connection.query<{ name: string; active: number; products: number }>(sql`
    select source as name, count(distinct release_item_id)::int as active,
      count(distinct product)::int as products
    from items cross join unnest(product_names) as product
    where active
    group by source
  `);
  const all = [...new Set([...names, ...counts.map(({ name }) => name)])].sort();
  const schedules = await connection.query<
    { name: string; due_at: string; import: SourceState["import"] }
  >(sql`
    select name, ${isoTime(sql`due_at`)} as due_at,
      case when held_until > now() then 'running' when due_at <= now() then 'due' end as import
    from schedules
    where name = any(${all.map(scheduleOf)}::text[])
  `);
  const runs = await readLastRuns(connection, all);
  return all.map((name) => {
    const schedule = schedules.find((schedule) => schedule.name === scheduleOf(name));
    return {
      active: 0,
      products: 0,
      ...counts.find((count) => count.name === name),
      name,
      due_at: schedule?.due_at ?? null,
      import: schedule?.import ?? null,
      last_run: runs.find(({ source_name }) => source_name === name) ?? null,
    };
  });
}
