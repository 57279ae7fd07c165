import { addQuarters, placeOfQuarter, quarterAt } from "../../text/dates.ts";
import type { FilterValues } from "../filter/filter_values.ts";
import { LISTED, searchQuarter, searchUndated, toCellItem } from "../found_item.ts";
import type { StatusTone } from "../status_tone.ts";
import type { Variant } from "../variant.ts";
import type { CellRow, ToneRow } from "./quarters_sql.ts";
import {
  type BoardColumn,
  type BoardGrid,
  type BoardGroup,
  type CellLimits,
  EARLIER,
  LATER,
  type Outside,
  type QuarterStanding,
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
const TONES: readonly StatusTone[] = ["in_progress", "planned", "shipped", "stopped"];

/** How a board is cut out of a search. */
interface GridOptions {
  limits: CellLimits;
  /** That of the roadmap, `YYYY-MM-DD`. */
  day: string;
  /** The quarter of today. */
  quarter: string;
  filter: Pick<FilterValues, "release_date_from" | "release_date_to">;
  /** How many releases a page of a list has. */
  pageSize: number;
  variant: Variant;
}

/** A board by quarter: every quarter of its window has a column. */
export function toBoard(rows: readonly CellRow[], options: GridOptions): BoardGrid {
  const cells = [
    ...Map.groupBy(rows, ({ standing, quarter }) => `${quarter}/${standing}`).values(),
  ];
  const countIn = (name: string) =>
    cells.reduce((sum, [row]) => row!.quarter === name ? sum + row!.total : sum, 0);
  const toGroups = (name: string) =>
    STANDINGS.flatMap((standing) => {
      const cell = cells.find(([row]) => row!.quarter === name && row!.standing === standing);
      return cell ? [toGroup(cell, options)] : [];
    });
  const columns = listQuarters(options.limits)
    .map((name): BoardColumn => ({ name, total: countIn(name), groups: toGroups(name) }));
  // Behind the last quarter with a release there is nothing to see, but today's is always there.
  const last = columns.findLastIndex(({ name, total }) => total > 0 || name === options.quarter);
  const isLast = countIn(LATER) === 0 && last >= 0;
  return {
    columns: isLast ? columns.slice(0, last + 1) : columns,
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

function toGroup(rows: readonly CellRow[], { filter, variant, day }: GridOptions): BoardGroup {
  const { quarter, standing, total } = rows[0]!;
  return {
    standing,
    total,
    items: rows.map((row) => toCellItem(variant, row, day)),
    ...rows.length < total && {
      all: { ...searchQuarter(quarter, filter), ...standing === "overdue" && { due: standing } },
    },
  };
}

/** A board by how far releases have come. */
export function toToneBoard(rows: readonly ToneRow[], variant: Variant, day: string): BoardGrid {
  return {
    columns: TONES.flatMap((tone) => {
      const ofTone = rows.filter((row) => row.tone === tone);
      if (ofTone.length === 0) return [];
      const { total, statuses } = ofTone[0]!;
      const items = ofTone.map((row) => toCellItem(variant, row, day));
      const all = items.length < total && { all: { ...LISTED, release_status: statuses } };
      return [{ name: tone, total, groups: [{ standing: null, total, items, ...all }] }];
    }),
  };
}
