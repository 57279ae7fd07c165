import { quote, shorten, toLine } from "../../text/phrases.ts";
import type { SnapshotProblem } from "../snapshot_error.ts";
import { textOf } from "./cell_text.ts";
import { type Columns, LABELS, REQUIRED } from "./columns.ts";
import {
  columnsOf,
  conditionsIn,
  FIELD_NAMES,
  type FieldName,
  type FieldRule,
  type Mapping,
} from "./fields.ts";
import { lookUp, type Row } from "./look_up.ts";
import { NO_TYPE } from "./read_field.ts";
import { tidyText } from "./tidy_text.ts";

/** How a column, or a value without a column, was matched. */
export interface ReadColumn {
  /** Null: no column; `value` is the same for every item. */
  column: string | null;
  /** Null: the column is ignored. */
  field: FieldName | null;
  /** The named date that it is. */
  date?: string;
  by: "name" | "mapping" | "default" | null;
  value?: string;
  /** It could be a field as well as another column. */
  isDoubtful?: true;
  samples: string[];
}

const SAMPLES = { rows: 500, values: 4, length: 40 };
/** What is said of the value of a field without a column. */
const STAND_INS: Readonly<Partial<Record<FieldName, string>>> = {
  release_item_id: "a UUID of product and name",
  release_type: NO_TYPE,
};
/** How each column was matched, and what stands in for those that are missing. */
export function describeColumns(
  columns: Columns,
  rows: readonly Row[],
  sourceName: string,
): ReadColumn[] {
  if (columns.names.length === 0) return [];
  const used = FIELD_NAMES.flatMap((field): ReadColumn[] => {
    const origin = columns.originOf(field);
    if (!origin) {
      const value = columns.byName && !columns.ambiguous.has(field) && !columns.hasRule(field) &&
        (field === "product_name" ? sourceName : STAND_INS[field]);
      return value ? [{ column: null, field, by: "default", value, samples: [] }] : [];
    }
    const { column, rule } = origin;
    const value = column === null ? rule!.value ?? rule!.default : undefined;
    const by = rule ? "mapping" : "name";
    const samples = column === null ? [] : sampleValues(column, rows);
    return [{ column, field, by, ...value !== undefined && { value }, samples }];
  });
  for (const [date, { column, rule }] of columns.dates) {
    const samples = sampleValues(column!, rows);
    used.push({ column, field: null, date, by: rule ? "mapping" : "name", samples });
  }
  const named = columns.names.map((column) => used.filter((read) => read.column === column));
  const doubtful = new Set([...columns.ambiguous.values()].flat());
  const further = new Set([...columns.dates.values()].flatMap(({ columns }) => columns));
  if (columns.datesInObjects.size > 0) further.add("dates");
  const isUsed = (name: string) => further.has(name) || used.some(({ column }) => column === name);
  const ignored = columns.byName ? columns.names.filter((name) => !isUsed(name)) : [];
  return [
    ...named.flat(),
    ...used.filter(({ column }) => column === null || !columns.names.includes(column)),
    ...ignored.map((column): ReadColumn => ({
      column,
      field: null,
      by: null,
      ...doubtful.has(column) && { isDoubtful: true },
      samples: sampleValues(column, rows),
    })),
  ];
}

/** The first rows of a table, with the columns in its order. */
export interface FirstRows {
  columns: readonly string[];
  /** The texts of each row; null: it has none. */
  rows: (string | null)[][];
}

const FIRST_ROWS = 3;
const LONGEST_CELL = 60;

/** The first rows of a table as people see them. */
export function firstRowsOf(columns: readonly string[], rows: readonly Row[]): FirstRows {
  const show = (row: Row, column: string) => {
    const text = textOf(lookUp(row, column));
    return text === null ? null : shorten(toLine(text), LONGEST_CELL);
  };
  return {
    columns,
    rows: rows.slice(0, FIRST_ROWS).map((row) => columns.map((column) => show(row, column))),
  };
}

function sampleValues(column: string, rows: readonly Row[]): string[] {
  const values = new Set<string>();
  for (const row of rows.slice(0, SAMPLES.rows)) {
    const text = textOf(lookUp(row, column));
    if (text !== null) values.add(shorten(toLine(text), SAMPLES.length));
    if (values.size === SAMPLES.values) break;
  }
  return [...values];
}

const MAX_LISTED_COLUMNS = 12;

/** What is wrong with the columns themselves, and what to write in the mapping. */
export function explainColumns(
  columns: Columns,
  fields: Mapping,
): Pick<SnapshotProblem, "field" | "reason">[] {
  if (columns.names.length === 0) return [];
  const isMissing = (name: string) => columns.find(name) === null;
  const missing = (what: string) => ({
    field: null,
    reason: `${what}, but that column does not exist: columns are ${listNames(columns)}`,
  });
  const { tone } = fields.release_status ?? {};
  return [
    ...tone !== undefined && isMissing(tone)
      ? [{ ...missing(`the mapping takes the tone from ${quote(tone)}`), field: "release_status" }]
      : [],
    ...conditionsIn(fields).filter(isMissing).map((name) =>
      missing(`"where" names ${quote(name)}`)
    ),
    ...Object.entries(fields.tags ?? {}).flatMap(([group, { from, labels }]) => {
      const named = from === undefined ? `labels, ${quote(labels!)}` : quote(from);
      return isMissing(from ?? LABELS)
        ? [missing(`the mapping takes the tags ${quote(group)} from ${named}`)]
        : [];
    }),
    ...Object.entries(fields.dates ?? {}).flatMap(([name, rule]) => {
      const named = columnsOf(rule).map(quote).join(" or ");
      return columns.dates.has(name)
        ? []
        : [missing(`the mapping takes the date ${quote(name)} from ${named}`)];
    }),
    ...FIELD_NAMES.flatMap((field) => {
      const reason = explainField(field, { columns, fields });
      return reason === null ? [] : [{ field, reason }];
    }),
  ];
}

