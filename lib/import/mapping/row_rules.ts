import type { SourceKind } from "../../config/source_kinds.ts";
import { asObject } from "../../text/values.ts";
import { flagOf, foldCell, textOf } from "./cell_text.ts";
import { knownColumn, plainName, type Privacy, privacyOf } from "./column_names.ts";
import { type Columns, compileWhere, lookUp, lookUpFirst, type Row } from "./columns.ts";
import { conditionsIn, type Mapping } from "./fields.ts";
import { foldWord } from "./date_words.ts";

/** Why a row is no release that everybody may see; null: it is one. */
export type LeavesOut = (row: Row) => string | null;

/** Words of the line below a list of numbers. */
const SUM =
  /^(?:grand total|sub ?total|total|sum|average|count|summe|gesamt|zwischensumme|somme|suma|totaal|totale|total general)\b/;
/** Types of what is a part of a release. */
const PARTS = wordsIn(
  "sub task|subtask|subitem|sub item|subfeature|sub feature|unteraufgabe|sous tache|subtarea|" +
    "subtarefa|deeltaak|sottotask|sub issue",
);
/** Values of a column that says who sees a row, besides yes. */
const PUBLIC = wordsIn(
  "public|external|visible|published|everyone|all|anyone|customers|offentlich|extern|sichtbar|" +
    "alle|publique|publico|pubblico|openbaar",
);
/** Values of such a column that keep a row back. */
const NOT_PUBLIC = wordsIn(
  "private|confidential|internal|restricted|secret|hidden|nobody|intern|vertraulich|privat|prive|" +
    "interne|privado|interno|employees|staff|team only|internal only",
);
/** Words of an empty cell. */
const NONE = wordsIn("none|null|n a|not set|keine|aucun|ninguno|nenhum|geen");

function wordsIn(list: string): ReadonlySet<string> {
  return new Set(list.split("|"));
}

/**
 * Finds the rows that are no releases for everybody: titles of groups, repeated headers, sums and
 * subitems of a table, pull requests, what the mapping leaves out, and what is not public.
 */
export function compileLeavesOut(
  { columns, mapping, rows, kind, isTable }: {
    columns: Columns;
    mapping: Mapping;
    rows: readonly Row[];
    kind: SourceKind;
    isTable: boolean;
  },
): LeavesOut {
  const isNoRelease = isTable ? compileRowRules(columns, mapping, rows) : () => null;
  const fits = compileWhere(mapping.where ?? {}, columns);
  const isPrivate = columns.byName ? compilePrivacy(columns, mapping, rows) : () => null;
  const isPart = kind === "jira" ? compileParts(columns, mapping) : () => null;
  const isPull = (row: Row) =>
    kind === "json" || kind === "ndjson" ? asObject(row.pull_request) !== null : false;
  return (row) =>
    isNoRelease(row) ?? (fits(row) ? null : "by the mapping") ?? isPrivate(row) ?? isPart(row) ??
      (isPull(row) ? "pull request" : null);
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
    const isPart = asObject(value)?.subtask === true || PARTS.has(plainName(textOf(value) ?? ""));
    return isPart ? "subitem" : null;
  };
}

