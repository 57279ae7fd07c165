import { addQuarters, placeOfQuarter, quarterAt } from "../../text/dates.ts";
import { toLine } from "../../text/phrases.ts";
import type { FilterValues } from "../filter/filter_values.ts";
import { LISTED, type Moves, searchQuarter, searchUndated, toCellItem } from "../found_item.ts";
import type { StatusTone } from "../status_tone.ts";
import type { CellRow, TimelineCounts, TimelineRow, ToneRow } from "./quarters_sql.ts";
import {
  type BoardColumn,
  type BoardGrid,
  type BoardGroup,
  type CellLimits,
  EARLIER,
  LATER,
  type Outside,
  type QuarterStanding,
  type TimelineCell,
  type TimelineGrid,
  UNDATED,
} from "./quarter_grid.ts";

/** What is news stands first. */
const STANDINGS: readonly QuarterStanding[] = [
  "overdue",
  "unclear",
  "to come",
  "shipped",
  "stopped",
];
const TONES: readonly (readonly [StatusTone, string])[] = [
  ["in_progress", "In progress"],
  ["planned", "Planned"],
  ["shipped", "Shipped"],
  ["stopped", "Stopped"],
];

/** How a view by quarter is cut out of a search. */
interface GridOptions {
  limits: CellLimits;
  filter: Pick<FilterValues, "release_date_from" | "release_date_to">;
  /** How many releases a page of a list has. */
  pageSize: number;
}

/** A board by quarter: every quarter of its window has a column. */
export function toBoard(rows: readonly CellRow[], options: GridOptions, moves: Moves): BoardGrid {
  const cells = [
    ...Map.groupBy(rows, ({ standing, quarter }) => `${quarter}/${standing}`).values(),
  ];
  const countIn = (name: string) =>
    cells.reduce((sum, [row]) => row!.quarter === name ? sum + row!.total : sum, 0);
  const toGroups = (name: string) =>
    STANDINGS.flatMap((standing) => {
      const cell = cells.find(([row]) => row!.quarter === name && row!.standing === standing);
      return cell ? [toGroup(cell, options, moves)] : [];
    });
  return {
    columns: listQuarters(options.limits).map((name): BoardColumn => ({
      name,
      total: countIn(name),
      groups: toGroups(name),
    })),
    ...countOutside({
      all: rows[0]?.all_items ?? 0,
      earlier: countIn(EARLIER),
      later: countIn(LATER),
      undated: countIn(UNDATED),
    }, options),
  };
}

/** The quarters of a window, those without releases included. */
function listQuarters({ first, last }: CellLimits): string[] {
  const start = placeOfQuarter(first);
  return Array.from(
    { length: placeOfQuarter(last) - start + 1 },
    (_, index) => quarterAt(start + index),
  );
}

/** What lies outside of the window of a view. */
function countOutside(
  { all, earlier, later, undated }: Record<"all" | "earlier" | "later" | "undated", number>,
  { limits: { first }, pageSize }: GridOptions,
): Outside {
  return {
    ...earlier > 0 && { earlier: { total: earlier, first: addQuarters(first, -1) } },
    ...later > 0 && { later: { total: later, first: addQuarters(first, 1) } },
    ...undated > 0 &&
      { undated: { total: undated, all: searchUndated(all - undated, { pageSize }) } },
  };
}

function toGroup(rows: readonly CellRow[], { filter }: GridOptions, moves: Moves): BoardGroup {
  const { quarter, standing, total } = rows[0]!;
  return {
    standing,
    total,
    items: rows.map((row) => toCellItem(row, moves)),
    ...rows.length < total && {
      all: { ...searchQuarter(quarter, filter), ...standing === "overdue" && { due: standing } },
    },
  };
}

/** A board by how far releases have come. */
export function toToneBoard(rows: readonly ToneRow[], moves: Moves): BoardGrid {
  return {
    columns: TONES.flatMap(([tone, name]) => {
      const ofTone = rows.filter((row) => row.tone === tone);
      if (ofTone.length === 0) return [];
      const { total, statuses } = ofTone[0]!;
      const items = ofTone.map((row) => toCellItem(row, moves));
      const all = items.length < total && { all: { ...LISTED, release_status: statuses } };
      return [{ name, total, groups: [{ standing: null, total, items, ...all }] }];
    }),
  };
}

/** A timeline, of rows that stand product by product. */
export function toTimeline(
  rows: readonly TimelineRow[],
  counts: TimelineCounts,
  { filter, ...options }: GridOptions,
  moves: Moves,
): TimelineGrid {
  const quarters = listQuarters(options.limits);
  const products = [...Map.groupBy(rows, ({ product }) => product)];
  const toCell = (ofCell: readonly TimelineRow[]): TimelineCell | null => {
    const [first] = ofCell;
    if (first === undefined) return null;
    const { product, quarter, total, shipped, open, slipped } = first;
    const all = { ...searchQuarter(quarter, filter), product_name: [product] };
    return {
      shipped,
      open,
      slipped,
      total,
      items: ofCell.map((row) => toCellItem(row, moves)),
      ...ofCell.length < total && { all },
    };
  };
  return {
    quarters,
    rows: products.map(([product, ofProduct]) => ({
      product: toLine(product),
      total: ofProduct[0]!.of_product,
      cells: quarters.map((name) => toCell(ofProduct.filter(({ quarter }) => quarter === name))),
    })),
    more: counts.busy - products.length,
    idle: counts.products - counts.busy,
    ...countOutside(counts, { filter, ...options }),
  };
}
