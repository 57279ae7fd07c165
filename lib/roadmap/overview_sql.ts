import { formatQuarter } from "../text/dates.ts";
import type { QuarterCount } from "./item.ts";
import { toneOf } from "./status_tone_sql.ts";
import type { Connection } from "../database/database.ts";
import { sql } from "../database/sql.ts";

/** Dates may lie anywhere; what is further away is no part of an overview. */
const YEARS = 10;

/** How many active items the quarters around a day have, the earliest quarter first. */
export async function countByQuarter(
  connection: Connection,
  day: string,
): Promise<QuarterCount[]> {
  const counts = await connection.query<QuarterCount>(sql`
    with counted as (
      select date_trunc('quarter', release_date)::date as quarter, release_status, count(*) as items
      from items
      where active
        and release_date between ${day}::date - make_interval(years => ${YEARS})
          and ${day}::date + make_interval(years => ${YEARS})
      group by 1, release_status
    ),
    toned as (
      select quarter, items, ${toneOf(sql`release_status`)} = 'shipped' as is_shipped from counted
    )
    select quarter::text as quarter,
      coalesce(sum(items) filter (where is_shipped), 0)::int as shipped,
      coalesce(sum(items) filter (where not is_shipped), 0)::int as planned
    from toned
    group by quarter
    order by quarter
  `);
  return counts.map((count) => ({ ...count, quarter: formatQuarter(count.quarter) }));
}

/** Of these items, in the same order, the id and the day of the last change (`YYYY-MM-DD`). */
export function readModifiedDays(
  connection: Connection,
  ids: readonly string[],
): Promise<{ release_item_id: string; last_modified: string }[]> {
  return connection.query(sql`
    select release_item_id, last_modified::text as last_modified
    from unnest(${ids}::uuid[]) with ordinality as wanted (release_item_id, position)
    join items using (release_item_id)
    order by position
  `);
}
