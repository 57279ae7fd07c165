import type { Connection } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import { quarterDays } from "../../text/dates.ts";
import { HAS_KNOWN_STATUS } from "../filter/conditions_sql.ts";
import type { ItemFilter } from "../filter/filter.ts";
import { isAmong, movedFrom } from "../items_sql.ts";
import type { Item } from "../item.ts";
import type { StatusTone } from "../status_tone.ts";
import { type CellLimits, EARLIER, LATER, type QuarterStanding, UNDATED } from "./quarter_grid.ts";

/** A release in a cell, with what there is beside it. */
export interface CellRow {
  /** `Q# YYYY`, or one of the columns that are no quarter */
  quarter: string;
  standing: QuarterStanding;
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
  dates: Item["dates"];
  language: string | null;
  /** The planned day (`YYYY-MM-DD`) before its date last moved. */
  moved_from: string | null;
}

/** Of which day the roadmap is read, and by which date; absent: now, by the release date. */
interface AskedOf {
  as_of: string | undefined;
  date_name: string | undefined;
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
  { today, as_of, date_name }: { today: string } & AskedOf,
): Promise<CellRow[]> {
  return connection.query(sql`
    with found as (
      select release_item_id, release_date, last_modified, ${
    standingOn(today, date_name)
  } as standing,
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
      product_name, active, tone, release_date::text as release_date, dates, language,
      ${movedFrom(as_of, date_name)} as moved_from
    from placed
    join items using (release_item_id)
    where place <= case when quarter = ${EARLIER} then 1 else ${perCell} end
    order by quarter, standing, place
  `);
}

/** How far a release has come on a day (lib/roadmap/quarters/quarter_grid.ts). */
function standingOn(today: string, dateName: string | undefined): Sql {
  // Only a release date that has passed makes a release overdue.
  if (dateName !== undefined) {
    return sql`case when tone in ('shipped', 'stopped') then tone else 'to come' end`;
  }
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
  { perCell, as_of, date_name }: { perCell: number } & AskedOf,
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
      product_name, active, items.tone, items.release_date::text as release_date, dates, language,
      ${movedFrom(as_of, date_name)} as moved_from
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
