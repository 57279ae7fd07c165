import { type Connection, queryOne } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import { quarterDays } from "../../text/dates.ts";
import { HAS_KNOWN_STATUS, IS_OPEN } from "../filter/conditions_sql.ts";
import type { ItemFilter } from "../filter/filter.ts";
import { isAmong } from "../items_sql.ts";
import type { StatusTone } from "../status_tone.ts";
import { type CellLimits, EARLIER, LATER, type QuarterStanding, UNDATED } from "./quarter_grid.ts";

/** A release in a cell, with what there is beside it. */
export interface CellRow {
  /** `Q# YYYY`, or one of the columns that are no quarter */
  quarter: string;
  standing: QuarterStanding;
  /** How many releases the cell has. */
  total: number;
  /** How many releases there are in all, those in no cell included. */
  all_items: number;
  release_item_id: string;
  feature_name: string;
  release_status: string;
  product_name: string;
  active: boolean;
  tone: StatusTone;
  /** `YYYY-MM-DD` */
  release_date: string | null;
}

/** Names are shown up to this length. */
const MAX_NAME_LENGTH = 300;

/**
 * The first releases of each standing in each quarter: the earliest stands first, then what was
 * modified last.
 */
export function readCells(
  connection: Connection,
  among: ItemFilter | readonly string[],
  { first, last, perCell }: CellLimits,
  today: string,
): Promise<CellRow[]> {
  return connection.query(sql`
    with found as (
      select release_item_id, release_date, last_modified, ${standingOn(today)} as standing,
        case
          when release_date is null then ${UNDATED}
          when release_date < ${quarterDays(first)!.first}::date then ${EARLIER}
          when release_date > ${quarterDays(last)!.last}::date then ${LATER}
          else to_char(release_date, '"Q"Q YYYY')
        end as quarter
      from items
      where ${isAmong(among)}
    ),
    placed as (
      select release_item_id, quarter, standing,
        count(*) over (partition by quarter, standing) as total,
        row_number() over (
          partition by quarter, standing
          order by release_date, last_modified desc, release_item_id
        ) as place
      from found
    )
    select quarter, standing, total::int as total,
      (select count(*) from found)::int as all_items,
      release_item_id, left(feature_name, ${MAX_NAME_LENGTH}) as feature_name, release_status,
      product_name, active, tone, release_date::text as release_date
    from placed
    join items using (release_item_id)
    where place <= case when quarter = ${EARLIER} then 1 else ${perCell} end
    order by quarter, standing, place
  `);
}

/** How far a release has come on a day (lib/roadmap/quarters/quarter_grid.ts). */
function standingOn(today: string): Sql {
  return sql`
    case
      when tone in ('shipped', 'stopped') then tone
      when release_date < ${today}::date
      then case when ${HAS_KNOWN_STATUS} then 'overdue' else 'unclear' end
      else 'to come'
    end
  `;
}

/** The first releases that have come as far as each tone; what ships soonest, and what shipped last. */
export function readToneRows(
  connection: Connection,
  among: ItemFilter | readonly string[],
  { perCell }: { perCell: number },
): Promise<ToneRow[]> {
  return connection.query(sql`
    with found as (
      select release_item_id, tone, release_status, release_date, last_modified
      from items
      where ${isAmong(among)}
    ),
    placed as (
      select release_item_id, tone,
        count(*) over (partition by tone) as total,
        row_number() over (
          partition by tone
          order by
            case when tone in ('shipped', 'stopped') then null else release_date end,
            release_date desc nulls last, last_modified desc, release_item_id
        ) as place
      from found
    )
    select total::int as total, (select count(*) from found)::int as all_items,
      array(
        select distinct release_status from found where found.tone = placed.tone
      ) as statuses,
      release_item_id, left(feature_name, ${MAX_NAME_LENGTH}) as feature_name, release_status,
      product_name, active, items.tone, items.release_date::text as release_date
    from placed
    join items using (release_item_id)
    where place <= ${perCell}
    order by items.tone, place
  `);
}

/** A release of a tone, with what there is beside it. */
export interface ToneRow extends Omit<CellRow, "quarter" | "standing"> {
  /** All statuses of this tone. */
  statuses: readonly string[];
}