/** Finds what a table has besides releases: titles of groups, repeated headers, sums, subitems. */
function compileRowRules(columns: Columns, fields: Mapping, rows: readonly Row[]): LeavesOut {
  const originOf = (
    field: "feature_name" | "release_status" | "release_item_id" | "release_type",
  ) => columns.originOf(field);
  const name = originOf("feature_name");
  const status = originOf("release_status");
  const id = originOf("release_item_id");
  const type = originOf("release_type");
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
  return (row) => {
    const filled = columns.names.filter((column) => textOf(row[column]) !== null);
    const isStatusless = !isGiven && status !== null && isEmpty(row, status);
    if (isHeader(row, filled, plainNames)) return "repeated header";
    if (name === null) return null;
    const isNameless = hasNames && isEmpty(row, name);
    const isIdless = isEmpty(row, id);
    if (isNameless && subitems !== undefined && filled.includes(subitems)) {
      return "subitem";
    }
    if (isStatusless && filled.length === 1 && hasGroups) return "group title";
    const isCounted = isStatusless ||
      status !== null && /^[\d.,/ ]+$/.test(textOf(lookUpFirst(row, status.columns)) ?? "");
    if (isIdless && (isNameless ? isStatusless : isCounted && isSum(row, name))) return "sum";
    // What a tool writes below a group: how many of its items are done.
    if (isNameless && isIdless && filled.length * 2 <= columns.names.length) return "sum";
    const isTitle = isNameless || hasIds && isIdless && hasGroups;
    if (hasStatuses && isStatusless && isTitle) return "group title";
    if (parents.some((column) => isFilled(lookUp(row, column)))) return "subitem";
    const kind = type === null ? null : textOf(lookUpFirst(row, type.columns));
    if (kind !== null && isStatusless && /^(?:product|component)$/.test(plainName(kind))) {
      return "group title";
    }
    return kind !== null && PARTS.has(plainName(kind)) ? "subitem" : null;
  };
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
  return text !== null && !NONE.has(plainName(text));
}

function isSum(row: Row, { columns }: { columns: readonly string[] }): boolean {
  return SUM.test(foldWord(textOf(lookUpFirst(row, columns))!));
}

/** At least two cells that name their columns, or most of which name some. */
function isHeader(row: Row, filled: readonly string[], names: ReadonlySet<string>): boolean {
  const first = filled.length < 2 ? "" : textOf(row[filled[0]!])!;
  if (first === "" || first.length > 40) return false;
  const isName = (text: string) => names.has(plainName(text)) || knownColumn(text) !== undefined;
  // A header begins with the name of a column, a release hardly ever.
  if (!isName(first)) return false;
  const texts = filled.map((column) => textOf(row[column])!);
  const like = texts.filter((text) => text.length < 40 && isName(text));
  const own = filled.filter((column, place) => plainName(column) === plainName(texts[place]!));
  const isLike = own.length > 0 || plainName(first) === "subitems";
  return own.length === filled.length ||
    isLike && like.length > 2 && like.length >= filled.length * 0.75;
}

/** Finds rows that are not for everybody, unless the mapping speaks of the column that says so. */
function compilePrivacy(columns: Columns, fields: Mapping, rows: readonly Row[]): LeavesOut {
  const spoken = new Set(conditionsIn(fields).map((name) => columns.find(name)));
  const found = columns.names.flatMap((column) => {
    const privacy = privacyOf(column);
    if (!privacy || spoken.has(column)) return [];
    // A column in which nothing says yes or no means something else.
    const isUsed = rows.some((row) => {
      const value = lookUp(row, column);
      return privacy.keepsBack === "unless no" ? textOf(value) !== null : isClear(value);
    });
    return isUsed ? [{ column, privacy }] : [];
  });
  return (row) =>
    found.find(({ column, privacy }) => isKeptBack(lookUp(row, column), privacy))?.privacy.reason ??
      null;
}

function isClear(value: unknown): boolean {
  const text = textOf(value);
  return text !== null &&
    (typeof flagOf(value) === "boolean" || isPublicWord(text) || NOT_PUBLIC.has(plainName(text)));
}

/** A word for everybody, or the day since which it is for everybody. */
function isPublicWord(text: string): boolean {
  return PUBLIC.has(plainName(text)) || /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/.test(foldCell(text));
}

function isKeptBack(value: unknown, { keepsBack }: Privacy): boolean {
  const text = textOf(value);
  const flag = text === null || NONE.has(plainName(text)) ? null : flagOf(value);
  if (keepsBack === "unless no") return flag !== null && flag !== false;
  if (keepsBack === "if no") return flag === false;
  return flag !== true && !(text !== null && isPublicWord(text));
}