function explainField(
  field: FieldName,
  { columns, fields }: { columns: Columns; fields: Mapping },
): string | null {
  if (columns.originOf(field)) return null;
  const rule = fields[field];
  if (rule) {
    const named = columnsOf(rule);
    const what = named.length > 1 ? "none of them exists" : "that column does not exist";
    return `the mapping takes ${field} from ${named.map(quote).join(" or ")}, but ${what}: ` +
      `columns are ${listNames(columns)}`;
  }
  const choices = columns.ambiguous.get(field);
  if (choices) {
    return `${choices.map(quote).join(" and ")} could be ${field}: choose with a mapping ` +
      `(--fields), {"${field}": ${quote(choices[0]!)}}`;
  }
  if (!columns.byName || !REQUIRED.includes(field)) return null;
  const pivot = explainPivot(columns);
  if (pivot !== null) return `no column found for ${field}: ${pivot}`;
  const likely = columns.likely(field).find(({ weight }) => weight > 0)?.name;
  const same = field === "release_status"
    ? ', or the same for every item, {"release_status": {"value": "Planned"}}'
    : "";
  return `no column found for ${field} (columns are ${listNames(columns)}): ` +
    `name one in a mapping (--fields), {"${field}": ${quote(likely ?? "COLUMN")}}${same}`;
}

/** Why a table whose columns are stages or quarters cannot be read; null: it is none. */
function explainPivot({ names }: Columns): string | null {
  const stages = names.filter((name) =>
    /^(?:now|next|later|q[1-4](?:[ /-]*(?:20)?\d\d)?|h[12](?:[ /-]*(?:20)?\d\d)?)$/i.test(
      name.trim(),
    )
  );
  if (stages.length < 2) return null;
  return `${stages.map(quote).join(", ")} are columns, but a table has a row for each release: ` +
    "write its name, its status and its date into one row";
}

/** What is wrong with an empty cell, and what a mapping may say of it. */
export function emptyReason(field: FieldName, column: string | null): string {
  if (field === "release_item_id" || field === "feature_name") return "is empty";
  const rule = { [field]: { from: column ?? field, default: "…" } };
  return `is empty; a mapping may name a default, ${JSON.stringify(rule)}`;
}

/** Of many columns those first that are likely to be a field. */
function listNames(columns: Columns): string {
  const first = columns.names.filter((name) =>
    /(?:status|state|date|name|title|titel|statut|estado|datum)$/i.test(name)
  );
  const names = columns.names.length > MAX_LISTED_COLUMNS
    ? [...new Set([...first, ...columns.names])]
    : columns.names;
  const listed = names.slice(0, MAX_LISTED_COLUMNS).map(quote).join(", ");
  return names.length > MAX_LISTED_COLUMNS
    ? `${listed} and ${names.length - MAX_LISTED_COLUMNS} more`
    : listed;
}

/** A mapping as a person writes it. */
export type WrittenMapping = Record<string, unknown>;

/** The mapping that was used: its rules, and the columns that were found by their names. */
export function writeMapping(mapping: Mapping, columns: Columns): WrittenMapping {
  const written: WrittenMapping = {};
  for (const field of FIELD_NAMES) {
    const rule = mapping[field];
    const column = columns.originOf(field)?.column ?? null;
    if (rule !== undefined) written[field] = rule && writeRule(rule);
    else if (column !== null) written[field] = column;
  }
  const { tags, where, private_hosts, hidden } = mapping;
  return {
    ...written,
    ...tags && {
      tags: Object.fromEntries(Object.entries(tags).map(([name, rule]) => [name, writeRule(rule)])),
    },
    ...(mapping.dates ?? columns.dates.size > 0) && {
      dates: Object.fromEntries(
        [
          ...[...columns.datesInObjects].map((name) => [tidyText(name), `dates.${name}`]),
          ...[...columns.dates].map(([name, { column, rule }]) => [
            name,
            rule ? writeRule(rule) : column,
          ]),
        ],
      ),
    },
    ...where && { where },
    ...private_hosts && { private_hosts },
    ...hidden && { hidden },
  };
}

/** A column by its name alone, if that is all; tones with their blanks. */
function writeRule({ tones, ...rule }: Pick<FieldRule, "from" | "tones">): unknown {
  const { from, ...more } = rule;
  if (from !== undefined && tones === undefined && Object.keys(more).length === 0) return from;
  if (tones === undefined) return rule;
  const named = Object.entries(tones).map(([status, tone]) => [status, tone.replace("_", " ")]);
  return { ...rule, tones: Object.fromEntries(named) };
}
