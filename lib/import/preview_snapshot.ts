import type { SourceKind } from "../config/source_kinds.ts";
import type { Database } from "../database/database.ts";
import { showLocation } from "./fetching/location.ts";
import { DEFAULT_SOURCE, type ImportOptions } from "./import_options.ts";
import { type ImportCounts, readDayOrder } from "./import_runs_sql.ts";
import { refuseLaterDay } from "./import_day_sql.ts";
import { completeOptions } from "./kinds/known_kinds.ts";
import type { FirstRows, ReadColumn, WrittenMapping } from "./mapping/describe_columns.ts";
import type { MappedItem, ReadStatus } from "./mapping/table.ts";
import { planImport, type PreviewedChange } from "./plan_import.ts";
import { readSource } from "./read_source.ts";
import { type RemarksInJson, remarksInJson } from "./remarks.ts";
import { SnapshotError, type SnapshotProblem } from "./snapshot_error.ts";

const SHOWN_CHANGES = 20;

/** What an import would do. */
export interface Preview extends RemarksInJson {
  source: string;
  /** Null: too little could be read to know. */
  kind: SourceKind | null;
  columns: ReadColumn[];
  first_rows: FirstRows;
  statuses: ReadStatus[];
  /** How many items were read, the bad ones too. */
  item_count: number;
  left_out: number;
  notes: readonly string[];
  used: WrittenMapping;
  /** The first good ones, as they would be stored, and how far along they are; `dates` only where there are some. */
  items: (Omit<MappedItem, "tone_by" | "dates"> & Partial<Pick<MappedItem, "dates">>)[];
  /** Null: there are problems, nothing would be stored. */
  counts: ImportCounts | null;
  changes: PreviewedChange[];
  problems: readonly SnapshotProblem[];
  total_problems: number;
}

/**
 * Reports what an import of a file or a URL would do. It writes nothing, and stops when the signal
 * of the options is aborted.
 *
 * @throws only errors that are not the source's fault
 */
export async function previewLocation(
  database: Database,
  location: string,
  given: ImportOptions,
): Promise<Preview> {
  const options = completeOptions(location, given);
  const preview = emptyPreview(location);
  try {
    await refuseLaterDay(database, options.asOf);
    const dayOrder = await readDayOrder(database, options.sourceName ?? DEFAULT_SOURCE);
    const reading = (await readSource(location, { ...options, dayOrder }))!;
    const { kind, columns, statuses, used, problems } = reading;
    Object.assign(preview, {
      kind,
      item_count: reading.rowCount,
      ...remarksInJson(reading.remarks),
      columns,
      first_rows: reading.firstRows,
      statuses,
      used,
      items: reading.firstItems.map(({ tone_by: _, dates, ...item }) => ({
        ...item,
        ...Object.keys(dates).length > 0 && { dates },
      })),
      problems: problems.kept,
      total_problems: problems.total,
    });
    if (problems.total > 0) return preview;
    const planned = { ...options, shownChanges: SHOWN_CHANGES };
    const { counts, changes } = await planImport(database, reading, planned);
    return Object.assign(preview, { counts, changes });
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    return refusedPreview(preview, error);
  }
}

/** The preview of a source that cannot be read. */
export function previewRefusal(location: string, error: Error): Preview {
  return refusedPreview(emptyPreview(location), error);
}

function emptyPreview(location: string): Preview {
  return {
    source: showLocation(location),
    kind: null,
    columns: [],
    first_rows: { columns: [], rows: [] },
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
}

function refusedPreview(preview: Preview, { message }: Error): Preview {
  const reason = message.replace(`Cannot read ${preview.source}: `, "");
  const problem = { row: null, item: null, field: null, column: null, reason };
  return Object.assign(preview, { problems: [problem], total_problems: 1 });
}
