import type { SourceKind } from "../config/settings.ts";
import { completeOptions } from "./import_snapshot.ts";
import type { ImportOptions } from "./import_options.ts";
import type { ProblemList } from "./snapshot_error.ts";
import { mapRows, readTable } from "./read_table.ts";

/** What the first page of a source shows. */
export interface SourceTrial {
  kind: SourceKind;
  items: number;
  problems: ProblemList;
}

/**
 * Reads the first page of a source, by one request, and stores nothing.
 *
 * @throws {SnapshotError} if the page cannot be read
 */
export async function trySource(location: string, given: ImportOptions): Promise<SourceTrial> {
  const options = { ...completeOptions(location, given), pausesMs: [], onlyFirstPage: true };
  const { table } = await readTable(location, options);
  const { problems } = mapRows(table, options);
  return { kind: table.kind, items: table.rows.length, problems };
}
