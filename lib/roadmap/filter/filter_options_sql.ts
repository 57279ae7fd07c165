import type { CachedRead } from "../../database/data_version.ts";
import { type Connection, queryOne } from "../../database/database.ts";
import { every, type Sql, sql } from "../../database/sql.ts";
import type { QuarterCount } from "../item.ts";
import { whereFilter } from "../items_sql.ts";
import { groupTags, LIST_NAMES, type ListName } from "./filter_values.ts";
import { HAS_KNOWN_STATUS, hasTags, isOneOfIds } from "./conditions_sql.ts";
import { FILTER_MEANINGS } from "./filters_sql.ts";
import type { ItemFilter } from "./filter.ts";
import { placeOfQuarter } from "../../text/dates.ts";
import { sortNames } from "../../text/phrases.ts";
import type { MoreColumns } from "../tables.ts";
import { type FilterOptions, type ListedValues, namesOfSeveral } from "./filter_options.ts";

/** A list takes no more than this; 100,000 names of 40 letters do. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;
/** A form lists no more values of a filter. */
const MAX_LISTED = 500;

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
  const tags = await readTags(connection, (found) => found.map(({ value }) => value));
  return { ...options, tags, sources: namesOfSeveral(names) };
}

/** The values that the filters of forms list: every page with a form needs them. */
export type ListedOptions = CachedRead<FilterOptions<ListedValues>>;

