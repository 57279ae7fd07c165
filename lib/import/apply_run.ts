import type { Connection } from "../database/database.ts";
import { raiseDataVersion } from "../database/data_version.ts";
import * as imports from "./apply_sql.ts";
import { storeDifferences } from "./differences_sql.ts";
import { DEFAULT_SOURCE, type ImportOptions } from "./import_options.ts";
import * as runs from "./import_runs_sql.ts";
import { isFirstOfDay } from "./source_readings_sql.ts";
import { fillStaged } from "./announcements/announcements_sql.ts";
import { clearSample } from "./sample/sample_mark_sql.ts";
import { findSource } from "./sources/known_sources.ts";
import type { Source } from "./sources/source.ts";
import { RefusedRemovals, SnapshotError } from "./snapshot_error.ts";
import { readLosses } from "./removals_sql.ts";
import * as staged from "./staged_items_sql.ts";

/** The most items that one statement compares. */
const ITEMS_AT_ONCE = 1_000;

/**
 * Compares the staged items with the stored ones, and stores the differences.
 *
 * @throws {SnapshotError} if too much would be removed
 */
export async function applyRun(
  connection: Connection,
  runId: number,
  options: ImportOptions,
): Promise<runs.ImportCounts> {
  await imports.lockImports(connection);
  await fillStaged(connection, runId);
  const sampleCleared = await clearSample(connection);
  await staged.analyzeStaged(connection);
  const counts = await storeRun(connection, runId, options);
  const retoned = await imports.updateTones(connection, runId);
  const dated = await imports.noteCreated(connection, runId);
  if (
    hasChanged(counts) || retoned + dated > 0 || sampleCleared ||
    await isFirstOfDay(connection, runId)
  ) await raiseDataVersion(connection);
  return counts;
}

/** Records that a source has not changed; pages say on which day it was last read. */
export async function confirmRun(
  connection: Connection,
  runId: number,
  source: string,
): Promise<runs.ImportCounts> {
  const counts = await runs.confirmRun(connection, runId, source);
  if (await isFirstOfDay(connection, runId)) await raiseDataVersion(connection);
  return counts;
}

/** Stores the differences, without notifying anyone. */
export async function storeRun(
  connection: Connection,
  runId: number,
  options: ImportOptions,
): Promise<runs.ImportCounts> {
  const { asOf, sourceName = DEFAULT_SOURCE, announce = false, signal } = options;
  const keepsMissing = isMissingKept(options);
  if (!announce && !await imports.hasItems(connection, sourceName)) {
    await runs.markAsNoNews(connection, runId);
  }
  const meeting = await staged.countMeeting(connection, runId, sourceName);
  const { incoming } = meeting;
  if (meeting.foreign > 0) throw await refuseForeign(connection, runId, sourceName);
  if (!options.allowMassRemoval && !(meeting.missing <= (options.acceptedRemovals ?? -1))) {
    const reason = await findRefusal(connection, runId, { meeting, options });
    if (reason !== null) {
      const none = { total: 0, products: [] };
      const removals = keepsMissing ? none : await readLosses(connection, runId, sourceName);
      throw new RefusedRemovals(reason, removals);
    }
  }

  const source = sourceName;
  const how = {
    source,
    asOf,
    lastModifiedIncludesComments: sourceOf(options)?.lastModifiedIncludesComments ?? false,
    signal,
  };
  const stored = await storeAllDifferences(connection, runId, how);
  const removed = keepsMissing
    ? 0
    : await imports.removeMissing(connection, runId, { source, asOf });
  const unchanged = incoming - stored.added - stored.changed - stored.restored;
  const counts = { ...stored, removed, unchanged };
  await runs.finishRun(connection, runId, counts, options.repaired);
  return counts;
}

function sourceOf({ kind }: ImportOptions): Source | null {
  return kind ? findSource(kind) : null;
}

/** Whether items that the snapshot lacks stay as they are. */
function isMissingKept(options: ImportOptions): boolean {
  return options.partial || sourceOf(options)?.keepsMissing || false;
}

/** Whether an import changed any item. */
export function hasChanged({ added, changed, removed, restored }: runs.ImportCounts): boolean {
  return added + changed + removed + restored > 0;
}

/** Some items at a time, so the import can be cancelled in between. */
async function storeAllDifferences(
  connection: Connection,
  runId: number,
  { source, asOf, lastModifiedIncludesComments, signal }:
    & { source: string; lastModifiedIncludesComments: boolean }
    & Pick<ImportOptions, "asOf" | "signal">,
): Promise<Pick<runs.ImportCounts, "added" | "changed" | "restored">> {
  const counts = { added: 0, changed: 0, restored: 0 };
  let after: string | null = null;
  while (true) {
    signal?.throwIfAborted();
    const page = { source, asOf, lastModifiedIncludesComments, after, limit: ITEMS_AT_ONCE };
    const { added, changed, restored, last } = await storeDifferences(connection, runId, page);
    counts.added += added;
    counts.changed += changed;
    counts.restored += restored;
    if (added + changed + restored < ITEMS_AT_ONCE) return counts;
    after = last;
  }
}

/** Why a snapshot is refused that would remove too much; null: it is not. */
async function findRefusal(
  connection: Connection,
  runId: number,
  { meeting: { incoming, active, missing }, options }: {
    meeting: staged.Meeting;
    options: ImportOptions;
  },
): Promise<string | null> {
  if (incoming === 0 && !sourceOf(options)?.keepsMissing) {
    return "The snapshot has no items: nothing was stored; --allow-mass-removal accepts it anyway";
  }
  if (isMissingKept(options)) return null;
  if (missing * 2 > active) {
    return `The snapshot would remove ${missing} of ${active} active items: nothing was stored; ` +
      "--allow-mass-removal accepts it anyway, --partial keeps missing items";
  }
  // A source that still names a product, but lacks all its items, is likely to be incomplete.
  const { sourceName = DEFAULT_SOURCE, families = [] } = options;
  const found = await staged.findEmptyProduct(connection, runId, { source: sourceName, families });
  if (found === null) return null;
  return `The snapshot would remove all ${found.active} active items of "${found.product_name}", ` +
    "which the source still names: nothing was stored; --allow-mass-removal accepts it anyway, " +
    "--partial keeps missing items";
}

/** An item belongs to one source: two sources would overwrite it in turn. */
async function refuseForeign(
  connection: Connection,
  runId: number,
  source: string,
): Promise<SnapshotError> {
  const { release_item_id, feature_name, owner } =
    (await staged.findForeign(connection, runId, source))!;
  return new SnapshotError(
    `The source "${source}" has the item ${release_item_id} (${JSON.stringify(feature_name)}), ` +
      `which belongs to the source "${owner}" already: nothing was stored. Leave it out of one of ` +
      `them, or remove "${owner}": deno task sources remove ${JSON.stringify(owner)}`,
  );
}
