import type { SourceKind } from "../../config/source_kinds.ts";
import { flagOf, textOf } from "./cell_text.ts";
import { rolesOf } from "./column_names.ts";
import type { Columns } from "./columns.ts";
import { FIELD_NAMES, type Mapping } from "./fields.ts";
import { means } from "./lexicon.ts";
import { lookUp, type Row } from "./look_up.ts";

const PERCENT = /^(\d{1,3}(?:[.,]\d+)?) ?%?$/;

/**
 * How the texts of a column of statuses are read, where it has no words: a share of the work is a
 * percentage, and yes or no says whether it is done.
 */
export function compileStatus(columns: Columns): (text: string) => string {
  const { column = null, rule = null } = columns.originOf("release_status") ?? {};
  const asItIs = (text: string) => text;
  if (column === null || rule !== null) return asItIs;
  const roles = rolesOf(column);
  if (!roles.has("progress") && !roles.has("done")) return asItIs;
  const values = columns.values.of(column);
  const shares = values.map((text) => PERCENT.exec(text)?.[1]?.replace(",", "."));
  if (shares.length > 0 && shares.every((share) => share !== undefined)) {
    const isFraction = shares.every((share) => Number(share) <= 1) &&
      !values.some((text) => text.includes("%"));
    return (text) => {
      const share = Number(PERCENT.exec(text.trim())?.[1]?.replace(",", ".") ?? NaN);
      return Number.isNaN(share) ? text : `${Math.round(share * (isFraction ? 100 : 1))}%`;
    };
  }
  if (!columns.values.areFlags(column)) return asItIs;
  return (text) => flagOf(text) === true ? "Done" : "Not done";
}

/** Whether a row is marked as done beside its status. */
export function compileDone(columns: Columns): (row: Row) => boolean {
  const used = new Set(FIELD_NAMES.map((field) => columns.originOf(field)?.column));
  const marks = columns.named("done")
    .filter((name) => !used.has(name) && columns.values.areFlags(name));
  return (row) => marks.some((name) => flagOf(lookUp(row, name)) === true);
}

/** Why the work on an item ended, in a word that is known; null: nothing says so. */
export function compileReason(columns: Columns): (row: Row) => string | null {
  const used = new Set(FIELD_NAMES.map((field) => columns.originOf(field)?.column));
  const reasons = columns.named("reason").filter((name) => !used.has(name));
  return (row) => {
    const text = reasons.map((name) => textOf(lookUp(row, name))).find((one) => one !== null);
    return text !== undefined && text !== null && means(text, "unsolved")
      ? "Won't do"
      : text ?? null;
  };
}

/** Where a tool says itself how far along an item is. */
export function findCategories(
  columns: Columns,
  { release_status: rule }: Mapping,
  kind: SourceKind,
): string[] {
  if (rule?.tone !== undefined) return [columns.find(rule.tone) ?? rule.tone];
  const named = kind === "github" || kind === "gitlab" ? ["state"] : columns.named("category");
  const status = columns.originOf("release_status")?.column ?? null;
  const inside = status === null
    ? []
    : CATEGORIES_INSIDE.map((key) => `${status.replace(/\.name$/, "")}.${key}`);
  return [...named.map((name) => columns.find(name)).filter((name) => name !== null), ...inside];
}

/** Where a status that is an object has its category: in Jira, in Linear. */
const CATEGORIES_INSIDE = ["statusCategory.key", "category", "type"];

/** A story of Pivotal Tracker is done when it is accepted; before, it may come back. */
const PIVOTAL_STATES: ReadonlyMap<string, string> = new Map([
  ["finished", "in progress"],
  ["delivered", "in progress"],
  ["rejected", "in progress"],
  ["accepted", "done"],
]);

/** The categories of statuses that mean something else in this tool than elsewhere. */
export function findStates(columns: Columns): ReadonlyMap<string, string> {
  const isPivotal = columns.find("Current State") !== null && columns.find("Accepted at") !== null;
  return isPivotal ? PIVOTAL_STATES : new Map();
}
