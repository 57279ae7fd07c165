import { columnsOf, conditionsIn, FIELD_NAMES, type FieldName, type Fields } from "./fields.ts";
import type { SnapshotProblem } from "../snapshot_error.ts";
import { quote } from "../../text/phrases.ts";
import { type Columns, LABELS } from "./columns.ts";

/** Required fields without a default. */
export const REQUIRED: readonly FieldName[] = ["feature_name", "release_status"];

/** Example values for every item. */
const EXAMPLES: Readonly<Partial<Record<FieldName, string>>> = {
  release_status: "Planned",
};

/** At most this many column names are listed. */
const MAX_LISTED = 12;

/** What is wrong with the columns themselves, and what to write in the mapping. */
export function explainColumns(
  columns: Columns,
  fields: Fields,
): Pick<SnapshotProblem, "field" | "reason">[] {
  if (columns.names.length === 0) return [];
  const unknown = conditionsIn(fields).filter((name) => columns.find(name) === null);
  const { tone } = fields.release_status ?? {};
  return [
    ...tone !== undefined && columns.find(tone) === null
      ? [{
        field: "release_status",
        reason: `the mapping takes the tone from ${quote(tone)}, ` +
          `but that column does not exist: columns are ${listNames(columns)}`,
      }]
      : [],
    ...unknown.map((name) => ({
      field: null,
      reason: `"where" names ${quote(name)}, but that column does not exist: ` +
        `columns are ${listNames(columns)}`,
    })),
    ...Object.entries(fields.tags ?? {}).flatMap(([group, { from, labels }]) => {
      if (columns.find(from ?? LABELS) !== null) return [];
      const named = from === undefined ? `from labels, ${quote(labels!)}` : `from ${quote(from)}`;
      const reason = `the mapping takes the tags ${quote(group)} ${named}, ` +
        `but that column does not exist: columns are ${listNames(columns)}`;
      return [{ field: null, reason }];
    }),
    ...FIELD_NAMES.flatMap((field) => {
      const reason = explainField(field, { columns, fields });
      return reason === null ? [] : [{ field, reason }];
    }),
  ];
}

function explainField(
  field: FieldName,
  { columns, fields }: { columns: Columns; fields: Fields },
): string | null {
  if (columns.originOf(field)) return null;
  const rule = fields[field];
  if (rule) {
    return `the mapping takes ${field} from ${columnsOf(rule).map(quote).join(" or ")}, but ${
      columnsOf(rule).length > 1 ? "none of them exists" : "that column does not exist"
    }: ` +
      `columns are ${listNames(columns)}`;
  }
  const choices = columns.ambiguous.get(field);
  if (choices) {
    return `${
      choices.map(quote).join(" and ")
    } could be ${field}: choose with a mapping (--fields), {"${field}": ${quote(choices[0]!)}}`;
  }
  if (!columns.byName || !REQUIRED.includes(field)) return null;
  const example = EXAMPLES[field];
  const same = example ? `, or the same for every item, {"${field}": {"value": "${example}"}}` : "";
  return `no column found for ${field} (columns are ${listNames(columns)}): ` +
    `name one in a mapping (--fields), {"${field}": "COLUMN"}${same}`;
}

function listNames({ names }: Columns): string {
  const listed = names.slice(0, MAX_LISTED).map(quote).join(", ");
  return names.length > MAX_LISTED ? `${listed} and ${names.length - MAX_LISTED} more` : listed;
}