/** The values that most items have, sorted as the language sorts, and how many there are in all. */
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
  const sorted = ({ values, total }: ListedValues) => ({ values: sortNames(values), total });
  return {
    product_names: sorted(options.product_names),
    release_types: sorted(options.release_types),
    release_statuses: sorted(options.release_statuses),
    tags: await readTags(connection, (found) => sorted(listMostUsed(found))),
    sources: sorted({ values, total: values.length }),
    date_names: options.date_names,
  };
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
        array(select distinct source from active_items order by source) as names,
        coalesce(
          (
            select jsonb_agg(jsonb_build_object('name', name, 'count', uses) order by name)
            from (
              select name collate "C" as name, count(*) as uses
              from items, jsonb_object_keys(dates) as name
              where active and dates <> '{}'
              group by 1
              order by 1
              limit ${MAX_TAGS}
            ) as named
          ),
          '[]'
        ) as date_names
    `,
  );
}

/** A tag of a group, and how many items have it. */
interface TagUse {
  group: string;
  value: string;
  uses: number;
}

/** Lists the tags of active items by their groups, sorted by code point. */
async function readTags<List>(
  connection: Connection,
  list: (found: readonly TagUse[]) => List,
): Promise<Record<string, List>> {
  const rows = await connection.query<TagUse>(sql`
    select key as "group", member as value, count(*)::int as uses
    from items, jsonb_each(tags), jsonb_array_elements_text(value) as member
    where active and tags <> '{}'
    group by 1, 2
    order by key collate "C", member collate "C"
    limit ${MAX_TAGS}
  `);
  const groups = Map.groupBy(rows, ({ group }) => group);
  return Object.fromEntries([...groups].map(([group, found]) => [group, list(found)]));
}

/** The groups of tags and the names of dates of active items, or of all, sorted by code point. */
export function readMoreColumns(
  connection: Connection,
  { include_inactive }: Pick<ItemFilter, "include_inactive">,
): Promise<MoreColumns> {
  const keysOf = (column: Sql) =>
    sql`
    array(
      select distinct jsonb_object_keys(${column}) collate "C" as key
      from items
      where ${column} <> '{}' and ${whereFilter({ include_inactive })}
      order by 1
      limit ${MAX_TAGS}
    )
  `;
  return queryOne(
    connection,
    sql`select ${keysOf(sql`tags`)} as groups, ${keysOf(sql`dates`)} as dates`,
  );
}

function listMostUsed(found: readonly TagUse[]): ListedValues {
  const most = new Set(found.toSorted((one, other) => other.uses - one.uses).slice(0, MAX_LISTED));
  const values = found.filter((tag) => most.has(tag)).map(({ value }) => value);
  return { values, total: found.length };
}

/** Dates may lie anywhere; what is further away is in no chart. */
const YEARS = 10;

/** How many items each choice of a filter would find, the other choices being as they are. */
export interface Facets {
  counts: Record<ListName, Record<string, number>>;
  /** Of the quarters around today that have any, the earliest first. */
  quarters: QuarterCount[];
}

interface FacetRow {
  facet: ListName | "quarter";
  value: string;
  count: number;
  shipped: number;
  unknown: number;
}

/**
 * Counts them in one pass over the items that meet everything but the lists and the release date.
 *
 * @param among the ids that are left where a question was searched by meaning
 * @param listed the only values of each list to count; absent: all
 */
export async function countFacets(
  connection: Connection,
  filter: ItemFilter,
  { today, among, listed }: {
    today: string;
    among?: readonly string[];
    listed?: Readonly<Record<ListName, readonly string[]>>;
  },
): Promise<Facets> {
  const { release_date_from, release_date_to, ...undated } = filter;
  const others = { ...undated, ...NO_LISTS, ...among && { q: undefined, words: undefined } };
  const isDated = whereFilter({ release_date_from, release_date_to, include_inactive: true });
  const facet = (name: ListName) =>
    sql`
    select ${name} as facet, value, sum(uses)::int as count, 0 as shipped, 0 as unknown
    from found as items, lateral ${FILTER_MEANINGS[name].values}
    where is_dated and ${exceptFor(name, filter)}
      and ${listed ? sql`value = any(${[...listed[name]]}::text[])` : sql`true`}
    group by value
  `;
  const rows = await connection.query<FacetRow>(sql`
    with found as (
      select product_names, tags, release_type, release_status, items.source, tone,
        ${HAS_KNOWN_STATUS} as is_known,
        coalesce(${isDated}, false) as is_dated,
        case
          when release_date between ${today}::date - make_interval(years => ${YEARS})
            and ${today}::date + make_interval(years => ${YEARS})
          then to_char(release_date, '"Q"Q YYYY')
        end as quarter,
        count(*) as uses
      from items
      where ${whereFilter(others)}
        and ${isOneOfIds(among)}
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9
    ),
    in_quarters as (
      select * from found where quarter is not null
    )
    ${LIST_NAMES.map(facet).reduce((all, one) => sql`${all} union all ${one}`)}
    union all
    select 'quarter', quarter, sum(uses)::int,
      coalesce(sum(uses) filter (where tone = 'shipped'), 0)::int,
      coalesce(sum(uses) filter (where not is_known), 0)::int
    from in_quarters as items
    where tone <> 'stopped' and ${exceptFor("quarter", filter)}
    group by quarter
    order by 1, 2
  `);
  return readFacets(rows);
}

function readFacets(rows: readonly FacetRow[]): Facets {
  const of = (name: FacetRow["facet"]) => rows.filter(({ facet }) => facet === name);
  const pairs = (name: ListName) => of(name).map(({ value, count }) => [value, count]);
  return {
    counts: Object.fromEntries(
      LIST_NAMES.map((name) => [name, Object.fromEntries(pairs(name))]),
    ) as Facets["counts"],
    quarters: of("quarter")
      .map(({ value, count, shipped, unknown }) => ({
        quarter: value,
        shipped,
        planned: count - shipped - unknown,
        ...unknown > 0 && { unknown },
      }))
      .sort((a, b) => placeOfQuarter(a.quarter) - placeOfQuarter(b.quarter)),
  };
}

const NO_LISTS = Object.fromEntries(LIST_NAMES.map((name) => [name, undefined]));

/** The lists of the filter, without the one that is counted; of tags, without its group. */
function exceptFor(counted: FacetRow["facet"], filter: ItemFilter): Sql {
  const others = LIST_NAMES.filter((name) => name !== counted || name === "tag");
  const { tag = [], ...lists }: Pick<ItemFilter, ListName> = Object.fromEntries(
    others.map((name) => [name, filter[name]]),
  );
  const groups = [...groupTags(tag)].map(([group, values]) => {
    const has = hasTags(values.map((value) => `${group}:${value}`));
    return counted === "tag" ? sql`(group_name = ${group}::text or ${has})` : has;
  });
  return every([whereFilter({ ...lists, include_inactive: true }), ...groups]);
}

/**
 * The names of the sources that have active items, as an array. From each name the index leads on
 * to the next one: a few steps, however many items there are.
 */
export const SOURCE_NAMES = sql`
  array(
    with recursive found as (
      (select source from items where active order by source limit 1)
      union all
      select (
        select items.source from items
        where active and items.source > found.source
        order by items.source
        limit 1
      )
      from found
      where found.source is not null
    )
    select source from found where source is not null
  )
`;

/** The source of an item; null where there is no such item, or no more than one source. */
export async function readSourceAmongSeveral(
  connection: Connection,
  id: string,
): Promise<string | null> {
  const [row] = await connection.query<{ source: string }>(sql`
    select source from items
    where release_item_id = ${id}::uuid and cardinality(${SOURCE_NAMES}) > 1
  `);
  return row?.source ?? null;
}
