import { getLogger } from "@logtape/logtape";
import { type Connection, type Database, isEmbedded } from "../database/database.ts";
import * as runs from "./import_runs_sql.ts";
import { applyRun, confirmRun, hasChanged } from "./apply_run.ts";
import * as imports from "./apply_sql.ts";
import * as staged from "./staged_items_sql.ts";
import { type ReadAs, recallPages, rememberPages } from "./source_pages_sql.ts";
import { noteEntries } from "../roadmap/changes/change_kinds_sql.ts";
import { DEFAULT_SOURCE, type ImportOptions } from "./import_options.ts";
import { RefusedRemovals } from "./snapshot_error.ts";
import { storeRefusal } from "./removals_sql.ts";
import { findSource, kindOf } from "./sources/known_sources.ts";
import { showLocation } from "./reading/location.ts";
import { familiesOf, type PagesSeen } from "./sources/read_source.ts";
import type { PageSeen } from "./sources/read_options.ts";
import { countLeftOut, mapRows, readTable } from "./read_table.ts";
import { stage } from "./stage_snapshot.ts";

const log = getLogger(["roadcast", "import"]);

/** The counts of an import, and what else its message shows. */
export interface ImportResult extends runs.ImportCounts {
  /** How many rows were left out, if any. */
  left_out?: number;
  /** By the reason. */
  left_out_because?: Readonly<Record<string, number>>;
  /** How many characters or escapes of the source were repaired, if any. */
  repaired?: number;
}

/**
 * Imports one snapshot of a roadmap from a file or a URL: reads all of it, compares it with the
 * stored items, and stores items and changes in one transaction, or nothing at all. The URL of the
 * last import is requested conditionally.
 *
 * @throws {SnapshotError} if the source cannot be read, an item is bad, or too much would be
 * removed
 */
export async function importLocation(
  database: Database,
  location: string,
  given: ImportOptions,
): Promise<ImportResult> {
  const options = completeOptions(location, given);
  const { asOf, sourceName = DEFAULT_SOURCE, partial = false, kind = null, fields, api, sheet } =
    options;
  const run = { source: showLocation(location), sourceName, asOf, partial };
  const runId = await runs.startRun(database, run);
  let isStaged = false;
  let outcome: "failed" | "unchanged" | "changed" = "failed";
  try {
    const readAs = { location, kind, fields, api, sheet };
    const seen = partial ? [] : await recallPages<PageSeen>(database, sourceName, readAs);
    const { table, pages } = await readTable(location, { ...options, seen });
    const mapped = mapRows(table, options, await runs.readDayOrder(database, sourceName));
    const { dayOrder } = mapped;
    isStaged = mapped.items.length > 0;
    await stage(database, runId, mapped, { shown: run.source, signal: options.signal });
    const { repaired = 0 } = table;
    const read = { ...options, kind: table.kind, repaired };
    const stored = await database.transaction((connection) =>
      storeSnapshot(connection, runId, { database, options: read, dayOrder, readAs, pages })
    );
    outcome = stored.isNews ? "changed" : "unchanged";
    if (repaired > 0) log.info("Repaired {repaired} places of {source}", { repaired, ...run });
    return {
      ...stored.counts,
      ...countLeftOut(mapped.leftOut),
      ...repaired > 0 && { repaired },
    };
  } catch (error) {
    await recordFailure(database, runId, error as Error).catch(() => {});
    throw error;
  } finally {
    if (isStaged || outcome === "changed") await tidyUp(database, runId, outcome);
  }
}

/** Applies a staged snapshot, with what follows its changes, within a transaction. */
async function storeSnapshot(
  connection: Connection,
  runId: number,
  { database, options, dayOrder, readAs, pages }: {
    database: Database;
    options: ImportOptions;
    dayOrder: "DMY" | "MDY" | null;
    readAs: ReadAs;
    pages: PagesSeen;
  },
): Promise<{ counts: runs.ImportCounts; isNews: boolean }> {
  const { sourceName = DEFAULT_SOURCE, partial = false } = options;
  if (pages === null) {
    return { counts: await confirmRun(connection, runId, sourceName), isNews: false };
  }
  const counts = await applyRun(connection, runId, {
    ...options,
    families: familiesOf(pages),
  });
  if (dayOrder !== null) await runs.noteDayOrder(connection, runId, dayOrder);
  const canAsk = !partial && pages.every(({ validators }) => validators !== null);
  await rememberPages(connection, sourceName, { readAs, pages: canAsk ? pages : [] });
  const isNews = hasChanged(counts);
  if (isNews) await noteEntries(connection);
  if (isNews && isEmbedded(database)) await imports.mergeTrigrams(connection);
  if (isNews) await options.onChange?.(connection);
  return { counts, isNews };
}

/** The options, completed with what the location and its kind of source imply. */
export function completeOptions(location: string, options: ImportOptions): ImportOptions {
  const kind = kindOf(location, options.kind);
  const own = kind === null ? undefined : findSource(kind).fields;
  const fields = own ? { ...own, ...options.fields } : options.fields ?? undefined;
  return { ...options, kind, fields };
}

async function recordFailure(database: Database, runId: number, error: Error): Promise<void> {
  // Of a list of problems, their number and the first one.
  const line = error.message.split("\n", 2).map((line) => line.trim()).join(" ");
  await runs.failRun(database, runId, line);
  if (error instanceof RefusedRemovals) await storeRefusal(database, runId, error.removals);
}

/**
 * Deletes the staged items, and tidies the tables that have been written to. A failed cleanup does
 * no harm, and must not hide the result of the import.
 */
async function tidyUp(
  database: Database,
  runId: number,
  outcome: "failed" | "unchanged" | "changed",
): Promise<void> {
  try {
    await staged.dropStaged(database, runId);
    if (outcome === "failed") return;
    if (outcome === "unchanged") await imports.tidyTables(database, ["incoming_items"]);
    else await imports.tidyTables(database);
  } catch (error) {
    log.warn("Cannot clean up after the import: {error}", { error: (error as Error).message });
  }
}
