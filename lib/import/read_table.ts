import { DEFAULT_SOURCE, type ImportOptions } from "./import_options.ts";
import type { DayOrder } from "./mapping/read_date.ts";
import { type MappedTable, mapTable, type Table } from "./mapping/map_table.ts";
import { findSource } from "./sources/known_sources.ts";
import { type PagesSeen, readSource } from "./sources/read_source.ts";
import type { ReadOptions } from "./sources/read_options.ts";

/**
 * Reads all rows of a source, and the pages that they are from; these are null if none has changed.
 *
 * @throws {SnapshotError} that names the location and says why it cannot be read
 */
export async function readTable(
  location: string,
  options: ImportOptions & Pick<ReadOptions, "seen">,
): Promise<{ table: Table; pages: PagesSeen }> {
  const rows: unknown[] = [];
  const numbers: number[] = [];
  const leftOut: Record<string, number> = {};
  const table: Table = { kind: options.kind ?? "json", rows, leftOut };
  const portions = readSource(location, options);
  while (true) {
    const { done, value } = await portions.next();
    if (done) return { table, pages: value };
    table.kind = value.source.kind;
    for (const row of value.items) rows.push(row);
    if (value.rows) {
      for (const number of value.rows) numbers.push(number);
      table.numbers = numbers;
    }
    table.likelyHeader ??= value.likelyHeader;
    table.repaired = (table.repaired ?? 0) + (value.repaired ?? 0);
    for (const [reason, count] of Object.entries(value.leftOut ?? {})) {
      leftOut[reason] = (leftOut[reason] ?? 0) + count;
    }
    options.onProgress?.({ items: rows.length, share: value.share });
  }
}

/**
 * Reads the rows of a source as items.
 *
 * @param dayOrder the order of day and month in the last import of the source
 */
export function mapRows(
  table: Table,
  { fields, sourceName = DEFAULT_SOURCE, asOf }: ImportOptions,
  dayOrder: DayOrder | null = null,
): MappedTable {
  const { toItem } = findSource(table.kind);
  return mapTable(table, fields ?? {}, { sourceName, asOf, dayOrder, toItem });
}

/** How many rows were left out in all, and for which reasons; nothing where there are none. */
export function countLeftOut(
  leftOut: Readonly<Record<string, number>>,
): { left_out?: number; left_out_because?: Readonly<Record<string, number>> } {
  const counted = Object.entries(leftOut).filter(([, count]) => count > 0);
  if (counted.length === 0) return {};
  const left_out = counted.reduce((sum, [, count]) => sum + count, 0);
  return { left_out, left_out_because: Object.fromEntries(counted) };
}
