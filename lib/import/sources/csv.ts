import { parse } from "csv-parse";
import { Readable } from "node:stream";
import { CsvBounds } from "./csv_bounds.ts";
import { findHeader, type Header } from "./find_header.ts";
import { countOf } from "../../text/count_of.ts";
import { knownColumn } from "../mapping/column_names.ts";
import { SnapshotError } from "../snapshot_error.ts";
import { UnreadableRow } from "../mapping/map_table.ts";
import { type Opening, type RawItems, type Source } from "./source.ts";

/** Limits of what is yielded at once, in rows and in characters. */
const PORTION = { rows: 500, characters: 1_000_000 };
/** The rows to buffer; a stream would buffer 16, and a row may be long. */
const WAITING = { readableHighWaterMark: 1 };

/** A table whose first rows have the names of the columns; an empty cell is no value. */
export const csv: Source = {
  kind: "csv",
  recognises: ({ contentType, extension, text }) =>
    ["text/csv", "text/tab-separated-values"].includes(contentType ?? "") ||
    ["csv", "tsv"].includes(extension) || isTable(text),
  read: readRows,
};

/** Whether a text starts with column names, at least one of them that of an item's field. */
function isTable(text: string): boolean {
  if (/^\s*[[{<]/.test(text)) return false;
  const { cells } = findHeader(text);
  return cells.length > 1 && cells.some((cell) => {
    const known = knownColumn(cell)?.field;
    return known === "feature_name" || known === "release_item_id";
  });
}

async function* readRows(
  chunks: AsyncIterable<string>,
  { location, text, columns }: Opening,
): AsyncGenerator<RawItems> {
  if (text.trim() === "") throw new SnapshotError(`Cannot read ${location}: it is empty`);
  const header = findHeader(text, columns);
  const { delimiter } = header;
  const source = Readable.from(bounded(chunks, new CsvBounds(location, delimiter)));
  const parser = parse({
    ...WAITING,
    delimiter,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  source.on("error", (error) => parser.destroy(error)).pipe(parser);
  try {
    yield* portionsOf(parser, header);
  } catch (error) {
    if (error instanceof SnapshotError) throw error;
    throw new SnapshotError(`Cannot read ${location}: it is not CSV: ${(error as Error).message}`);
  } finally {
    source.destroy();
  }
}

/** A row, and how many rows and empty lines there are up to its end. */
type Parsed = { record: string[]; info: { records: number; empty_lines: number } };

async function* portionsOf(
  parsed: AsyncIterable<Parsed>,
  header: Header,
): AsyncGenerator<RawItems> {
  const { likely } = header;
  let names: string[] | undefined;
  let portion: { items: unknown[]; rows: number[] } = { items: [], rows: [] };
  let characters = 0;
  for await (const { record, info } of parsed) {
    if (record.every((cell) => cell.trim() === "")) continue;
    const row = info.records + info.empty_lines;
    if (row < header.row) continue;
    if (names === undefined) {
      names = record.map((name) => name.trim());
      continue;
    }
    portion.items.push(readRow(record, names, header.row));
    portion.rows.push(row);
    for (const cell of record) characters += cell.length;
    if (portion.items.length < PORTION.rows && characters < PORTION.characters) continue;
    yield { ...portion, likelyHeader: likely };
    portion = { items: [], rows: [] };
    characters = 0;
  }
  yield { ...portion, likelyHeader: likely };
}

/** Cells by column name; for columns with the same name, all that are not empty. */
function readRow(cells: readonly string[], names: readonly string[], row: number): unknown {
  if (cells.length < names.length || cells.slice(names.length).some((cell) => cell !== "")) {
    return new UnreadableRow(
      `it has ${countOf(cells.length, "cell")}, but ${
        row === 1 ? "the first row" : `row ${row}`
      } ${names.length}: ` +
        "is a quotation mark or a separator missing?",
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

async function* bounded(
  chunks: AsyncIterable<string>,
  bounds: CsvBounds,
): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    bounds.check(chunk);
    yield chunk;
  }
}
