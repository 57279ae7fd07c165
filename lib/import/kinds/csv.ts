import { isReleaseTable, TAG_COLUMN } from "../../roadmap/tables.ts";
import { unguardCell } from "../../text/csv.ts";
import { countOf } from "../../text/phrases.ts";
import { asObject } from "../../text/values.ts";
import { knownColumn, plainName } from "../mapping/column_names.ts";
import { UnreadableRow } from "../mapping/map_table.ts";
import { type Document, type Kind, openFirst, type ReadRows, readText, refuse } from "./kind.ts";

const MAX_ROW_LENGTH = 8_000_000;
const MAX_COLUMNS = 1_000;
/** By these characters the separator is found. */
const BEGINNING = 64_000;

/** A table whose first rows have the names of the columns; an empty cell is no value. */
export const csv: Kind = {
  kind: "csv",
  recognises: ({ contentType, extension, text }) =>
    ["text/csv", "text/tab-separated-values"].includes(contentType ?? "") ||
    ["csv", "tsv"].includes(extension) || isTable(text),
  async read(source) {
    const document = await openFirst(source);
    const rows = await parseCsv(readText(document, source), document);
    return readTable(rows, { document, columns: source.columns });
  },
};

/** Whether a text starts with column names, at least one of them that of an item's field. */
function isTable(text: string): boolean {
  if (/^\s*[[{<]/.test(text)) return false;
  const { cells } = findDelimiter(text);
  return cells.length > 1 && cells.some((cell) => {
    const known = knownColumn(cell)?.field;
    return known === "feature_name" || known === "release_item_id";
  });
}

async function parseCsv(text: string, document: Document): Promise<string[][]> {
  if (text.trim() === "") throw refuse(document, "it is empty");
  const { parse } = await import("csv-parse/sync");
  const { delimiter } = findDelimiter(text.slice(0, BEGINNING));
  try {
    return parse(text, {
      delimiter,
      relax_column_count: true,
      max_record_size: MAX_ROW_LENGTH,
    });
  } catch (error) {
    const { code, lines, message } = error as Error & { code?: string; lines?: number };
    if (code === "CSV_MAX_RECORD_SIZE") {
      const reason = `is longer than ${MAX_ROW_LENGTH} characters: is a quotation mark missing?`;
      throw refuse(document, `its row up to line ${lines} ${reason}`);
    }
    if (code === undefined) throw error;
    throw refuse(document, `it is not CSV: ${message}`);
  }
}

/** The rows behind the header as objects, with their numbers as a spreadsheet counts them. */
export function readTable(
  rows: readonly string[][],
  { document, columns }: { document: Pick<Document, "shown">; columns: readonly string[] },
): ReadRows {
  const header = findHeader(rows, columns);
  const names = (rows[header.row - 1] ?? []).map((name) => name.trim());
  if (names.every((name) => name === "")) throw refuse(document, "it is empty");
  if (names.length > MAX_COLUMNS) {
    throw refuse(document, `its row ${header.row} has more than ${MAX_COLUMNS} columns`);
  }
  const read: unknown[] = [];
  const numbers: number[] = [];
  const isOurs = isReleaseTable(names);
  for (let index = header.row; index < rows.length; index++) {
    const cells = rows[index]!;
    if (cells.every((cell) => cell.trim() === "")) continue;
    const row = readRow(isOurs ? cells.map(unguardCell) : cells, names, header.row);
    read.push(isOurs ? readReleaseRow(row) : row);
    numbers.push(index + 1);
  }
  return { rows: read, numbers, likelyHeader: header.likely };
}

/**
 * Cells by column name; for columns with the same name, all that are not empty. Spreadsheets leave
 * out the separators of empty cells at the end of a row.
 */
function readRow(cells: readonly string[], names: readonly string[], header: number): unknown {
  if (cells.slice(names.length).some((cell) => cell.trim() !== "")) {
    return new UnreadableRow(
      `it has ${countOf(cells.length, "cell")}, but ${
        header === 1 ? "the first row" : `row ${header}`
      } ${names.length}: is a quotation mark or a separator missing?`,
    );
  }
  const values: Record<string, unknown> = Object.create(null);
  for (const [index, name] of names.entries()) {
    const cell = cells[index] || null;
    const before = values[name] ?? null;
    if (before === null) values[name] = cell;
    else if (cell !== null && Array.isArray(before)) before.push(cell);
    else if (cell !== null) values[name] = [before, cell];
  }
  return values;
}

/** What a row of `/releases.csv` has in one cell, as it was before. */
function readReleaseRow(row: unknown): unknown {
  const cells = asObject(row);
  if (cells === null || row instanceof UnreadableRow) return row;
  const listIn = (name: string) => String(cells[name] ?? "").split("; ").filter(Boolean);
  const groups = Object.keys(cells).filter((name) => name.startsWith(TAG_COLUMN));
  const tags = groups.map((name) => [name.slice(TAG_COLUMN.length), listIn(name)]);
  const products = listIn("all_products");
  // Who edits the table may have changed the first one alone.
  const product_name = products[0] === cells.product_name ? products : cells.product_name;
  return { ...cells, product_name, tags: Object.fromEntries(tags) };
}

const DELIMITERS = [",", ";", "\t"];
/** The rows that are searched for a header. */
const MAX_ROWS = 10;
/** A row with this many columns of items is a header. */
const FITTING = 2;
/** A row: quoted cells may have line breaks. */
const ROW = /((?:"[^"]*"|[^"\r\n])*)(?:\r\n|\r|\n|$)/y;

/** The row that names the columns. */
interface Header {
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
function findDelimiter(text: string): { delimiter: string; cells: readonly string[] } {
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
