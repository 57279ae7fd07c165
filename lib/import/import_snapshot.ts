import { getLogger } from "@logtape/logtape";
import type { Database } from "../database/database.ts";
import { VERSION } from "../version.ts";
import { applyRead, confirmUnchanged, hasChanged, remarksOf } from "./apply_plan.ts";
import { tidyTables } from "./apply_sql.ts";
import { sumLeftOut } from "./describe_run.ts";
import { showLocation } from "./fetching/location.ts";
import { refuseLaterDay } from "./import_day.ts";
import { DEFAULT_SOURCE, type ImportOptions } from "./import_options.ts";
import * as runs from "./import_runs_sql.ts";
import { completeOptions } from "./kinds/known_kinds.ts";
import { type PageSeen, readSource, type SourceRead } from "./read_source.ts";
import { forgetPrepared } from "./prepared_sql.ts";
import { storeRefusal } from "./removals_sql.ts";
import { inPublic, RefusedRemovals, SnapshotProblems } from "./snapshot_error.ts";
import { type ReadAs, recallPages, rememberPages } from "./source_pages_sql.ts";

const log = getLogger(["roadcast", "import"]);

/** The counts of an import, and what else its message shows. */
interface ImportResult extends runs.ImportCounts {
  /** How many rows were left out, if any. */
  left_out?: number;
  /** By the reason. */
  left_out_because?: Readonly<Record<string, number>>;
  /** How many characters or escapes of the source were repaired, if any. */
  repaired?: number;
  /** What is to be said of its table, each a sentence without its full stop. */
  notes?: readonly string[];
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
    const found = await readSource(location, { ...options, dayOrder }, seen);
    if (found === null) {
      const { remarks, ...counts } = await database.transaction((connection) =>
        confirmUnchanged(connection, runId, sourceName)
      );
      return { ...counts, ...describeRemarks(remarks) };
    }
    const { read } = found;
    if (read.problems.total > 0) throw new SnapshotProblems(run.source, read.problems);
    const counts = await store(database, runId, found, { options, readAs });
    const { repaired } = read;
    if (repaired > 0) log.info("Repaired {repaired} places of {source}", { repaired, ...run });
    await tidyUp(database, runId, hasChanged(counts));
    return {
      ...counts,
      ...describeRemarks(remarksOf(read)),
      ...lastDay !== null && lastDay > asOf && { later_snapshot: lastDay },
    };
  } catch (error) {
    const told = await tellFormerPlace(database, run, error as Error, given).catch(() => error);
    await recordFailure(database, runId, told as Error).catch(() => {});
    throw told;
  }
}

/** A source that is read at another place than before may be another roadmap. */
async function tellFormerPlace(
  database: Database,
  run: { source: string; sourceName: string },
  error: Error,
  { delivery }: ImportOptions,
): Promise<Error> {
  if (!(error instanceof RefusedRemovals) || delivery) return error;
  const former = await runs.readLastPlace(database, run.sourceName);
  return former === null || former === run.source ? error : error.cameFrom(former, run.sourceName);
}

/** Stores what was read, with what follows its changes. */
function store(
  database: Database,
  runId: number,
  { read, pages }: SourceRead,
  { options, readAs }: { options: ImportOptions; readAs: ReadAs },
): Promise<runs.ImportCounts> {
  const { sourceName = DEFAULT_SOURCE, partial = false } = options;
  const canAsk = !partial && pages.every(({ validators }) => validators !== null);
  return applyRead(database, { runId, read, options }, async (connection, counts) => {
    await rememberPages(connection, sourceName, { readAs, pages: canAsk ? pages : [] });
    if (hasChanged(counts)) await options.onChange?.(connection);
  });
}

/** What an import says besides its counts, where there is any. */
function describeRemarks(
  remarks: runs.RunRemarks | null,
): Pick<ImportResult, "left_out" | "left_out_because" | "repaired" | "notes"> {
  const { repaired, left_out, notes } = remarks ?? {};
  return {
    ...sumLeftOut(left_out ?? {}),
    ...repaired && { repaired },
    ...notes && notes.length > 0 && { notes },
  };
}

async function recordFailure(database: Database, runId: number, error: Error): Promise<void> {
  // First: on a full disk, the statements below fail.
  await tidyUp(database, runId, false);
  // Of a list of problems, their number and the first one.
  const line = error.message.split("\n", 2).map((line) => line.trim()).join(" ");
  await runs.failRun(database, runId, { error: line, inPublic: inPublic(error) });
  if (error instanceof RefusedRemovals) await storeRefusal(database, runId, error.removals);
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
