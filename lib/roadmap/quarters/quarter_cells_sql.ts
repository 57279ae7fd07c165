import type { Connection } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";
import type { ItemFilter } from "../filter/filter.ts";
import { whereFilter } from "../items_sql.ts";
import type { StatusTone } from "../status_tone.ts";
import { quarterDays } from "../../text/dates.ts";
import { type CellLimits, EARLIER, LATER, UNDATED } from "./quarter_grid.ts";

/** A release in a cell, with what there is beside it. */
export interface CellRow {
  /** `Q# YYYY`, or one of the columns that are no quarter */
  quarter: string;
  /** Empty where products share a cell. */
  product: string;
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
}

/** Names are shown up to this length. */
const MAX_NAME_LENGTH = 300;

/**
 * The first releases of each cell: of a quarter, or of a product in a quarter. In a cell the
 * earliest stands first, then what was modified last.
 */
export function readCells(
  connection: Connection,
  among: ItemFilter | readonly string[],
  { first, last, perCell, products }: CellLimits,
): Promise<CellRow[]> {
  const condition = Array.isArray(among)
    ? sql`release_item_id = any(${among}::uuid[])`
    : whereFilter(among as ItemFilter);
  const product = products === null ? sql`''` : sql`product_name`;
  const isShown = products === null ? sql`true` : sql`
    product in (
      select product from found group by product order by count(*) desc, product limit ${products}
    )
  `;
  return connection.query(sql`
    with found as (
      select release_item_id, release_date, last_modified, ${product} as product,
        case
          when release_date is null then ${UNDATED}
          when release_date < ${quarterDays(first)!.first}::date then ${EARLIER}
          when release_date > ${quarterDays(last)!.last}::date then ${LATER}
          else to_char(release_date, '"Q"Q YYYY')
        end as quarter
      from items
      where ${condition}
    ),
    placed as (
      select release_item_id, quarter, product,
        count(*) over (partition by quarter, product) as total,
        row_number() over (
          partition by quarter, product
          order by release_date, last_modified desc, release_item_id
        ) as place
      from found
      where ${isShown}
    )
    select quarter, product, total::int as total,
      (select count(*) from found)::int as all_items,
      release_item_id, left(feature_name, ${MAX_NAME_LENGTH}) as feature_name, release_status,
      product_name, active, tone
    from placed
    join items using (release_item_id)
    where place <= case when quarter = ${EARLIER} then 1 else ${perCell} end
    order by product collate "C", quarter, place
  `);
}
