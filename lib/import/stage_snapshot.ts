import type { Connection } from "../database/database.ts";
import type { IncomingItem } from "../roadmap/item.ts";
import type { ImportOptions } from "./import_options.ts";
import type { ItemReader } from "./item_reader.ts";
import { SnapshotProblems } from "./snapshot_problems.ts";
import type { Portion } from "./sources/read_options.ts";
import { SnapshotError } from "./mapping/snapshot_item.ts";
import { keepFirstProducts, stageItems } from "./staged_items_sql.ts";

/** Limits of one statement: items, or characters of description. */
const BATCH = { items: 1_000, characters: 4_000_000 };

/**
 * Stages items, and validates them.
 *
 * @throws {SnapshotProblems} that lists all problems of the source
 */
export async function stage(
  connection: Connection,
  runId: number,
  items: AsyncIterable<IncomingItem> | Iterable<IncomingItem>,
  { reader, shown, asOf }: { reader: ItemReader; shown: string; asOf: string },
): Promise<void> {
  const { problems } = reader;
  try {
    let storing = Promise.resolve();
    try {
      for await (const batch of batchesOf(items)) {
        await storing;
        storing = stageItems(connection, runId, batch, { tones: reader.tones, asOf });
        storing.catch(() => {}); // thrown where it is awaited, after the next batch has been read
      }
    } finally {
      await storing;
    }
    await keepFirstProducts(connection, runId);
    reader.finish();
  } catch (error) {
    if (!(error instanceof SnapshotError) || problems.total === 0) throw error;
    // The rest of the source cannot be read: report the problems found before, too.
    problems.addFirst({ reason: error.message.replace(`Cannot read ${shown}: `, "") });
  }
  if (problems.total > 0) throw new SnapshotProblems(shown, problems);
}

/** The active items of a source, up to the first bad one. */
export async function* readItems(
  portions: AsyncIterable<Portion>,
  reader: ItemReader,
  onProgress?: ImportOptions["onProgress"],
): AsyncGenerator<IncomingItem> {
  for await (const portion of portions) {
    for (const { active, ...item } of reader.read(portion)) {
      if (active && reader.problems.total === 0) yield item;
    }
    onProgress?.({ items: reader.count, share: portion.share });
  }
}

async function* batchesOf(
  items: AsyncIterable<IncomingItem> | Iterable<IncomingItem>,
): AsyncGenerator<IncomingItem[]> {
  let batch: IncomingItem[] = [];
  let characters = 0;
  for await (const item of items) {
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
