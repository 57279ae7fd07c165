import type { SourceKind } from "../config/settings.ts";
import type { Database } from "../database/database.ts";
import type { IncomingItem } from "../roadmap/item.ts";
import { FIELD_NAMES, type FieldName } from "./mapping/fields.ts";
import { applyRun } from "./apply_run.ts";
import { DEFAULT_SOURCE, type ImportOptions } from "./import_options.ts";
import { completeOptions } from "./import_snapshot.ts";
import { readItems, stage } from "./stage_snapshot.ts";
import { dropPreview, type ImportCounts, startRun } from "./import_runs_sql.ts";
import { type PreviewedChange, readFirstChanges } from "./preview_changes_sql.ts";
import { ItemReader } from "./item_reader.ts";
import type { Columns } from "./mapping/columns.ts";
import { NO_TYPE } from "./mapping/read_field.ts";
import { type SnapshotProblem, SnapshotProblems } from "./snapshot_problems.ts";
import { showLocation } from "./reading/location.ts";
import { familiesOf, type PagesSeen, readSource } from "./sources/read_source.ts";
import type { Portion } from "./sources/read_options.ts";
import { SnapshotError } from "./mapping/snapshot_item.ts";

/** Limits of what is shown. */
const FIRST = { items: 5, changes: 20 };

/** How a column, or a value without a column, was matched. */
export interface UnderstoodColumn {
  /** Null: no column; `value` is the same for every item. */
  column: string | null;
  /** Null: the column is ignored. */
  field: FieldName | null;
  by: "name" | "mapping" | "default" | null;
  value?: string;
}

/** What an import would do. */
export interface Preview {
  source: string;
  /** Null: too little could be read to know. */
  kind: SourceKind | null;
  /** Empty if the kind of source has field names of its own. */
  columns: UnderstoodColumn[];
  /** How many items were read, the bad ones too. */
  item_count: number;
  /** How many of them the mapping leaves out. */
  left_out: number;
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
  const reader = new ItemReader(options);
  const preview: Preview = {
    source: showLocation(location),
    kind: null,
    columns: [],
    item_count: 0,
    left_out: 0,
    items: [],
    counts: null,
    changes: [],
    problems: [],
    total_problems: 0,
  };
  let pages: PagesSeen = [];
  async function* portions(): AsyncGenerator<Portion> {
    pages = yield* readSource(location, options);
  }
  async function* items(): AsyncGenerator<IncomingItem> {
    for await (const item of readItems(portions(), reader, options.onProgress)) {
      if (preview.items.length < FIRST.items) preview.items.push(item);
      yield item;
    }
  }
  const { asOf, sourceName = DEFAULT_SOURCE, partial = false } = options;
  const { source } = preview;
  const run = { source, sourceName, asOf, partial, isPreview: true };
  const runId = await startRun(database, run);
  try {
    // Not in the transaction: a slow source would block the embedded database for all others.
    await stage(database, runId, items(), { reader, shown: source, asOf });
    const seen = { ...options, kind: reader.kind ?? options.kind, families: familiesOf(pages) };
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
  preview.kind = reader.kind;
  preview.item_count = reader.count;
  preview.left_out = reader.leftOut;
  if (reader.repaired > 0) preview.repaired = reader.repaired;
  if (reader.columns.names.length > 0) preview.columns = describeColumns(reader.columns);
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

/** The value of a field without a column. */
const STAND_INS: Readonly<Partial<Record<FieldName, string>>> = {
  release_item_id: "a UUID of product and name",
  release_type: NO_TYPE,
};

function describeColumns(columns: Columns): UnderstoodColumn[] {
  const used = FIELD_NAMES.flatMap((field): UnderstoodColumn[] => {
    const origin = columns.originOf(field);
    if (!origin) {
      const value = columns.byName && !columns.ambiguous.has(field) && STAND_INS[field];
      return value ? [{ column: null, field, by: "default", value }] : [];
    }
    const { column, rule } = origin;
    const value = column === null ? rule!.value ?? rule!.default : undefined;
    return [{ column, field, by: rule ? "mapping" : "name", ...value !== undefined && { value } }];
  });
  const isUsed = (name: string) => used.some(({ column }) => column === name);
  const named = columns.names.map((column) =>
    used.filter((understood) => understood.column === column)
  );
  const doubtful = new Set([...columns.ambiguous.values()].flat());
  const ignored = columns.names.filter((name) => !isUsed(name) && !doubtful.has(name));
  return [
    ...named.flat(),
    ...used.filter(({ column }) => column === null || !columns.names.includes(column)),
    ...(columns.byName ? ignored : []).map((column): UnderstoodColumn => ({
      column,
      field: null,
      by: null,
    })),
  ];
}
