import { shorten, toLine } from "../../text/phrases.ts";
import { textOf } from "./cell_text.ts";
import { type Columns, lookUp, type Row } from "./columns.ts";
import { FIELD_NAMES, type FieldName } from "./fields.ts";
import { NO_TYPE } from "./read_field.ts";

/** How a column, or a value without a column, was matched. */
export interface ReadColumn {
  /** Null: no column; `value` is the same for every item. */
  column: string | null;
  /** Null: the column is ignored. */
  field: FieldName | null;
  by: "name" | "mapping" | "default" | null;
  value?: string;
  /** It could be a field as well as another column. */
  isDoubtful?: true;
  /** Some of its values. */
  samples: string[];
}

/** Limits of the values that are shown of a column. */
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
  const named = columns.names.map((column) => used.filter((read) => read.column === column));
  const doubtful = new Set([...columns.ambiguous.values()].flat());
  const isUsed = (name: string) => used.some(({ column }) => column === name);
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

/** Some different values of a column, from the first rows. */
function sampleValues(column: string, rows: readonly Row[]): string[] {
  const values = new Set<string>();
  for (const row of rows.slice(0, SAMPLES.rows)) {
    const text = textOf(lookUp(row, column));
    if (text !== null) values.add(shorten(toLine(text), SAMPLES.length));
    if (values.size === SAMPLES.values) break;
  }
  return [...values];
}
