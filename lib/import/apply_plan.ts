import type { Connection, Database } from "../database/database.ts";
import { raiseDataVersion, readDataVersion } from "../database/data_version.ts";
import { clearSample, hasItems, isOvertaken, lockImports, storeLanguage } from "./apply_sql.ts";
import { DEFAULT_SOURCE, type ImportOptions } from "./import_options.ts";
import * as runs from "./import_runs_sql.ts";
import { type ImportPlan, planImport } from "./plan_import.ts";
import * as preparing from "./prepared_sql.ts";
import type { Reading } from "./read_items.ts";
import { SnapshotError } from "./snapshot_error.ts";
import { parseLanguage } from "../text/foreign.ts";
import { isFirstOfDay } from "./source_readings_sql.ts";

/** So often an import is prepared beside readers and other imports; then they wait for it. */
const ATTEMPTS = 2;

interface Application {
  runId: number;
  reading: Reading;
  options: Pick<ImportOptions, "announce" | "language"> & Parameters<typeof planImport>[2];
}

/**
 * Stores what was read of a source.
 *
 * @param complete what else is stored, within the transaction
 * @throws {SnapshotError} if too much would be removed, or a later import of the source was faster
 */
export async function applyRead(
  database: Database,
  application: Application,
  complete: (connection: Connection, counts: runs.ImportCounts) => Promise<void>,
): Promise<runs.ImportCounts> {
  const { runId, reading, options } = application;
  const { language = reading.language, sourceName = DEFAULT_SOURCE, partial } = options;
  return await storeBesideReaders(database, runId, {
    async prepare(connection) {
      await refuseOvertaken(connection, application);
      return await prepareRead(connection, application);
    },
    async store(connection, prepared) {
      await refuseOvertaken(connection, application);
      const sampleCleared = await clearSample(connection);
      const counts = await storePrepared(connection, application, prepared);
      // A part of a source that names no language says nothing of the rest.
      const isOther = !(partial && language === undefined) &&
        await storeLanguage(connection, sourceName, parseLanguage(language ?? ""));
      if (
        prepared.rows > 0 || sampleCleared || isOther || await isFirstOfDay(connection, runId)
      ) {
        await raiseDataVersion(connection);
        // Others have prepared by former data: they do it again, unless they were killed.
        await preparing.forgetPrepared(connection, { except: runId });
      }
      await complete(connection, counts);
      return counts;
    },
  });
}

/** What was prepared: so many rows, which go by a data version. */
interface PreparedRows {
  rows: number;
  version: number;
}

/**
 * Prepares in pieces, between which readers have their turn, and of which they see nothing. One short
 * transaction under the lock of imports then stores it, unless other data was stored meanwhile: then
 * it is prepared again.
 */
export async function storeBesideReaders<Ready extends PreparedRows, Result>(
  database: Database,
  runId: number,
  { prepare, store }: {
    prepare(connection: Connection): Promise<Ready>;
    store(connection: Connection, prepared: Ready): Promise<Result>;
  },
): Promise<Result> {
  for (let attempt = 1;; attempt++) {
    const beside = attempt <= ATTEMPTS ? await prepare(database) : null;
    const stored = await database.transaction(async (connection) => {
      await lockImports(connection);
      // Nothing was stored meanwhile, nor has the database crashed.
      const isCurrent = beside === null ||
        await readDataVersion(connection) === beside.version &&
          await preparing.countPrepared(connection, runId) === beside.rows;
      if (!isCurrent) return null;
      return { result: await store(connection, beside ?? await prepare(connection)) };
    });
    if (stored !== null) return stored.result;
    await preparing.forgetPrepared(database, { of: runId });
  }
}

/** Prepares what would change, piece by piece. */
export async function prepareRead(
  connection: Connection,
  { runId, reading, options }: Application,
): Promise<PreparedRows & { plan: ImportPlan }> {
  const { asOf, signal } = options;
  const version = await readDataVersion(connection);
  const plan = await planImport(connection, reading, options);
  let rows = 0;
  for (const batch of plan.batches) {
    // Some items at a time, so the import can be cancelled in between.
    signal?.throwIfAborted();
    rows += await preparing.prepareChanges(connection, runId, await plan.compare(batch), plan);
  }
  rows += await preparing.prepareRemovals(connection, runId, { ids: plan.missing, asOf });
  return { plan, rows, version };
}

/** Stores what was prepared, without notifying anyone. */
export async function storePrepared(
  connection: Connection,
  { runId, reading: { remarks, dayOrder }, options }: Application,
  { plan: { counts, isDated }, rows }: PreparedRows & { plan: ImportPlan },
): Promise<runs.ImportCounts> {
  const { sourceName: source = DEFAULT_SOURCE, announce = false } = options;
  // What a source brings for the first time is no news.
  const isNews = announce || await hasItems(connection, source);
  if (rows > 0) await preparing.movePrepared(connection, runId);
  if (isDated) await preparing.dateAdditions(connection, runId);
  await runs.finishRun(connection, runId, counts, { remarks, dayOrder, isNews });
  return counts;
}

async function refuseOvertaken(
  connection: Connection,
  { runId, options: { sourceName = DEFAULT_SOURCE } }: Application,
): Promise<void> {
  if (!await isOvertaken(connection, runId, sourceName)) return;
  throw new SnapshotError(
    `A later import of the source "${sourceName}" has finished in the meantime: nothing of this one ` +
      "was stored",
  );
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
