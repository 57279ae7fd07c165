import { addQuarters, placeOfQuarter, quarterOf } from "../../text/dates.ts";
import { cleanName } from "../../text/clean_name.ts";
import { toLine } from "../../text/to_line.ts";
import type { FilterValues } from "../filter/filter_values.ts";
import type { CellRow } from "./quarter_cells_sql.ts";
import {
  type Cell,
  type CellItem,
  type CellLimits,
  type CellSearch,
  EARLIER,
  LATER,
  type QuarterGrid,
  UNDATED,
} from "./quarter_grid.ts";

export interface GridOptions {
  limits: CellLimits;
  filter: Pick<FilterValues, "release_date_from" | "release_date_to">;
  /** The quarter of today. */
  quarter: string;
  /** How many releases a page of a list has. */
  pageSize: number;
}

/** A view by quarter, of rows that stand cell by cell. */
export function toGrid(rows: readonly CellRow[], options: GridOptions): QuarterGrid {
  const names = new Set(rows.map(({ quarter }) => quarter));
  const columns = listColumns(names);
  const now = placeOfQuarter(options.quarter);
  const place = new Map(columns.map((name, index) => [name, index]));
  const grouped = Map.groupBy(rows, ({ product, quarter }) => JSON.stringify([product, quarter]));
  const totals = new Map<string, number>();
  for (const [{ product, total }] of grouped.values() as Iterable<[CellRow]>) {
    totals.set(product, (totals.get(product) ?? 0) + total);
  }
  const cells = [...grouped.values()].map((rows) => {
    const inProduct = totals.get(rows[0]!.product)!;
    return toCell(rows, { ...options, inProduct });
  });
  return {
    columns,
    past: columns.filter((name) => name === EARLIER || placeOfQuarter(name) < now).length,
    cells: cells.sort((a, b) => place.get(a.quarter)! - place.get(b.quarter)!),
  };
}

/** The columns in the order of time, quarters without releases between them included. */
function listColumns(names: ReadonlySet<string>): string[] {
  const quarters = [...names].filter((name) => name.startsWith("Q"))
    .sort((a, b) => placeOfQuarter(a) - placeOfQuarter(b));
  const [first, last] = [quarters[0], quarters.at(-1)];
  const count = first && last ? placeOfQuarter(last) - placeOfQuarter(first) + 1 : 0;
  return [
    ...names.has(EARLIER) ? [EARLIER] : [],
    ...Array.from({ length: count }, (_, index) => addQuarters(first!, index)),
    ...[LATER, UNDATED].filter((name) => names.has(name)),
  ];
}

function toCell(rows: readonly CellRow[], options: GridOptions & { inProduct: number }): Cell {
  const { product, quarter, total } = rows[0]!;
  // What is long past is a number only.
  const shown = quarter === EARLIER ? [] : rows;
  return {
    quarter,
    product,
    total,
    items: shown.map(toCellItem),
    ...shown.length < total && { all: searchCell(rows[0]!, options) },
  };
}

/** A release of a cell. */
export function toCellItem(row: Omit<CellRow, "quarter" | "product">): CellItem {
  return {
    release_item_id: row.release_item_id,
    feature_name: cleanName(row.feature_name),
    release_status: toLine(row.release_status),
    tone: row.tone,
    product_name: toLine(row.product_name),
    ...!row.active && { active: false as const },
  };
}

/** What a search must say to list all releases of a cell. */
function searchCell(
  { product, quarter, total }: CellRow,
  { limits, filter, pageSize, inProduct }: GridOptions & { inProduct: number },
): CellSearch {
  const list = {
    product_name: [product],
    sort: "release_date",
    order: "asc",
  };
  switch (quarter) {
    case EARLIER:
      return { ...list, order: "", release_date_to: addQuarters(limits.first, -1) };
    case LATER:
      return { ...list, release_date_from: addQuarters(limits.last, 1) };
    case UNDATED:
      // No filter asks for a missing date; in the order of dates, those without come last.
      return { ...list, page: Math.floor((inProduct - total) / pageSize) + 1 };
    default:
      return {
        ...list,
        release_date_from: within(quarter, filter.release_date_from),
        release_date_to: within(quarter, filter.release_date_to),
      };
  }
}

/** A day that was chosen may lie within the quarter. */
export function within(quarter: string, bound: string): string {
  return bound !== "" && quarterOf(bound) === quarter ? bound : quarter;
}
