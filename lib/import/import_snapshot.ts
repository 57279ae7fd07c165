import { getLogger } from "@logtape/logtape";
import type { Connection, Database } from "../database/database.ts";
import { storeDifferences } from "./differences_sql.ts";
import { raiseDataVersion } from "../database/data_version.ts";
import * as runs from "./import_runs_sql.ts";
import * as imports from "./apply_sql.ts";
import { clearSample, markSample } from "./sample_mark_sql.ts";
import * as staged from "./staged_items_sql.ts";
import { carryHistory } from "./carry_history.ts";
import { recallPages, type Remembered, rememberPages } from "./source_pages_sql.ts";
import { readToldChanges } from "./sources/told_changes.ts";
import type { IncomingItem } from "../roadmap/item.ts";
import { isDatabaseEmpty } from "../roadmap/items_sql.ts";
import { ItemReader } from "./item_reader.ts";
import { SnapshotProblems } from "./snapshot_problems.ts";
import { findSource, kindOf } from "./sources/known_sources.ts";
import { showLocation } from "./sources/location.ts";
import {
  type PageSeen,
  type PagesSeen,
  type Portion,
  type ReadOptions,
  readSource,
} from "./sources/read_source.ts";
import { SnapshotError } from "./sources/snapshot_item.ts";

const log = getLogger(["roadcast", "import"]);

/** Limits of one statement: items, or characters of description. */
const BATCH = { items: 1_000, characters: 4_000_000 };

/** The source of imports without a source name. */
export const DEFAULT_SOURCE = "default";

/** The record of a source that was never read. */
const NOTHING: Remembered<PageSeen> = { pages: [], changes_after: null };

/** Options of an import. */
export interface ImportOptions extends Omit<ReadOptions, "seen"> {
  /** `YYYY-MM-DD`: the date of changes if the source gives none. */
  asOf: string;
  /** The source that the items belong to; absent: `default`. */
  sourceName?: string;
  /** Items that are missing stay as they are. */
  partial?: boolean;
  /** A snapshot may be empty, or remove more than half of the active items. */
  allowMassRemoval?: boolean;
  /** The snapshot is the sample, which the first real import replaces. */
  sample?: boolean;
  onProgress?: (progress: ImportProgress) => void;
  /** Does what belongs to an import that changed something, in its transaction. */
  onChange?: (connection: Connection) => Promise<unknown>;
}

/** The progress of an import: items read, and the share of the source (0 to 1) if known. */
export interface ImportProgress {
  items: number;
  share: number | null;
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
): Promise<runs.ImportCounts> {
  const options = completeOptions(location, given);
  const { asOf, sourceName = DEFAULT_SOURCE, partial = false, kind = null, fields } = options;
  const run = { source: showLocation(location), sourceName, asOf, partial };
  const runId = await runs.startRun(database, run);
  try {
    const readAs = { location, kind, fields };
    const before = partial ? NOTHING : await recallPages<PageSeen>(database, sourceName, readAs);
    const told = kind === "roadcast" && !partial && !fields
      ? await readToldChanges(location, { ...options, after: before.changes_after })
      : null;
    if (told && !told.isWhole && told.entries.length === 0) {
      return await runs.confirmRun(database, runId, sourceName);
    }
    const seen = told ? [] : before.pages;
    let pages: PagesSeen = [];
    const portions = async function* () {
      pages = yield* readSource(location, { ...options, seen });
    };
    const reader = new ItemReader(options);
    await stage(database, runId, readItems(portions(), reader, options.onProgress), {
      reader,
      shown: run.source,
    });
    return await database.transaction(async (connection) => {
      if (pages === null) return await runs.confirmRun(connection, runId, sourceName);
      const counts = await applyRun(connection, runId, options);
      const canAsk = !partial && pages.every(({ validators }) => validators !== null);
      const isCarried = told !== null &&
        await carryHistory(connection, runId, { told, source: sourceName });
      await rememberPages(connection, sourceName, {
        readAs,
        pages: canAsk ? pages : [],
        changes_after: isCarried ? told.next : null,
      });
      if (hasChanged(counts) || isCarried) await options.onChange?.(connection);
      return counts;
    });
  } catch (error) {
    await runs.failRun(database, runId, onOneLine((error as Error).message)).catch(() => {});
    throw error;
  } finally {
    await tidyUp(database, runId);
  }
}

/** The options, completed with what the location and its kind of source imply. */
export function completeOptions(location: string, options: ImportOptions): ImportOptions {
  const kind = kindOf(location, options.kind);
  const own = kind === null ? undefined : findSource(kind).fields;
  const fields = own ? { ...own, ...options.fields } : options.fields ?? undefined;
  return { ...options, kind, fields };
}

