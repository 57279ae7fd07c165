import { textOf } from "./cell_text.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Of items that a star found: what begins a path in the object around, and the own key. */
export const PARENT = "../";
export const KEY = "@key";

/** The value of a row in the first of some columns that is filled. */
export function lookUpFirst(row: Row, columns: readonly string[]): unknown {
  const [first, ...others] = columns;
  if (first === undefined) return undefined;
  const filled = others.length > 0 &&
    columns.find((column) => textOf(lookUp(row, column)) !== null);
  return lookUp(row, filled || first);
}

/** The value of a row in a column, or at a path. */
export function lookUp(row: Row, column: string): unknown {
  if (Object.hasOwn(row, column)) return row[column];
  if (column.startsWith(PARENT)) {
    return Object.hasOwn(row, "..")
      ? lookUp(row[".."] as Row, column.slice(PARENT.length))
      : undefined;
  }
  for (let end = column.indexOf("."); end !== -1; end = column.indexOf(".", end + 1)) {
    const inner = Object.hasOwn(row, column.slice(0, end)) ? row[column.slice(0, end)] : null;
    // Of a list, a number names the place: `fixVersions.0.name`.
    if (typeof inner === "object" && inner !== null) {
      return lookUp(inner as Row, column.slice(end + 1));
    }
  }
  return undefined;
}
