import type { Connection } from "../../database/database.ts";
import { every, type Sql, sql } from "../../database/sql.ts";
import type { ItemFilter } from "./filter.ts";
import { LIST_NAMES, type ListName } from "./filter_values.ts";
import type { QuarterCount } from "../item.ts";
import { groupTags } from "./group_tags.ts";
import { whereFilter } from "../items_sql.ts";
import { hasProduct, hasTags, isOneOf } from "./value_conditions_sql.ts";

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
}

/** Where the values of a list come from, beside the items that were found. */
const VALUES: Readonly<Record<ListName, Sql>> = {
  product_name: sql`unnest(product_names) as value`,
  release_type: sql`(select release_type as value) as one`,
  release_status: sql`(select release_status as value) as one`,
  tag: sql`
    jsonb_each(tags) as grouped (group_name, members),
    lateral (
      select group_name || ':' || member as value
      from jsonb_array_elements_text(members) as member
    ) as one
  `,
  source: sql`(select source as value) as one`,
};

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
  const { release_date_from, release_date_to, include_inactive, modified_since, due } = filter;
  const question = among ? {} : { q: filter.q, words: filter.words };
  const others = { include_inactive, modified_since, due, ...question };
  const facet = (name: ListName) =>
    sql`
    select ${name} as facet, value, sum(items)::int as count, 0 as shipped
    from found, lateral ${VALUES[name]}
    where is_dated and ${exceptFor(name, filter)}
      and ${listed ? sql`value = any(${[...listed[name]]}::text[])` : sql`true`}
    group by value
  `;
  const rows = await connection.query<FacetRow>(sql`
    with found as (
      select product_names, tags, release_type, release_status, items.source, tone,
        ${every([from(release_date_from), to(release_date_to)])} as is_dated,
        case
          when release_date between ${today}::date - make_interval(years => ${YEARS})
            and ${today}::date + make_interval(years => ${YEARS})
          then to_char(release_date, '"Q"Q YYYY')
        end as quarter,
        count(*) as items
      from items
      where ${whereFilter(others)}
        and ${among ? sql`release_item_id = any(${[...among]}::uuid[])` : sql`true`}
      group by 1, 2, 3, 4, 5, 6, 7, 8
    ),
    in_quarters as (
      select * from found where quarter is not null
    )
    ${LIST_NAMES.map(facet).reduce((all, one) => sql`${all} union all ${one}`)}
    union all
    select 'quarter', quarter, sum(items)::int,
      coalesce(sum(items) filter (where tone = 'shipped'), 0)::int
    from in_quarters
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
      .map(({ value, count, shipped }) => ({ quarter: value, shipped, planned: count - shipped }))
      .sort((a, b) => sortKey(a.quarter).localeCompare(sortKey(b.quarter))),
  };
}

/** `Q3 2026` as `2026 Q3`. */
function sortKey(quarter: string): string {
  return `${quarter.slice(3)} ${quarter.slice(0, 2)}`;
}

/** The lists of the filter, without the one that is counted; of tags, without its group. */
function exceptFor(counted: FacetRow["facet"], filter: ItemFilter): Sql {
  const isOf = (name: "release_type" | "release_status" | "source", column: Sql) =>
    counted === name ? sql`true` : isOneOf(column, filter[name]);
  const groups = [...groupTags(filter.tag ?? [])].map(([group, values]) => {
    const has = hasTags(values.map((value) => `${group}:${value}`));
    return counted === "tag" ? sql`(group_name = ${group}::text or ${has})` : has;
  });
  return every([
    counted === "product_name" ? sql`true` : hasProduct(filter.product_name ?? []),
    isOf("release_type", sql`release_type`),
    isOf("release_status", sql`release_status`),
    isOf("source", sql`source`),
    ...groups,
  ]);
}

function from(day: string | undefined): Sql {
  return day === undefined ? sql`true` : sql`coalesce(release_date >= ${day}::date, false)`;
}

function to(day: string | undefined): Sql {
  return day === undefined ? sql`true` : sql`coalesce(release_date <= ${day}::date, false)`;
}