/** For a list of problems, their number and the first one. */
function onOneLine(message: string): string {
  return message.split("\n", 2).map((line) => line.trim()).join(" ");
}

/** A failed cleanup does no harm, and must not hide the result of the import. */
async function tidyUp(database: Database, runId: number): Promise<void> {
  try {
    await staged.dropStaged(database, runId);
    await imports.tidyTables(database);
  } catch (error) {
    log.warn("Cannot tidy up after the import: {error}", { error: (error as Error).message });
  }
}

/**
 * Imports given snapshots, each with its day, in one transaction into an empty database; false: it
 * is not empty.
 */
export async function importSnapshots(
  database: Database,
  source: string,
  snapshots: readonly { asOf: string; items: unknown[] }[],
  options: Omit<ImportOptions, "asOf">,
): Promise<boolean> {
  const isTaken = await database.transaction(async (connection) => {
    await imports.lockImports(connection);
    if (!await isDatabaseEmpty(connection)) return false;
    for (const { asOf, items } of snapshots) {
      const run = { source, sourceName: DEFAULT_SOURCE, asOf, partial: false };
      const runId = await runs.startRun(connection, run);
      const reader = new ItemReader(options);
      const read = [...reader.read({ items })].filter(({ active }) => active);
      await stage(connection, runId, read, { reader, shown: source });
      await applyRun(connection, runId, { ...options, asOf });
      await staged.dropStaged(connection, runId);
    }
    return true;
  });
  if (isTaken) await imports.tidyTables(database);
  return isTaken;
}

/**
 * Stages items, and validates them.
 *
 * @throws {SnapshotProblems} that lists all problems of the source
 */
export async function stage(
  connection: Connection,
  runId: number,
  items: AsyncIterable<IncomingItem> | Iterable<IncomingItem>,
  { reader, shown }: { reader: ItemReader; shown: string },
): Promise<void> {
  const { problems } = reader;
  try {
    for await (const batch of batchesOf(items)) await staged.stageItems(connection, runId, batch);
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
  const { asOf, sourceName = DEFAULT_SOURCE, partial = false, sample = false, signal } = options;
  await imports.lockImports(connection);
  const sampleCleared = !sample && await clearSample(connection);
  await staged.analyzeStaged(connection);
  const meeting = await staged.countMeeting(connection, runId, sourceName);
  const { incoming } = meeting;
  if (meeting.foreign > 0) throw await refuseForeign(connection, runId, sourceName);
  if (!options.allowMassRemoval) refuseMassRemoval(partial ? { ...meeting, missing: 0 } : meeting);

  const source = sourceName;
  const countsTalk = options.kind ? findSource(options.kind).countsTalk ?? false : false;
  const how = { source, asOf, countsTalk, signal };
  const stored = await storeAllDifferences(connection, runId, how);
  const removed = partial ? 0 : await imports.removeMissing(connection, runId, { source, asOf });
  const unchanged = incoming - stored.added - stored.changed - stored.restored;
  const counts = { ...stored, removed, unchanged };

  if (sample) await markSample(connection);
  if (hasChanged(counts) || sampleCleared) await raiseDataVersion(connection);
  await runs.finishRun(connection, runId, counts);
  return counts;
}

function hasChanged({ added, changed, removed, restored }: runs.ImportCounts): boolean {
  return added + changed + removed + restored > 0;
}

/** Some items at a time, so the import can be cancelled in between. */
async function storeAllDifferences(
  connection: Connection,
  runId: number,
  { source, asOf, countsTalk, signal }:
    & { source: string; countsTalk: boolean }
    & Pick<ImportOptions, "asOf" | "signal">,
): Promise<Pick<runs.ImportCounts, "added" | "changed" | "restored">> {
  const counts = { added: 0, changed: 0, restored: 0 };
  let after: string | null = null;
  do {
    signal?.throwIfAborted();
    const page = { source, asOf, countsTalk, after, limit: BATCH.items };
    const stored = await storeDifferences(connection, runId, page);
    counts.added += stored.added;
    counts.changed += stored.changed;
    counts.restored += stored.restored;
    after = stored.last;
  } while (after !== null);
  return counts;
}

function refuseMassRemoval(
  { incoming, active, missing }: staged.Meeting,
): void {
  if (incoming === 0) {
    throw new SnapshotError(
      "The snapshot has no items: nothing was stored; --allow-mass-removal takes it all the same",
    );
  }
  if (missing * 2 > active) {
    throw new SnapshotError(
      `The snapshot would remove ${missing} of ${active} active items: nothing was stored; ` +
        "--allow-mass-removal takes it all the same, --partial leaves missing items as they are",
    );
  }
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
      `which the source "${owner}" holds already: nothing was stored. Leave it out of one of ` +
      `them, or take "${owner}" away: deno task sources remove ${JSON.stringify(owner)}`,
  );
}
