import { type Connection, queryOne } from "../database/database.ts";
import { type Sql, sql } from "../database/sql.ts";
import type { ItemFilter } from "./filter.ts";
import type { ListName } from "./filter_values.ts";
import { whereFilter } from "./items_sql.ts";

/** The distinct values of the active items, sorted by code point. */
export interface FilterOptions {
  product_names: string[];
  release_types: string[];
  release_statuses: string[];
}

/** What the lists of the filter can be set to. */
export function readFilterOptions(connection: Connection): Promise<FilterOptions> {
  return queryOne(
    connection,
    sql`
      select
        array(
          select distinct product_name collate "C" from items where active order by 1
        ) as product_names,
        array(
          select distinct release_type collate "C" from items where active order by 1
        ) as release_types,
        array(
          select distinct release_status collate "C" from items where active order by 1
        ) as release_statuses
    `,
  );
}

const COLUMNS: Readonly<Record<ListName, Sql>> = {
  product_name: sql`product_name`,
  release_type: sql`release_type`,
  release_status: sql`release_status`,
};

/** How many items of a collection have each value of a column, sorted by value. */
export async function countValues(
  connection: Connection,
  name: ListName,
  among: ItemFilter | readonly string[],
): Promise<Record<string, number>> {
  const column = COLUMNS[name];
  const condition = Array.isArray(among)
    ? sql`release_item_id = any(${among}::uuid[])`
    : whereFilter(among as ItemFilter);
  const rows = await connection.query<{ value: string; count: number }>(sql`
    select ${column} as value, count(*)::int as count
    from items
    where ${condition}
    group by 1
    order by ${column} collate "C"
  `);
  return Object.fromEntries(rows.map(({ value, count }) => [value, count]));
}
