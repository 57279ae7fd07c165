import { parse } from "csv-parse";
import { Readable } from "node:stream";
import { CsvBounds } from "./csv_bounds.ts";
import { SnapshotError } from "./snapshot_item.ts";
import { fieldsOf, type Opening, type RawItems, type Source } from "./source.ts";

const ID = "release_item_id";
const DELIMITERS = [",", ";", "\t"];
/** Bounds of what is yielded at once: so many rows, or so many characters. */
const PORTION = { rows: 500, characters: 1_000_000 };
/** Rows that wait to be taken; a stream would keep 16, and a row may be long. */
const WAITING = { readableHighWaterMark: 1 };

/** A table whose first row holds the names of the fields; an empty cell is no value. */
export const csv: Source = {
  kind: "csv",
  recognises: ({ contentType, extension, text }) =>
    contentType === "text/csv" || extension === "csv" ||
    DELIMITERS.some((delimiter) => headerOf(text).split(delimiter).some(isId)),
  read: readRows,
  toItem(value) {
    const fields = Object.entries(fieldsOf(value) ?? {});
    return Object.fromEntries(
      fields.map(([name, cell]) => [name, name === "active" ? toFlag(cell) : cell || null]),
    );
  },
};

function headerOf(text: string): string {
  return /^[^\r\n]*/.exec(text)![0];
}

function isId(cell: string): boolean {
  return cell.trim().replaceAll('"', "").toLowerCase() === ID;
}

/** `true`, `yes` and `1` in any case, and their contraries; another word is left to be refused. */
function toFlag(cell: unknown): unknown {
  const word = String(cell).trim().toLowerCase();
  if (word === "") return null;
  if (["true", "yes", "1"].includes(word)) return true;
  return ["false", "no", "0"].includes(word) ? false : cell;
}

async function* readRows(
  chunks: AsyncIterable<string>,
  { location, text }: Opening,
): AsyncGenerator<RawItems> {
  if (text.trim() === "") throw new SnapshotError(`Cannot read ${location}: it is empty`);
  const header = headerOf(text);
  const cells = (delimiter: string) => header.split(delimiter).length;
  const delimiter = DELIMITERS.reduce((best, other) => cells(other) > cells(best) ? other : best);
  if (!header.split(delimiter).some(isId)) {
    throw new SnapshotError(`Cannot read ${location}: its first row names no column "${ID}"`);
  }
  const source = Readable.from(bounded(chunks, new CsvBounds(location, delimiter)));
  const rows = parse({
    ...WAITING,
    delimiter,
    columns: (names: string[]) => names.map((name) => name.trim().toLowerCase()),
    skip_empty_lines: true,
  });
  source.on("error", (error) => rows.destroy(error)).pipe(rows);
  try {
    let items: unknown[] = [];
    let characters = 0;
    for await (const row of rows) {
      items.push(row);
      for (const cell of Object.values<string>(row)) characters += cell.length;
      if (items.length < PORTION.rows && characters < PORTION.characters) continue;
      yield { items };
      items = [];
      characters = 0;
    }
    yield { items };
  } catch (error) {
    if (error instanceof SnapshotError) throw error;
    throw new SnapshotError(`Cannot read ${location}: it is not CSV: ${(error as Error).message}`);
  } finally {
    source.destroy();
  }
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
