import type { SourceKind } from "../config/settings.ts";
import { completeOptions } from "./import_snapshot.ts";
import type { ImportOptions } from "./import_options.ts";
import { ItemReader } from "./item_reader.ts";
import { ProblemList } from "./snapshot_problems.ts";
import { readSource } from "./sources/read_source.ts";

/** What the first page of a source shows. */
export interface SourceTrial {
  /** Null: it has no items by which it could be recognised. */
  kind: SourceKind | null;
  items: number;
  problems: ProblemList;
}

/**
 * Reads the first page of a source, by one request, and stores nothing. It may be cancelled once
 * there are items; these are enough.
 *
 * @throws {SnapshotError} if the page cannot be read
 */
export async function trySource(location: string, given: ImportOptions): Promise<SourceTrial> {
  const options = completeOptions(location, given);
  const reader = new ItemReader(options);
  const portions = readSource(location, { ...options, pausesMs: [], onlyFirstPage: true });
  try {
    for await (const portion of portions) {
      for (const _item of reader.read(portion));
    }
  } catch (error) {
    if (!options.signal?.aborted || reader.count === 0) throw error;
  }
  reader.finish();
  return { kind: reader.kind, items: reader.count, problems: reader.problems };
}
