import { type Connection, queryOne } from "../database/database.ts";
import { sql } from "../database/sql.ts";

/** How many of these sources failed at their last import. */
export async function countFailingSources(
  connection: Connection,
  names: readonly string[],
): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    connection,
    sql`
      select count(*)::int as count
      from unnest(${[...names]}::text[]) as name
      cross join lateral (
        select error from import_runs
        where source_name = name and finished_at is not null
        order by run_id desc
        limit 1
      ) as last
      where error is not null
    `,
  );
  return count;
}
