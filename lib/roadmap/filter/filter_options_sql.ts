import { type FilterOptions, namesOfSeveral } from "./filter_options.ts";
import type { ListedValues } from "./listed_values.ts";
import type { CachedRead } from "../../database/data_cache.ts";
import { type Connection, queryOne } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";

/** A list takes no more than this; 100,000 names of 40 letters do. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;
/** A form lists no more values of a filter. */
const MAX_LISTED = 500;

/** The most tags that are listed. */
const MAX_TAGS = 20_000;

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
  const tags = Object.fromEntries(
    [...await readTags(connection)].map((
      [group, found],
    ) => [group, found.map(({ value }) => value)]),
  );
  return { ...options, tags, sources: namesOfSeveral(names) };
}

/** The values that the filters of forms list: every page with a form needs them. */
export type ListedOptions = CachedRead<FilterOptions<ListedValues>>;

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
  const tags = Object.fromEntries(
    [...await readTags(connection)].map(([group, found]) => [group, listMostUsed(found)]),
  );
  return { ...options, tags, sources: { values, total: values.length } };
}

/** Reads all lists in one pass over the items. */
function readLists<List>(
  connection: Connection,
  listOf: (column: Sql) => Sql,
): Promise<Omit<FilterOptions<List>, "sources" | "tags"> & { names: string[] }> {
  return queryOne(
    connection,
    sql`
      with active_items as materialized (
        select product_names, release_type, release_status, source, count(*) as items
        from items
        where active
        group by 1, 2, 3, 4
      )
      select
        ${listOf(sql`unnest(product_names)`)} as product_names,
        ${listOf(sql`release_type`)} as release_types,
        ${listOf(sql`release_status`)} as release_statuses,
        array(select distinct source from active_items order by source) as names
    `,
  );
}

/** A tag of a group, and how many items have it. */
interface TagUse {
  group: string;
  value: string;
  uses: number;
}

/** The tags of active items by their groups, sorted by code point. */
async function readTags(connection: Connection): Promise<Map<string, TagUse[]>> {
  const rows = await connection.query<TagUse>(sql`
    select key as "group", member as value, count(*)::int as uses
    from items, jsonb_each(tags), jsonb_array_elements_text(value) as member
    where active and tags <> '{}'
    group by 1, 2
    order by key collate "C", member collate "C"
    limit ${MAX_TAGS}
  `);
  return Map.groupBy(rows, ({ group }) => group);
}

function listMostUsed(found: readonly TagUse[]): ListedValues {
  const most = new Set(found.toSorted((one, other) => other.uses - one.uses).slice(0, MAX_LISTED));
  const values = found.filter((tag) => most.has(tag)).map(({ value }) => value);
  return { values, total: found.length };
}