/** A release of a product in a quarter, with what there is beside it. */
export interface TimelineRow extends Omit<CellRow, "standing" | "all_items"> {
  product: string;
  shipped: number;
  /** Those that are neither shipped nor stopped. */
  open: number;
  /** Those of them that last moved here from an earlier quarter. */
  slipped: number;
  /** How many releases the product has in all quarters shown. */
  of_product: number;
}

/** How many releases and products there are, and how many of them the quarters shown have. */
export interface TimelineCounts {
  all: number;
  earlier: number;
  later: number;
  undated: number;
  products: number;
  busy: number;
}

interface TimelineOptions {
  /** The only products with rows; empty: all. */
  chosen: readonly string[];
  /** The most rows. */
  most: number;
  /** Only moves until this day count; absent: all. */
  as_of: string | undefined;
}

/**
 * The first releases of the busiest products in each quarter. A release of several products stands
 * in the row of each.
 */
export function readTimeline(
  connection: Connection,
  among: ItemFilter | readonly string[],
  { first, last, perCell }: CellLimits,
  { chosen, most, as_of }: TimelineOptions,
): Promise<TimelineRow[]> {
  const from = quarterDays(first)!.first;
  const to = quarterDays(last)!.last;
  return connection.query(sql`
    with found as (
      select release_item_id, release_date, last_modified, tone, product,
        to_char(release_date, '"Q"Q YYYY') as quarter
      from items
      cross join unnest(product_names) as product
      where release_date between ${from}::date and ${to}::date and ${isAmong(among)}
        and ${isRow(chosen)}
    ),
    busiest as (
      select product, count(*) as of_product
      from found
      group by product
      order by of_product desc, product collate "C"
      limit ${most}
    ),
    last_moves as (
      select release_item_id, max(change_id) as change_id
      from changes
      where field = 'release_date' and old_value is not null and new_value is not null
        and ${as_of === undefined ? sql`true` : sql`day <= ${as_of}::date`}
      group by release_item_id
    ),
    placed as (
      select release_item_id, quarter, product, of_product,
        count(*) over cell as total,
        count(*) filter (where tone = 'shipped') over cell as shipped,
        count(*) filter (where ${IS_OPEN}) over cell as open,
        count(*) filter (
          where ${IS_OPEN} and old_value::date < date_trunc('quarter', release_date)
        ) over cell as slipped,
        row_number() over (cell order by release_date, last_modified desc, release_item_id) as place
      from found
      join busiest using (product)
      left join last_moves using (release_item_id)
      left join changes using (release_item_id, change_id)
      window cell as (partition by quarter, product)
    )
    select quarter, product, of_product::int as of_product, total::int as total,
      shipped::int as shipped, open::int as open, slipped::int as slipped,
      release_item_id,
      left(feature_name, ${MAX_NAME_LENGTH}) as feature_name, release_status, product_name, active,
      tone, release_date::text as release_date
    from placed
    join items using (release_item_id)
    where place <= ${perCell}
    order by of_product desc, product collate "C", quarter, place
  `);
}

/** Counts what is found inside and outside of the quarters shown. */
export function countTimeline(
  connection: Connection,
  among: ItemFilter | readonly string[],
  { first, last }: CellLimits,
  chosen: readonly string[],
): Promise<TimelineCounts> {
  const from = sql`${quarterDays(first)!.first}::date`;
  const to = sql`${quarterDays(last)!.last}::date`;
  return queryOne(
    connection,
    sql`
      with found as (
        select release_date, product_names from items where ${isAmong(among)}
      )
      select count(*)::int as "all",
        (count(*) filter (where release_date < ${from}))::int as earlier,
        (count(*) filter (where release_date > ${to}))::int as later,
        (count(*) filter (where release_date is null))::int as undated,
        (
          select count(distinct product)::int
          from found cross join unnest(product_names) as product
          where ${isRow(chosen)}
        ) as products,
        (
          select count(distinct product)::int
          from found cross join unnest(product_names) as product
          where release_date between ${from} and ${to} and ${isRow(chosen)}
        ) as busy
      from found
    `,
  );
}

/** Where products are chosen, what they share with others stands in their own rows only. */
function isRow(chosen: readonly string[]): Sql {
  return chosen.length === 0 ? sql`true` : sql`product = any(${[...chosen]}::text[])`;
}
