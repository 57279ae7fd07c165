import type { Connection, Database } from "../database/database.ts";
import { raiseDataVersion, readDataVersion } from "../database/data_version.ts";
import { clearSample, hasItems, isOvertaken, lockImports } from "./apply_sql.ts";
import { DEFAULT_SOURCE, type ImportOptions } from "./import_options.ts";
import * as runs from "./import_runs_sql.ts";
import { compareBatch, type ImportPlan, planImport } from "./plan_import.ts";
import * as preparing from "./prepared_sql.ts";
import type { Reading } from "./read_items.ts";
import { SnapshotError } from "./snapshot_error.ts";
import { parseLanguage } from "../text/foreign.ts";
import { storeLanguage } from "./source_languages_sql.ts";
import { isFirstOfDay } from "./source_readings_sql.ts";

/** So often an import is prepared beside readers and other imports; then they wait for it. */
const ATTEMPTS = 2;

/** What an import stores, and how. */
interface Application {
  runId: number;
  reading: Reading;
  options: Pick<ImportOptions, "announce" | "language"> & Parameters<typeof planImport>[2];
}

/** What is prepared of an import. */
interface Prepared extends PreparedRows {
  plan: ImportPlan;
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
      if (beside !== null && !await isCurrent(connection, runId, beside)) return null;
      return { result: await store(connection, beside ?? await prepare(connection)) };
    });
    if (stored !== null) return stored.result;
    await preparing.forgetPrepared(database, { of: runId });
  }
}

/** Whether what was prepared still fits: nothing was stored meanwhile, nor has the database crashed. */
async function isCurrent(
  connection: Connection,
  runId: number,
  { version, rows }: PreparedRows,
): Promise<boolean> {
  return await readDataVersion(connection) === version &&
    await preparing.countPrepared(connection, runId) === rows;
}

/** Prepares what would change, piece by piece. */
export async function prepareRead(
  connection: Connection,
  { runId, reading, options }: Application,
): Promise<Prepared> {
  const { asOf, signal } = options;
  const version = await readDataVersion(connection);
  const plan = await planImport(connection, reading, options);
  const { isFresh, learnsDates } = plan;
  let rows = 0;
  for (const batch of plan.batches) {
    // Some items at a time, so the import can be cancelled in between.
    signal?.throwIfAborted();
    const changes = await compareBatch(connection, batch, {
      ...{ reading, options, isFresh, learnsDates },
    });
    rows += await preparing.prepareChanges(connection, runId, changes, { isFresh });
  }
  rows += await preparing.prepareRemovals(connection, runId, { ids: plan.missing, asOf });
  return { plan, rows, version };
}

/** Stores what was prepared, without notifying anyone. */
export async function storePrepared(
  connection: Connection,
  { runId, reading, options }: Application,
  { plan, rows }: Prepared,
): Promise<runs.ImportCounts> {
  const { sourceName: source = DEFAULT_SOURCE, announce = false } = options;
  if (!announce && !await hasItems(connection, source)) {
    await runs.markAsNoNews(connection, runId);
  }
  if (rows > 0) await preparing.movePrepared(connection, runId);
  if (plan.isDated) await preparing.dateAdditions(connection, runId);
  await runs.finishRun(connection, runId, plan.counts, reading.remarks);
  if (reading.dayOrder !== null) await runs.noteDayOrder(connection, runId, reading.dayOrder);
  return plan.counts;
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
