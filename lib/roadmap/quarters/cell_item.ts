import { cleanName } from "../../text/clean_name.ts";
import { quarterOf } from "../../text/dates.ts";
import { toLine } from "../../text/to_line.ts";
import type { FilterValues } from "../filter/filter_values.ts";
import type { Variant } from "../variant.ts";
import type { CellRow } from "./quarter_cells_sql.ts";
import type { CellItem, CellSearch } from "./quarter_grid.ts";

/** What cards say of moves: how dates are shown, and the days from which releases last moved. */
export interface Moves {
  variant: Variant;
  movedFrom: ReadonlyMap<string, string>;
}

/** A release of a cell, with the date from which it slipped. */
export function toCellItem(
  row: Omit<CellRow, "quarter" | "standing" | "total" | "all_items">,
  { variant, movedFrom }: Moves,
): CellItem {
  const before = movedFrom.get(row.release_item_id);
  const from = before && variant.formatDate(before);
  const date = row.release_date && variant.formatDate(row.release_date);
  const isOpen = row.tone === "planned" || row.tone === "in_progress";
  const hasSlipped = isOpen && from !== date && before! < row.release_date!;
  return {
    release_item_id: row.release_item_id,
    feature_name: cleanName(row.feature_name),
    release_status: toLine(row.release_status),
    tone: row.tone,
    product_name: toLine(row.product_name),
    ...hasSlipped && { slipped_from: from },
    ...!row.active && { active: false as const },
  };
}

/** The part of a search that lists the releases of a quarter; a day that was chosen may lie in it. */
export function searchQuarter(
  quarter: string,
  { release_date_from, release_date_to }: Pick<
    FilterValues,
    "release_date_from" | "release_date_to"
  >,
): CellSearch {
  const within = (bound: string) => bound !== "" && quarterOf(bound) === quarter ? bound : quarter;
  return {
    ...LISTED,
    release_date_from: within(release_date_from),
    release_date_to: within(release_date_to),
  };
}

/** No filter asks for a missing date; in the order of dates, those without come last. */
export function searchUndated(place: number, { pageSize }: { pageSize: number }): CellSearch {
  return { ...LISTED, page: Math.floor(place / pageSize) + 1 };
}

/** In the order of a view by quarter. */
export const LISTED = { sort: "release_date", order: "asc" };
