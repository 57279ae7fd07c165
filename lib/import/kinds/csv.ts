import { countOf } from "../../text/phrases.ts";
import { knownColumn } from "../mapping/column_names.ts";
import { UnreadableRow } from "../mapping/map_table.ts";
import { findDelimiter, findHeader } from "./find_header.ts";
import { type Document, type Kind, openFirst, type ReadRows, refuse, textOf } from "./kind.ts";

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
    const rows = await parseCsv(textOf(document, source), document);
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
  for (let index = header.row; index < rows.length; index++) {
    const cells = rows[index]!;
    if (cells.every((cell) => cell.trim() === "")) continue;
    read.push(readRow(cells, names, header.row));
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
