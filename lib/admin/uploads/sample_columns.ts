import type { ReadOptions } from "../../import/sources/read_options.ts";
import { readSource } from "../../import/sources/read_source.ts";
import { fieldsOf } from "../../import/sources/source.ts";
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
  options: ReadOptions,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const columns = new Columns({});
  const rows: Row[] = [];
  for await (const { items } of readSource(location, { ...options, onlyFirstPage: true })) {
    const read = items.map(fieldsOf).filter((row) => row !== null);
    columns.see(read);
    rows.push(...read);
    if (rows.length >= MAX_ROWS) break;
  }
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
