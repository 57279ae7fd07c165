import type { Connection } from "../database/database.ts";
import { type MappedItem, type MappedTable } from "./mapping/map_table.ts";
import { SnapshotProblems } from "./snapshot_error.ts";
import { keepFirstProducts, stageItems } from "./staged_items_sql.ts";

/** Limits of one statement: items, or characters of description. */
const BATCH = { items: 1_000, characters: 4_000_000 };

/**
 * Stores the items of a snapshot for the comparison with those that are stored.
 *
 * @throws {SnapshotProblems} that lists all problems of the source
 */
export async function stage(
  connection: Connection,
  runId: number,
  { items, problems }: Pick<MappedTable, "items" | "problems">,
  { shown, signal }: { shown: string; signal?: AbortSignal },
): Promise<void> {
  if (problems.total > 0) throw new SnapshotProblems(shown, problems);
  for (const batch of batchesOf(items)) {
    signal?.throwIfAborted();
    await stageItems(connection, runId, batch);
  }
  await keepFirstProducts(connection, runId);
}

function* batchesOf(items: readonly MappedItem[]): Generator<MappedItem[]> {
  let batch: MappedItem[] = [];
  let characters = 0;
  for (const item of items) {
    batch.push(item);
    characters += item.feature_description?.length ?? 0;
    if (batch.length === BATCH.items || characters >= BATCH.characters) {
      yield batch;
      batch = [];
      characters = 0;
    }
  }
  if (batch.length > 0) yield batch;
}
