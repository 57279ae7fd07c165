import { knownColumn, plainName } from "../mapping/column_names.ts";

const DELIMITERS = [",", ";", "\t"];
/** The rows that are searched for a header. */
const MAX_ROWS = 10;
/** A row with this many columns of items is a header. */
const FITTING = 2;
/** A row: quoted cells may have line breaks. */
const ROW = /((?:"[^"]*"|[^"\r\n])*)(?:\r\n|\r|\n|$)/y;

/** The row that names the columns. */
export interface Header {
  /** As a spreadsheet counts it. */
  row: number;
  /** Another row that may be meant, if this one does not fit. */
  likely: number | null;
  /** How many columns of items it names. */
  fit: number;
}

/** A row, and its number as a spreadsheet counts it. */
interface NumberedRow {
  row: number;
  cells: readonly string[];
}

/**
 * Finds the header of a table: the first row, unless its names are unknown and a fuller one of the
 * next rows has the names of an item's fields, or of the mapping's columns.
 */
export function findHeader(rows: readonly string[][], mapped: readonly string[]): Header {
  const filled = rows.map((cells, index): NumberedRow => ({ row: index + 1, cells }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== "")).slice(0, MAX_ROWS);
  const wanted = new Set(mapped.map(plainName));
  const fitOf = ({ cells }: NumberedRow) => countKnown(cells, wanted);
  const filledOf = ({ cells }: NumberedRow) => cells.filter((cell) => cell.trim() !== "").length;
  const first = filled[0] ?? { row: 1, cells: [] };
  const best = filled.reduce((best, row) => fitOf(row) > fitOf(best) ? row : best, first);
  const fit = Math.max(fitOf(first), fitOf(best));
  const isFuller = filledOf(best) > filledOf(first);
  if (fitOf(first) >= FITTING || best === first || !isFuller) {
    return { row: first.row, likely: null, fit: fitOf(first) };
  }
  return fit >= FITTING
    ? { row: best.row, likely: null, fit }
    : { row: first.row, likely: best.row, fit };
}

/** Whether a row with this many known columns is surely a header. */
export function isHeader({ fit }: Header): boolean {
  return fit >= FITTING;
}

/** How many fields of an item, or columns of the mapping, cells name. */
function countKnown(cells: readonly string[], wanted: ReadonlySet<string>): number {
  const fields = cells.map((cell) =>
    wanted.has(plainName(cell)) ? plainName(cell) : knownColumn(cell)?.field
  );
  return new Set(fields.filter((field) => field !== undefined)).size;
}

/** What stands between the cells of a text, and the cells of the row that names the most columns. */
export function findDelimiter(text: string): { delimiter: string; cells: readonly string[] } {
  const rows = firstRows(text).map((row) => {
    const bare = row.replace(/"[^"]*"/g, "");
    const count = (delimiter: string) => bare.split(delimiter).length;
    const delimiter = DELIMITERS.reduce((best, other) => count(other) > count(best) ? other : best);
    return { delimiter, cells: row.replaceAll('"', "").split(delimiter) };
  });
  const none = { delimiter: ",", cells: [] as readonly string[] };
  const known = (cells: readonly string[]) => countKnown(cells, new Set());
  return rows.reduce(
    (best, row) =>
      known(row.cells) > known(best.cells) ||
        known(row.cells) === known(best.cells) && best.cells.length < 2
        ? row
        : best,
    rows[0] ?? none,
  );
}

/** The first rows that are not empty. */
function firstRows(text: string): string[] {
  const rows: string[] = [];
  ROW.lastIndex = 0;
  while (rows.length < MAX_ROWS && ROW.lastIndex < text.length) {
    const found = ROW.exec(text)?.[1];
    if (found === undefined) break; // a quotation mark without its end
    if (/[^\s,;"]/.test(found)) rows.push(found);
  }
  return rows;
}
