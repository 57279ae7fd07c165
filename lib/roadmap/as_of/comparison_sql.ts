import { type Connection, queryOne } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import type { ItemFilter } from "../filter/filter.ts";
import { whereFilter } from "../items_sql.ts";
import type { Variant } from "../variant.ts";
import type { Outcome } from "./comparison.ts";
import { itemsAsOf } from "./items_as_of_sql.ts";

/** Two days to compare; days as `YYYY-MM-DD`. */
export interface ComparisonSearch {
  from: string;
  /** Null: as it is now. */
  to: string | null;
  /** Of releases as they were on the first day; of added ones, as on the second. */
  filter: ItemFilter;
  /** What counts as a move: that the date changes, or only that its quarter does. */
  precision: Variant["datePrecision"];
  /** The most releases of one outcome. */
  limit: number;
}

/** A release that was planned on the first day, as it is on the second; dates as `YYYY-MM-DD`. */
export interface ComparedRelease {
  release_item_id: string;
  feature_name: string;
  product_name: string;
  release_status: string;
  tone: string;
  outcome: Outcome;
  date_before: string | null;
  date_after: string | null;
  /** It is on the roadmap today, whatever it was on the second day. */
  active: boolean;
}

/** What became of the roadmap of a day. */
export interface Comparison {
  counts: Partial<Record<Outcome, number>>;
  /** Releases on the roadmap of the second day that were never on it by the first. */
  added: number;
  /** The first ones of each outcome, by product, name and id; of moves the furthest first. */
  releases: ComparedRelease[];
}

/** Compares two days, in one statement and so of one moment. */
export function readComparison(
  connection: Connection,
  search: ComparisonSearch,
): Promise<Comparison> {
  return queryOne(
    connection,
    sql`
      with ${comparedReleases(search)}
      select
        (
          select coalesce(jsonb_object_agg(outcome, count), '{}')
          from (select outcome, count(*)::int as count from compared group by outcome) as counted
        ) as counts,
        (
          select count(*)::int from after
          where is_wanted
            and not exists (select from before where before.release_item_id = after.release_item_id)
        ) as added,
        (
          select coalesce(jsonb_agg(to_jsonb(listed) - 'place' order by place), '[]')
          from (
            select placed.*, items.active
            from placed
            join items using (release_item_id)
            where place <= ${search.limit}::int
          ) as listed
        ) as releases
    `,
  );
}

/** The tables `before` and `after` of all releases, `compared` of planned ones, in order `placed`. */
function comparedReleases({ from, to, filter, precision }: ComparisonSearch): Sql {
  const onRoadmap = whereFilter({ ...filter, include_inactive: false });
  return sql`
    before as materialized (
      select release_item_id, release_date,
        tone not in ('shipped', 'stopped') and ${onRoadmap} as is_planned
      from (${itemsAsOf(from)}) as items
    ),
    after as materialized (
      select release_item_id, feature_name, product_name, release_status, tone, active,
        release_date, ${onRoadmap} as is_wanted
      from (${to === null ? sql`select * from items` : itemsAsOf(to)}) as items
    ),
    compared as (
      select release_item_id, feature_name, product_name, release_status, tone,
        before.release_date as date_before, after.release_date as date_after,
        ${outcomeOf(precision)} as outcome
      from before
      join after using (release_item_id)
      where is_planned
    ),
    placed as (
      select *,
        row_number() over (
          partition by outcome
          order by
            case when outcome in ('slipped', 'earlier') then abs(date_after - date_before) end
              desc nulls last,
            lower(product_name) collate "C", lower(feature_name) collate "C", release_item_id
        ) as place
      from compared
    )
  `;
}

/** What became of a release: what ended it comes before what became of its date. */
function outcomeOf(precision: Variant["datePrecision"]): Sql {
  const shown = (date: Sql) => precision === "day" ? date : sql`date_trunc('quarter', ${date})`;
  const dateBefore = shown(sql`before.release_date`);
  const dateAfter = shown(sql`after.release_date`);
  return sql`
    case
      when after.tone = 'shipped' then 'shipped'
      when after.tone = 'stopped' then 'cancelled'
      when not after.active then 'removed'
      when ${dateAfter} > ${dateBefore} then 'slipped'
      when ${dateAfter} < ${dateBefore} then 'earlier'
      when after.release_date is null and before.release_date is not null then 'undated'
      when before.release_date is null and after.release_date is not null then 'dated'
      else 'unchanged'
    end
  `;
}
