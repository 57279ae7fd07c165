import type { ImportOptions } from "../../import/import_options.ts";
import { readTable } from "../../import/read_table.ts";
import { asObject } from "../../text/as_object.ts";
import { textOf } from "../../import/mapping/cell_text.ts";
import { Columns, lookUp, type Row } from "../../import/mapping/columns.ts";
import { shorten } from "../../text/shorten.ts";
import { toLine } from "../../text/to_line.ts";

const MAX_ROWS = 500;
const MAX_VALUES = 4;
const VALUE_LENGTH = 40;

/** Some different values of each column, from the first rows of a source. */
export async function sampleColumns(
  location: string,
  options: ImportOptions,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { table } = await readTable(location, { ...options, onlyFirstPage: true });
  const rows = table.rows.map(asObject).filter((row) => row !== null);
  const columns = new Columns({}, rows);
  return new Map(columns.names.map((name) => [name, valuesIn(name, rows.slice(0, MAX_ROWS))]));
}

function valuesIn(column: string, rows: readonly Row[]): string[] {
  const values = new Set<string>();
  for (const row of rows) {
    const text = textOf(lookUp(row, column));
    if (text !== null) values.add(shorten(toLine(text), VALUE_LENGTH));
    if (values.size === MAX_VALUES) break;
  }
  return [...values];
}
