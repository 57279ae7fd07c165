import { getLogger } from "@logtape/logtape";
import type { Database } from "../database/database.ts";
import { VERSION } from "../version.ts";
import { applyRead, confirmUnchanged, hasChanged } from "./apply_plan.ts";
import { tidyTables } from "./apply_sql.ts";
import { showLocation } from "./fetching/location.ts";
import { refuseLaterDay } from "./import_day_sql.ts";
import { DEFAULT_SOURCE, type ImportOptions } from "./import_options.ts";
import * as runs from "./import_runs_sql.ts";
import { completeOptions } from "./kinds/known_kinds.ts";
import type { PageSeen } from "./read_items.ts";
import { readSource } from "./read_source.ts";
import { type RemarksInJson, remarksInJson } from "./remarks.ts";
import { forgetPrepared } from "./prepared_sql.ts";
import { inPublic, RefusedRemovals, SnapshotProblems } from "./snapshot_error.ts";
import { recallPages, rememberPages } from "./source_pages_sql.ts";

const log = getLogger(["roadcast", "import"]);

/** The counts of an import, and what else its message shows. */
interface ImportResult extends runs.ImportCounts, RemarksInJson {
  /** The day of a snapshot that was imported before, if it is later than the day of this one. */
  later_snapshot?: string;
}

/**
 * Imports one snapshot of a roadmap from a file or a URL: reads all of it, compares it with the
 * stored items, and stores items and changes in one transaction, or nothing at all. The pages of the
 * last import are requested conditionally.
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
  const { asOf, sourceName = DEFAULT_SOURCE, partial = false, kind = null } = options;
  const { fields, api, sheet, encoding, language } = options;
  const run = { source: showLocation(location), sourceName, asOf, partial };
  const runId = await runs.startRun(database, run);
  try {
    await refuseLaterDay(database, asOf);
    // Another version may read more of the same pages.
    const readAs = { location, kind, fields, api, sheet, encoding, language, version: VERSION };
    const seen = partial ? [] : await recallPages<PageSeen>(database, sourceName, readAs);
    const dayOrder = await runs.readDayOrder(database, sourceName);
    const lastDay = await runs.readLastDay(database, sourceName);
    const reading = await readSource(location, { ...options, dayOrder }, seen);
    if (reading === null) {
      const { remarks, ...counts } = await database.transaction((connection) =>
        confirmUnchanged(connection, runId, sourceName)
      );
      return { ...counts, ...remarks && remarksInJson(remarks) };
    }
    const { problems, remarks } = reading;
    if (problems.total > 0) throw new SnapshotProblems(run.source, problems);
    const canAsk = !partial && reading.pages.every(({ validators }) => validators !== null);
    const application = { runId, reading, options };
    const counts = await applyRead(database, application, async (connection, counts) => {
      const pages = canAsk ? reading.pages : [];
      await rememberPages(connection, sourceName, { readAs, pages });
      if (hasChanged(counts)) await options.onChange?.(connection);
    });
    const { repaired } = remarks;
    if (repaired !== null) log.info("Repaired {repaired} places of {source}", { repaired, ...run });
    await tidyUp(database, runId, hasChanged(counts));
    return {
      ...counts,
      ...remarksInJson(remarks),
      ...lastDay !== null && lastDay > asOf && { later_snapshot: lastDay },
    };
  } catch (error) {
    const shown = await addFormerPlace(database, run, error as Error, given).catch(() => error);
    await recordFailure(database, runId, shown as Error).catch(() => {});
    throw shown;
  }
}

/** A source that is read at another place than before may be another roadmap. */
async function addFormerPlace(
  database: Database,
  run: { source: string; sourceName: string },
  error: Error,
  { delivery }: ImportOptions,
): Promise<Error> {
  if (!(error instanceof RefusedRemovals) || delivery) return error;
  const former = await runs.readLastPlace(database, run.sourceName);
  return former === null || former === run.source ? error : error.cameFrom(former, run.sourceName);
}

async function recordFailure(database: Database, runId: number, error: Error): Promise<void> {
  // First: on a full disk, the statements below fail.
  await tidyUp(database, runId, false);
  // Of a list of problems, their number and the first one.
  const line = error.message.split("\n", 2).map((line) => line.trim()).join(" ");
  const removals = error instanceof RefusedRemovals ? error.removals : null;
  await runs.failRun(database, runId, { error: line, inPublic: inPublic(error), removals });
}

/** A failed cleanup does no harm, and must not hide the result of the import. */
async function tidyUp(database: Database, runId: number, hasChanged: boolean): Promise<void> {
  try {
    await forgetPrepared(database, { of: runId });
    if (hasChanged) await tidyTables(database);
  } catch (error) {
    log.warn("Cannot clean up after the import: {error}", { error: (error as Error).message });
  }
}
