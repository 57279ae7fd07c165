import type { Connection } from "../../database/database.ts";
import { isoTime, sql } from "../../database/sql.ts";
import { type ImportRun, readLastRuns } from "../import_runs_sql.ts";
import type { ReadStatus } from "../mapping/table.ts";

/** The stored state of a source. */
export interface SourceState {
  name: string;
  active: number;
  products: number;
  /** How many tags, each group with each of its values. */
  tags: number;
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
  const counts = await connection.query<Pick<SourceState, "name" | "active" | "products" | "tags">>(
    sql`
    with of_items as (
      select source, count(*)::int as active from items where active group by source
    ),
    of_products as (
      select source, count(distinct product)::int as products
      from items cross join unnest(product_names) as product
      where active
      group by source
    ),
    of_tags as (
      select source, count(distinct (tag_group, value))::int as tags
      from items
      cross join jsonb_each(tags) as tag (tag_group, listed)
      cross join jsonb_array_elements_text(listed) as value
      where active and tags <> '{}'
      group by source
    )
    select source as name, active, products, coalesce(tags, 0) as tags
    from of_items
    join of_products using (source)
    left join of_tags using (source)
  `,
  );
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
      tags: 0,
      ...counts.find((count) => count.name === name),
      name,
      due_at: schedule?.due_at ?? null,
      import: schedule?.import ?? null,
      last_run: runs.find(({ source_name }) => source_name === name) ?? null,
    };
  });
}

/** A status of a source. */
export type StoredStatus = ReadStatus & { source: string };

/**
 * The statuses of active items, with what they count as and why: those that nobody knows first,
 * then the commonest.
 *
 * @param source null: of all sources, in the order of their names
 */
export function readStatuses(
  connection: Connection,
  source: string | null = null,
): Promise<StoredStatus[]> {
  return connection.query<StoredStatus>(sql`
    select source, release_status as status, count(*)::int as count, tone, tone_by as by
    from items
    where active and (${source}::text is null or source = ${source})
    group by source, release_status, tone, tone_by
    order by source, tone_by = 'unknown' desc, count(*) desc, release_status, tone
  `);
}

/** The name of the schedule of a source. */
export function scheduleOf(source: string): string {
  return `sync ${source}`;
}

/** The name of the schedule of a source's announcements. */
export function announcementsScheduleOf(source: string): string {
  return `announcements ${source}`;
}
