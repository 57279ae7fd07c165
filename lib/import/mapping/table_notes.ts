import { countOf, quote } from "../../text/phrases.ts";
import type { Columns } from "./columns.ts";
import { FIELD_NAMES, type Mapping } from "./fields.ts";
import type { Findings } from "./findings.ts";
import type { ReadStatus, Table } from "./table.ts";
import { asObject } from "../../text/values.ts";
import { textOf } from "./cell_text.ts";
import { NO_STATUS } from "./read_field.ts";

/** How the note begins about a table without a column of dates. */
export const UNDATED = "No column of dates was found";

/** Says which column was only likely, and which one has the days of a table without any. */
export function noteColumns(
  columns: Columns,
  { mapping, findings, rows }: { mapping: Mapping; findings: Findings; rows: number },
): void {
  const likely = FIELD_NAMES.flatMap((field) => {
    const origin = columns.originOf(field);
    return origin?.isLikely ? [`${quote(origin.column!)} as ${field}`] : [];
  });
  if (likely.length > 0) {
    findings.note(
      "likely",
      () =>
        "These columns were found by their words and values, not by a known name: " +
        `${likely.join(", ")}; a mapping may name others`,
    );
  }
  const isDated = columns.originOf("release_date") !== null || "release_date" in mapping;
  if (isDated || rows === 0) return;
  const [first] = columns.likely("release_date");
  if (columns.ambiguous.has("release_date") || !first) return;
  const used = JSON.stringify({ release_date: first.name });
  findings.note(
    "undated",
    () =>
      `${UNDATED}, so no release has one; ${quote(first.name)} has days in ` +
      `${first.filled} of ${countOf(rows, "row")}: ${used}`,
  );
}

/** Of which a release has one, whatever a table has. */
const SINGLE = ["feature_name", "release_status", "release_type"] as const;

/** Says which fields have the values of several columns, since these have one name. */
export function noteNamesakes(
  columns: Columns,
  { header = [], rows }: Pick<Table, "header" | "rows">,
  findings: Findings,
): void {
  for (const field of SINGLE) {
    const column = columns.originOf(field)?.column ?? null;
    const count = header.filter((name) => name === column).length;
    if (column === null || count < 2) continue;
    const say = (rows: number, first: string) => {
      const have = rows === 1 ? "has" : "have";
      return `${count} columns are named ${quote(column)}: ${countOf(rows, "row")} ${have} the ` +
        `values of several as ${field}, such as ${quote(first)}; rename those that are not meant`;
    };
    for (const row of rows) {
      const value = asObject(row)?.[column];
      if (Array.isArray(value)) findings.note(`namesakes ${field}`, say, textOf(value) ?? "");
    }
  }
}

const MAX_NAMED = 5;

/** Says which statuses nobody knows. */
export function noteUnknown(statuses: readonly ReadStatus[], findings: Findings): void {
  const unknown = statuses.filter(({ by, status }) => by === "unknown" && status !== NO_STATUS);
  if (unknown.length === 0) return;
  const [sum, all] = [unknown, statuses].map((some) =>
    some.reduce((sum, { count }) => sum + count, 0)
  ) as [number, number];
  const named = unknown.slice(0, MAX_NAMED).map(({ status }) => quote(status)).join(", ") +
    (unknown.length > MAX_NAMED ? ` and ${unknown.length - MAX_NAMED} more` : "");
  const example = JSON.stringify({ tones: { [unknown[0]!.status]: "in progress" } });
  const have = sum === 1 ? "has" : "have";
  findings.note(
    "unknown",
    () =>
      `${sum} of ${countOf(all, "release")} ${have} a status that is not known, ${named}: they ` +
      "count as planned, but are never overdue; say what they are in the mapping of release_status, " +
      example,
  );
}

const MAX_NAMED_DATES = 20;

/** Says which columns became named dates that no mapping names. */
export function noteDates({ dates, datesInObjects }: Columns, findings: Findings): void {
  if (datesInObjects.size > 0) {
    const names = [...datesInObjects].slice(0, MAX_NAMED_DATES).map(quote).join(", ");
    const more = datesInObjects.size - MAX_NAMED_DATES;
    findings.note(
      "dates",
      () => `"dates" is read as the dates ${names}${more > 0 ? ` and ${more} more` : ""}`,
    );
  }
  for (const [name, { column, rule }] of dates) {
    if (rule !== null) continue;
    const read = column === name ? "a named date" : `the date ${quote(name)}`;
    findings.note(`date ${name}`, () => `${quote(column!)} is read as ${read}`);
  }
}
