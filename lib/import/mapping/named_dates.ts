import { asObject } from "../../text/values.ts";
import { isPublicDay, stageOf } from "./column_names.ts";
import {
  columnsOf,
  FIELD_NAMES,
  type FieldName,
  type Mapping,
  MAX_DATES,
  type Origin,
} from "./fields.ts";
import { hintsOf } from "./lexicon.ts";
import type { Row } from "./look_up.ts";
import type { Values } from "./values.ts";

/**
 * The names of the days in the objects `dates` of items, `{"Preview": "2026-09-30"}`; none where one
 * of these is something else, or a mapping names the dates.
 */
export function namesInObjects(rows: readonly Row[], fields: Mapping): Set<string> {
  const names = new Set<string>();
  for (const { dates = null } of fields.dates ? [] : rows) {
    if (dates === null) continue;
    const given = asObject(dates);
    const isText = (day: unknown) => day === null || typeof day === "string";
    if (given === null || !Object.values(given).every(isText)) return new Set();
    for (const name of Object.keys(given)) if (isPublicDay(name)) names.add(name);
  }
  return names;
}

/** The columns of a table, of which those of fields are found. */
interface FoundColumns {
  readonly names: readonly string[];
  readonly values: Values;
  readonly hasOwnNames: boolean;
  find(from: string): string | null;
  originOf(field: FieldName): Origin | null;
}

/**
 * Where the named dates of a table come from: by the mapping, else from columns with days of a stage
 * of a release's life, where another column is the release date.
 */
export function findDates(
  columns: FoundColumns,
  fields: Mapping,
  guesses: boolean,
): Map<string, Origin> {
  const dates = new Map<string, Origin>();
  for (const [name, rule] of Object.entries(fields.dates ?? {})) {
    const found = columnsOf(rule).map((from) => columns.find(from)).filter((one) => one !== null);
    const [column] = found;
    if (column !== undefined) dates.set(name, { column, columns: found, rule, isOwn: false });
  }
  const isPlanned = (columns.originOf("release_date")?.column ?? null) !== null;
  if (!guesses || fields.dates || !isPlanned || columns.hasOwnNames) return dates;
  const taken = new Set(FIELD_NAMES.flatMap((field) => {
    const all = columns.originOf(field)?.columns ?? [];
    // A stage that stands in where the release date is empty is a date of its own elsewhere.
    return field === "release_date" ? all.slice(0, 1) : all;
  }));
  const known = new Set<string>();
  for (const column of columns.names) {
    const name = stageOf(column);
    if (name === null || taken.has(column) || known.has(name.toLowerCase())) continue;
    const hasDays = columns.values.areSureDays(column) ||
      hintsOf(column).has("date") && columns.values.fits("release_date", column);
    if (!hasDays || known.size === MAX_DATES.names) continue;
    known.add(name.toLowerCase());
    dates.set(name, { column, columns: [column], rule: null, isOwn: false });
  }
  return dates;
}
