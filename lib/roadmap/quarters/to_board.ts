import { addQuarters, placeOfQuarter, quarterAt } from "../../text/dates.ts";
import type { StatusTone } from "../status_tone.ts";
import type { Variant } from "../variant.ts";
import type { CellRow, ToneRow } from "./quarter_cells_sql.ts";
import {
  type BoardColumn,
  type BoardGrid,
  type BoardGroup,
  type CellItem,
  type CellSearch,
  EARLIER,
  LATER,
  type Standing,
  UNDATED,
} from "./quarter_grid.ts";
import { type GridOptions, toCellItem, within } from "./to_grid.ts";

/** What is news stands first. */
const STANDINGS: readonly Standing[] = ["overdue", "to come", "shipped", "stopped"];
const TONES: readonly (readonly [StatusTone, string])[] = [
  ["in_progress", "In progress"],
  ["planned", "Planned"],
  ["shipped", "Shipped"],
  ["stopped", "Stopped"],
];
const LISTED = { sort: "release_date", order: "asc" };

/** What cards say of moves: how dates are shown, and the days from which releases last moved. */
export interface Moves {
  variant: Variant;
  movedFrom: ReadonlyMap<string, string>;
}

/** A board by quarter: every quarter of its window has a column. */
export function toBoard(rows: readonly CellRow[], options: GridOptions, moves: Moves): BoardGrid {
  const cells = [...Map.groupBy(rows, ({ product, quarter }) => `${quarter}/${product}`).values()];
  const countIn = (name: string) =>
    cells.reduce((sum, [row]) => row!.quarter === name ? sum + row!.total : sum, 0);
  const { first, last } = options.limits;
  const start = placeOfQuarter(first);
  const names = Array.from(
    { length: placeOfQuarter(last) - start + 1 },
    (_, index) => quarterAt(start + index),
  );
  const [earlier, later, undated] = [EARLIER, LATER, UNDATED].map(countIn) as [
    number,
    number,
    number,
  ];
  return {
    columns: names.map((name): BoardColumn => ({
      name,
      total: countIn(name),
      groups: STANDINGS.flatMap((standing) => {
        const cell = cells.find(([row]) => row!.quarter === name && row!.product === standing);
        return cell ? [toGroup(cell, standing, options, moves)] : [];
      }),
    })),
    ...earlier > 0 && { earlier: { total: earlier, first: addQuarters(first, -1) } },
    ...later > 0 && { later: { total: later, first: addQuarters(first, 1) } },
    ...undated > 0 && { undated: { total: undated, all: searchUndated(rows, undated, options) } },
  };
}

function toGroup(
  rows: readonly CellRow[],
  standing: Standing,
  { filter }: GridOptions,
  moves: Moves,
): BoardGroup {
  const { quarter, total } = rows[0]!;
  return {
    standing,
    total,
    items: rows.map((row) => toCard(row, moves)),
    ...rows.length < total && {
      all: {
        ...LISTED,
        ...standing === "overdue" && { due: standing },
        release_date_from: within(quarter, filter.release_date_from),
        release_date_to: within(quarter, filter.release_date_to),
      },
    },
  };
}

/** No filter asks for a missing date; in the order of dates, those without come last. */
function searchUndated(
  rows: readonly CellRow[],
  total: number,
  { pageSize }: GridOptions,
): CellSearch {
  return { ...LISTED, page: Math.floor((rows[0]!.all_items - total) / pageSize) + 1 };
}

/** A board by how far releases have come. */
export function toToneBoard(rows: readonly ToneRow[], moves: Moves): BoardGrid {
  return {
    columns: TONES.flatMap(([tone, name]) => {
      const ofTone = rows.filter((row) => row.tone === tone);
      if (ofTone.length === 0) return [];
      const { total, statuses } = ofTone[0]!;
      const items = ofTone.map((row) => toCard(row, moves));
      const all = items.length < total && { all: { ...LISTED, release_status: statuses } };
      return [{ name, total, groups: [{ standing: null, total, items, ...all }] }];
    }),
  };
}

function toCard(
  row: Omit<CellRow, "quarter" | "product">,
  { variant, movedFrom }: Moves,
): CellItem {
  const before = movedFrom.get(row.release_item_id);
  const from = before && variant.formatDate(before);
  const date = row.release_date && variant.formatDate(row.release_date);
  const isOpen = row.tone === "planned" || row.tone === "in_progress";
  const hasSlipped = isOpen && from !== date && before! < row.release_date!;
  return { ...toCellItem(row), ...hasSlipped && { slipped_from: from } };
}
