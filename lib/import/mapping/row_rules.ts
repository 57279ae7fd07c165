import type { SourceKind } from "../../config/source_kinds.ts";
import { asObject } from "../../text/values.ts";
import { flagOf, textOf } from "./cell_text.ts";
import { knownColumn } from "./column_names.ts";
import type { Columns } from "./columns.ts";
import { compileWhere } from "./conditions.ts";
import { conditionsIn, type Mapping } from "./fields.ts";
import { means, phrasesOf, plainName } from "./lexicon.ts";
import { lookUp, lookUpFirst, type Row } from "./look_up.ts";

/** Why a row is no release that everybody may see; null: it is one. */
export type LeavesOut = (row: Row) => string | null;

/**
 * Finds the rows that are no releases for everybody: titles of groups, repeated headers, sums and
 * subitems of a table, pull requests, what the mapping leaves out, and what is not public.
 */
export function compileLeavesOut(
  { columns, mapping, rows, kind, numbers, isPrivate }: {
    columns: Columns;
    mapping: Mapping;
    rows: readonly Row[];
    kind: SourceKind;
    /** The number of each row as a spreadsheet counts it; absent: they are items of JSON. */
    numbers?: readonly number[];
    isPrivate: LeavesOut;
  },
): LeavesOut {
  const isNoRelease = numbers ? compileRowRules(columns, mapping, { rows, numbers }) : () => null;
  const fits = compileWhere(mapping.where ?? {}, columns);
  const isParent = columns.byName ? compileParents(columns, rows) : () => null;
  const isPart = kind === "jira" ? compileParts(columns, mapping) : () => null;
  const isPull = (row: Row) => /^(?:nd)?json$/.test(kind) && asObject(row.pull_request) !== null;
  return (row) =>
    isNoRelease(row) ?? isParent(row) ?? (fits(row) ? null : "by the mapping") ?? isPrivate(row) ??
      isPart(row) ?? (isPull(row) ? "pull request" : null);
}

/** Finds sub-tasks of Jira, unless the mapping speaks of their type. */
function compileParts(columns: Columns, fields: Mapping): LeavesOut {
  const type = columns.originOf("release_type")?.column ?? null;
  const spoken = conditionsIn(fields).map((name) => columns.find(name) ?? name);
  if (type === null || spoken.some((name) => name === type || name.startsWith(`${type}.`))) {
    return () => null;
  }
  return (row) => {
    const value = lookUp(row, type);
    const isPart = asObject(value)?.subtask === true || means(textOf(value) ?? "", "part");
    return isPart ? "subitem" : null;
  };
}

/** Finds what a table has besides releases: titles of groups, repeated headers, sums, subitems. */
function compileRowRules(
  columns: Columns,
  fields: Mapping,
  { rows, numbers }: { rows: readonly Row[]; numbers: readonly number[] },
): LeavesOut {
  const name = columns.originOf("feature_name");
  const status = columns.originOf("release_status");
  const id = columns.originOf("release_item_id");
  const type = columns.originOf("release_type");
  const day = columns.originOf("release_date");
  const named = (wanted: string) => columns.names.find((name) => plainName(name) === wanted);
  const subitems = named("subitems") ?? named("sub items");
  const parents = parentColumns(columns, named);
  const isGiven = fields.release_status?.default !== undefined ||
    fields.release_status?.value !== undefined;
  // A draft in a project of GitHub has nothing but its title.
  const hasGroups = columns.names.length > 2 && !(named("assignees") && named("url"));
  const plainNames = new Set(columns.names.map(plainName));
  const isEmpty = (row: Row, origin: typeof name) =>
    origin === null || textOf(lookUpFirst(row, origin.columns)) === null;
  const isUsed = (origin: typeof name) => rows.some((row) => !isEmpty(row, origin));
  const [hasNames, hasIds, hasStatuses] = [isUsed(name), isUsed(id), isUsed(status)];
  const isBare = (row: Row) => isEmpty(row, status) && isEmpty(row, day) && isEmpty(row, id);
  const legend = hasStatuses ? findLegend(rows, numbers, isBare) : new Set();
  return (row) => {
    if (legend.has(row)) return "below the table";
    const filled = columns.names.filter((column) => textOf(row[column]) !== null);
    const isStatusless = !isGiven && status !== null && isEmpty(row, status);
    if (isHeader(row, filled, plainNames)) return "repeated header";
    if (name === null) return null;
    const isNameless = hasNames && isEmpty(row, name);
    const isIdless = isEmpty(row, id);
    if (isNameless && subitems !== undefined && filled.includes(subitems)) return "subitem";
    if (isStatusless && filled.length === 1 && hasGroups) return "group title";
    const isDayless = isEmpty(row, day);
    const isCounted = isStatusless ||
      status !== null && /^[\d.,/ ]+$/.test(textOf(lookUpFirst(row, status.columns)) ?? "");
    if (
      isIdless && (isNameless ? isStatusless : isCounted && isDayless && isSum(row, name, filled))
    ) {
      return "sum";
    }
    // What a tool writes below a group: how many of its items are done.
    if (isNameless && isIdless && filled.length * 2 <= columns.names.length) return "sum";
    const isTitle = isNameless || hasIds && isIdless && hasGroups;
    if (hasStatuses && isStatusless && isTitle) return "group title";
    if (parents.some((column) => isFilled(lookUp(row, column)))) return "subitem";
    const kind = type === null ? null : textOf(lookUpFirst(row, type.columns));
    if (kind !== null && isStatusless && /^(?:product|component)$/.test(plainName(kind))) {
      return "group title";
    }
    return kind !== null && means(kind, "part") ? "subitem" : null;
  };
}

