import type { SourceKind } from "../config/settings.ts";
import type { Database } from "../database/database.ts";
import type { IncomingItem } from "../roadmap/item.ts";
import { applyRun } from "./apply_run.ts";
import { DEFAULT_SOURCE, type ImportOptions } from "./import_options.ts";
import { completeOptions } from "./import_snapshot.ts";
import { countLeftOut, mapRows, readTable } from "./read_table.ts";
import { stage } from "./stage_snapshot.ts";
import { dropPreview, type ImportCounts, readDayOrder, startRun } from "./import_runs_sql.ts";
import { type PreviewedChange, readFirstChanges } from "./preview_changes_sql.ts";
import type { ReadColumn } from "./mapping/describe_columns.ts";
import type { ReadStatus } from "./mapping/map_table.ts";
import type { WrittenMapping } from "./mapping/write_mapping.ts";
import { SnapshotError, type SnapshotProblem, SnapshotProblems } from "./snapshot_error.ts";
import { showLocation } from "./reading/location.ts";
import { familiesOf } from "./sources/read_source.ts";

/** Limits of what is shown. */
const FIRST = { items: 5, changes: 20 };

/** What an import would do. */
export interface Preview {
  source: string;
  /** Null: too little could be read to know. */
  kind: SourceKind | null;
  /** Empty if the kind of source has field names of its own. */
  columns: ReadColumn[];
  statuses: ReadStatus[];
  /** How many items were read, the bad ones too. */
  item_count: number;
  /** How many of them would be left out. */
  left_out: number;
  /** By the reason. */
  left_out_because?: Readonly<Record<string, number>>;
  /** What could not be read, but refuses nothing; each is a sentence. */
  notes: string[];
  /** The mapping that was used, as a person writes it. */
  used: WrittenMapping;
  /** How many characters or escapes of its text were repaired, if any. */
  repaired?: number;
  /** The first good ones, as they would be stored. */
  items: IncomingItem[];
  /** Null: there are problems, nothing would be stored. */
  counts: ImportCounts | null;
  changes: PreviewedChange[];
  problems: readonly SnapshotProblem[];
  total_problems: number;
}

/** Carries the result out of a transaction, and rolls it back. */
class Rollback extends Error {
  constructor(readonly found: Pick<Preview, "counts" | "changes">) {
    super("the preview is rolled back");
  }
}

/**
 * Reports what an import of a file or a URL would do, and stores nothing.
 *
 * @throws only errors that are not the source's fault
 */
export async function previewLocation(
  database: Database,
  location: string,
  given: ImportOptions,
): Promise<Preview> {
  const options = completeOptions(location, given);
  const preview: Preview = {
    source: showLocation(location),
    kind: null,
    columns: [],
    statuses: [],
    item_count: 0,
    left_out: 0,
    notes: [],
    used: {},
    items: [],
    counts: null,
    changes: [],
    problems: [],
    total_problems: 0,
  };
  const { asOf, sourceName = DEFAULT_SOURCE, partial = false } = options;
  const { source } = preview;
  const run = { source, sourceName, asOf, partial, isPreview: true };
  const runId = await startRun(database, run);
  try {
    const { table, pages } = await readTable(location, options);
    const mapped = mapRows(table, options, await readDayOrder(database, sourceName));
    const { columns, statuses, notes, used, items } = mapped;
    Object.assign(preview, {
      kind: table.kind,
      item_count: table.rows.length,
      ...countLeftOut(mapped.leftOut),
      ...table.repaired && { repaired: table.repaired },
      columns,
      statuses,
      notes,
      used,
      items: items.slice(0, FIRST.items).map(({ tone: _, tone_by: __, ...item }) => item),
    });
    await stage(database, runId, mapped, { shown: source, signal: options.signal });
    const seen = { ...options, kind: table.kind, families: familiesOf(pages) };
    await database.transaction(async (connection) => {
      const counts = await applyRun(connection, runId, seen);
      const changes = await readFirstChanges(connection, runId, FIRST.changes);
      throw new Rollback({ counts, changes });
    });
  } catch (error) {
    if (error instanceof Rollback) Object.assign(preview, error.found);
    else Object.assign(preview, problemsOf(error, source));
  } finally {
    await dropPreview(database, runId);
  }
  return preview;
}

function problemsOf(error: unknown, shown: string): Pick<Preview, "problems" | "total_problems"> {
  if (error instanceof SnapshotProblems) {
    return { problems: error.problems, total_problems: error.total };
  }
  if (!(error instanceof SnapshotError)) throw error;
  const reason = error.message.replace(`Cannot read ${shown}: `, "");
  const problem = { row: null, item: null, field: null, column: null, reason };
  return { problems: [problem], total_problems: 1 };
}
