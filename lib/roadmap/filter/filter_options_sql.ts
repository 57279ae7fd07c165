import { type FilterOptions, namesOfSeveral } from "./filter_options.ts";
import type { ListedValues } from "./listed_values.ts";
import { type Connection, queryOne } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";

/** A list takes no more than this; 100,000 names of 40 letters do. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;
/** A form lists no more values of a filter. */
const MAX_LISTED = 500;

/** All values, sorted by code point. */
export async function readFilterOptions(connection: Connection): Promise<FilterOptions> {
  const { names, ...options } = await readLists<string[]>(connection, (column) =>
    sql`
    array(
      select value
      from (
        select value, sum(octet_length(value) + 3) over (order by value) as bytes
        from (select distinct ${column} collate "C" as value from active_items) as found
      ) as weighed
      where bytes <= ${MAX_LIST_BYTES}
      order by value
    )
  `);
  return { ...options, sources: namesOfSeveral(names) };
}

/** The values that most items have, sorted by code point, and how many there are in all. */
export async function readListedOptions(
  connection: Connection,
): Promise<FilterOptions<ListedValues>> {
  const { names, ...options } = await readLists<ListedValues>(connection, (column) =>
    sql`
    (
      with found as (
        select ${column} collate "C" as value, sum(items) as uses from active_items group by 1
      )
      select jsonb_build_object(
        'values', array(
          select value
          from (select value from found order by uses desc, value limit ${MAX_LISTED}) as most_used
          order by value
        ),
        'total', (select count(*) from found)
      )
    )
  `);
  const values = namesOfSeveral(names);
  return { ...options, sources: { values, total: values.length } };
}

/** Reads all lists in one pass over the items. */
function readLists<List>(
  connection: Connection,
  listOf: (column: Sql) => Sql,
): Promise<Omit<FilterOptions<List>, "sources"> & { names: string[] }> {
  return queryOne(
    connection,
    sql`
      with active_items as materialized (
        select product_name, release_type, release_status, source, count(*) as items
        from items
        where active
        group by 1, 2, 3, 4
      )
      select
        ${listOf(sql`product_name`)} as product_names,
        ${listOf(sql`release_type`)} as release_types,
        ${listOf(sql`release_status`)} as release_statuses,
        array(select distinct source from active_items order by source) as names
    `,
  );
}
