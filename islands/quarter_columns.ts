import { type Cell, EARLIER, LATER, UNDATED } from "../lib/roadmap/quarter_grid.ts";
import { addQuarters, placeOfQuarter } from "../lib/text/dates.ts";

/**
 * The columns of some cells in the order of time, quarters without releases between them included.
 *
 * ```ts
 * const cell = (quarter: string) => ({ quarter, product: "", total: 1, items: [] });
 * const columns = listColumns([cell("No date"), cell("Q1 2027"), cell("Q3 2026")]);
 * if (columns.join() !== "Q3 2026,Q4 2026,Q1 2027,No date") throw new Error(columns.join());
 * ```
 */
export function listColumns(cells: readonly Cell[]): string[] {
  const names = new Set(cells.map(({ quarter }) => quarter));
  const places = [...names].filter((name) => name.startsWith("Q")).map(placeOfQuarter);
  const first = cells.find(({ quarter }) => placeOf(quarter) === Math.min(...places))?.quarter;
  const count = first === undefined ? 0 : Math.max(...places) - Math.min(...places) + 1;
  return [
    ...names.has(EARLIER) ? [EARLIER] : [],
    ...Array.from({ length: count }, (_, index) => addQuarters(first!, index)),
    ...[LATER, UNDATED].filter((name) => names.has(name)),
  ];
}

/** A number that grows with the time of a column; what has no date comes last. */
export function placeOf(column: string): number {
  if (column === EARLIER) return -1;
  return column.startsWith("Q") ? placeOfQuarter(column) : Infinity;
}
