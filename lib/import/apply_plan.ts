import type { Connection } from "../database/database.ts";
import { raiseDataVersion } from "../database/data_version.ts";
import { clearSample, hasItems, isOvertaken, lockImports, removeItems } from "./apply_sql.ts";
import { incomingItems, noteCreated, rereadItems, storeDifferences } from "./differences_sql.ts";
import { DEFAULT_SOURCE, type ImportOptions } from "./import_options.ts";
import * as runs from "./import_runs_sql.ts";
import { findKind } from "./kinds/known_kinds.ts";
import { planImport } from "./plan_import.ts";
import type { ReadItems } from "./read_items.ts";
import { SnapshotError } from "./snapshot_error.ts";
import { isFirstOfDay } from "./source_readings_sql.ts";

/**
 * Stores what was read of a source: plans it under the lock of imports, and does the plan.
 *
 * @throws {SnapshotError} if too much would be removed, or a later import of the source was faster
 */
export async function applyRead(
  connection: Connection,
  runId: number,
  read: ReadItems,
  options: ImportOptions,
): Promise<runs.ImportCounts> {
  const { sourceName = DEFAULT_SOURCE } = options;
  await lockImports(connection);
  if (await isOvertaken(connection, runId, sourceName)) {
    throw new SnapshotError(
      `A later import of the source "${sourceName}" has finished in the meantime: nothing of this one ` +
        "was stored",
    );
  }
  const sampleCleared = await clearSample(connection);
  const { counts, isOtherwise } = await storeRead(connection, runId, read, options);
  if (
    hasChanged(counts) || isOtherwise || sampleCleared || await isFirstOfDay(connection, runId)
  ) await raiseDataVersion(connection);
  return counts;
}

/** Stores the differences, without notifying anyone; says whether more than they has changed. */
export async function storeRead(
  connection: Connection,
  runId: number,
  read: ReadItems,
  options: Pick<ImportOptions, "announce"> & Parameters<typeof planImport>[2],
): Promise<{ counts: runs.ImportCounts; isOtherwise: boolean }> {
  const { asOf, sourceName: source = DEFAULT_SOURCE, announce = false, signal } = options;
  if (!announce && !await hasItems(connection, source)) {
    await runs.markAsNoNews(connection, runId);
  }
  const { lastModifiedIncludesComments = false } = findKind(read.kind);
  const { counts, batches, missing } = await planImport(connection, read, options);
  for (const { items, announced, differs, rereads, dates } of batches) {
    // Some items at a time, so the import can be cancelled in between.
    signal?.throwIfAborted();
    const incoming = incomingItems(items, announced);
    const how = { source, asOf, lastModifiedIncludesComments };
    if (differs) await storeDifferences(connection, runId, incoming, how);
    if (rereads) await rereadItems(connection, incoming);
    if (dates) await noteCreated(connection, incoming);
  }
  if (missing.length > 0) await removeItems(connection, runId, { ids: missing, asOf });
  await runs.finishRun(connection, runId, counts, remarksOf(read));
  if (read.dayOrder !== null) await runs.noteDayOrder(connection, runId, read.dayOrder);
  return { counts, isOtherwise: batches.some(({ rereads, dates }) => rereads || dates) };
}

/** What an import says besides its counts. */
export function remarksOf({ repaired, leftOut, notes }: ReadItems): runs.RunRemarks {
  const counted = Object.entries(leftOut).filter(([, count]) => count > 0);
  return {
    repaired: repaired || null,
    left_out: counted.length > 0 ? Object.fromEntries(counted) : null,
    notes: notes.length > 0 ? notes : null,
  };
}

/** Records that a source has not changed; pages say on which day it was last read. */
export async function confirmUnchanged(
  connection: Connection,
  runId: number,
  source: string,
): ReturnType<typeof runs.confirmRun> {
  const counts = await runs.confirmRun(connection, runId, source);
  if (await isFirstOfDay(connection, runId)) await raiseDataVersion(connection);
  return counts;
}

/** Whether an import changed any item. */
export function hasChanged({ added, changed, removed, restored }: runs.ImportCounts): boolean {
  return added + changed + removed + restored > 0;
}