/** Rows behind a blank one, none of which up to the next has anything of a release but a text. */
function findLegend(
  rows: readonly Row[],
  numbers: readonly number[],
  isBare: (row: Row) => boolean,
): Set<Row> {
  const blocks: Row[][] = [];
  for (const [at, row] of rows.entries()) {
    if (at === 0 || numbers[at]! > numbers[at - 1]! + 1) blocks.push([]);
    blocks.at(-1)!.push(row);
  }
  const isLegend = (block: readonly Row[]) => block.length > 1 && block.every(isBare);
  return new Set(blocks.slice(1).filter(isLegend).flat());
}

/** Columns that name what a row is a part of; epics of Jira are no parents in this sense. */
function parentColumns(
  columns: Columns,
  named: (wanted: string) => string | undefined,
): string[] {
  const wanted = [
    named("parent task"),
    named("parent item"),
    // In Linear, not in GitHub, where a parent is an epic.
    named("cycle name") && named("parent issue"),
    named("task id") && named("parent id"),
  ];
  return columns.isJira
    ? []
    : wanted.filter((column) => column !== undefined && column !== "") as string[];
}

function isFilled(value: unknown): boolean {
  const text = textOf(value);
  return text !== null && !means(text, "none");
}

/** A line below a list of numbers: one of its cells says so, or its name has no letters. */
function isSum(row: Row, { columns }: { columns: readonly string[] }, filled: readonly string[]) {
  const name = textOf(lookUpFirst(row, columns)) ?? "";
  if (!/\p{L}/u.test(name) || means(name, "sum")) return true;
  const isWord = (text: string) => text.length <= MAX_SUM && SUM_AT_END.test(plainName(text));
  const others = filled.map((column) => textOf(row[column])!).filter((text) => text !== name);
  const isNumber = (text: string) => /^[\d.,\s%]+$/.test(text);
  return isWord(name) && others.length > 0 &&
    others.every((text) => isNumber(text) || isWord(text));
}

const MAX_SUM = 60;
const SUMS = phrasesOf("sum").map((phrase) => RegExp.escape(phrase)).join("|");
const SUM_AT_END = new RegExp(`^(?:${SUMS})(?: |$)|(?: |^)(?:${SUMS})$`, "u");

/** Rows that hold those below them: by their level, or because a column says so. */
function compileParents(columns: Columns, rows: readonly Row[]): LeavesOut {
  const flags = columns.named("parent").filter((name) => columns.values.areFlags(name));
  const [level] = columns.named("level").filter((name) =>
    columns.values.of(name).length > 0 && columns.values.of(name).every((text) => LEVEL.test(text))
  );
  const depths = level === undefined ? [] : rows.map((row) => textOf(lookUp(row, level)));
  const isPath = depths.some((depth) => depth?.includes("."));
  const depthOf = (text: string | null) =>
    text === null ? 0 : isPath ? text.split(".").length : Number(text);
  const parents = new Set(
    rows.filter((_, at) => depthOf(depths[at + 1] ?? null) > depthOf(depths[at] ?? null)),
  );
  return (row) =>
    parents.has(row) || flags.some((name) => flagOf(lookUp(row, name)) === true)
      ? "group title"
      : null;
}

const LEVEL = /^\d+(?:\.\d+)*\.?$/;

/** At least two cells that name their columns, or most of which name some. */
function isHeader(row: Row, filled: readonly string[], names: ReadonlySet<string>): boolean {
  const first = filled.length < 2 ? "" : textOf(row[filled[0]!])!;
  if (first === "" || first.length > 40) return false;
  // Ids and days have digits, names of columns hardly ever.
  const isName = (text: string) =>
    names.has(plainName(text)) || !/\d/.test(text) && knownColumn(text) !== undefined;
  // A header begins with the name of a column, a release hardly ever.
  if (!isName(first)) return false;
  const texts = filled.map((column) => textOf(row[column])!);
  const like = texts.filter((text) => text.length < 40 && isName(text));
  const own = filled.filter((column, place) => plainName(column) === plainName(texts[place]!));
  const isLike = own.length > 0 || plainName(first) === "subitems";
  return own.length === filled.length ||
    isLike && like.length > 2 && like.length >= filled.length * 0.75;
}
