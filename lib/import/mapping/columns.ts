import type { SourceKind } from "../../config/source_kinds.ts";
import { asObject } from "../../text/values.ts";
import { foldCell, textOf, textsOf } from "./cell_text.ts";
import { knownColumn, namesVersions, nextColumns, plainName } from "./column_names.ts";
import { findLikely, fitsField, type LikelyColumns } from "./likely_columns.ts";
import {
  columnsOf,
  FIELD_NAMES,
  type FieldName,
  type FieldRule,
  type Mapping,
  type Where,
} from "./fields.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Fields whose columns are found by their words and values, in this order. */
const GUESSED: readonly FieldName[] = [
  "feature_name",
  "release_status",
  "release_date",
  "product_name",
  "release_item_id",
];

/** Further names are ignored: an object may be a list of something else. */
const MAX_COLUMNS = 1_000;
/** Objects whose keys count as columns of their own. */
const OPENED = ["fields", "milestone", "content"];
/** Required fields, and those that identify an item. */
const OWN_FIELDS: readonly FieldName[] = [
  "release_item_id",
  "feature_name",
  "release_type",
  "release_status",
  "product_name",
];
/** The columns of keys and ids in Jira's exports, in its languages. */
const JIRA_KEYS: readonly (readonly [key: string, id: string])[] = [
  ["issue key", "issue id"],
  ["vorgangsschlussel", "vorgangs id"],
  ["cle de ticket", "id de ticket"],
  ["clave de incidencia", "id de la incidencia"],
  ["clave de incidencia", "id de incidencia"],
  ["chave da item", "id da item"],
  ["issuesleutel", "issue id"],
];
/** Of items that a star found: what begins a path in the object around, and the own key. */
const PARENT = "../";
const KEY = "@key";
/** The default column of labels. */
export const LABELS = "labels";

/** Where a field comes from, and why. */
export interface Origin {
  /** Null: no column, but one value for every item. */
  column: string | null;
  /** All of its columns: the first that is filled counts. */
  columns: readonly string[];
  rule: FieldRule | null;
  /** The column has the name of the field: its values are taken as they are. */
  isOwn: boolean;
  /** No name of it is known, but its words and its values are those of the field. */
  isLikely?: true;
}

/** What a table says of its columns besides its rows. */
interface ColumnSettings {
  /** Fields without a rule are matched by name, except for a source with names of its own. */
  byName?: boolean;
  /** The header, if there is one: a table may have no rows. */
  header?: readonly string[];
  /** Columns whose names are unknown are found by their words and their values. */
  guesses?: boolean;
}

/** Matches the columns of a source to fields: by the mapping, else by their names. */
export class Columns {
  readonly #names: string[] = [];
  readonly #known = new Set<string>();
  readonly #origins = new Map<FieldName, Origin>();
  readonly #ambiguous = new Map<FieldName, string[]>();
  readonly #likely = new Map<FieldName, LikelyColumns>();
  readonly #filled = new Map<string, boolean>();
  readonly byName: boolean;

  /** @param rows all of them: a column may be missing from the first ones */
  constructor(
    private readonly fields: Mapping,
    private readonly rows: readonly Row[],
    { byName = true, header = [], guesses = false }: ColumnSettings = {},
  ) {
    this.byName = byName;
    for (const name of header) this.#add(name);
    for (const row of rows) {
      for (const name of Object.keys(row)) {
        if (!this.#known.has(name) || OPENED.includes(name)) this.#seeName(name, row[name]);
      }
    }
    this.#assign();
    if (byName && guesses) this.#guess();
  }

  /** The names in the order in which they came. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Fields with several equally likely columns. */
  get ambiguous(): ReadonlyMap<FieldName, readonly string[]> {
    return this.#ambiguous;
  }

  /** They are those of Jira: of its export as CSV, or of its REST API. */
  get isJira(): boolean {
    const has = (name: string) => this.#names.some((known) => plainName(known) === name);
    const isExport = JIRA_KEYS.some(([key, id]) => has(key) && has(id));
    return isExport ||
      has("key") && (has("fields summary") || has("fields issuetype"));
  }

  /** They are those of a Pivotal Tracker's export, in which each state has one meaning. */
  get isPivotal(): boolean {
    return this.find("Current State") !== null && this.find("Accepted at") !== null;
  }

  /** They have the names of the interface. */
  get hasOwnNames(): boolean {
    return OWN_FIELDS.every((field) => this.#names.some((name) => isNameOf(name, field)));
  }

  /** Whether the mapping says where a field comes from. */
  hasRule(field: FieldName): boolean {
    return Boolean(this.fields[field]);
  }

  /** The columns that may be a field for which none was found, the likeliest first. */
  likely(field: FieldName): LikelyColumns["candidates"] {
    return this.#likely.get(field)?.candidates ?? [];
  }

  originOf(field: FieldName): Origin | null {
    return this.#origins.get(field) ?? null;
  }

  #seeName(name: string, value: unknown): void {
    const inner = OPENED.includes(name) ? asObject(value) : null;
    if (!inner) return this.#add(name);
    for (const key of Object.keys(inner)) this.#add(`${name}.${key}`);
  }

  #add(name: string): void {
    if (this.#known.has(name) || this.#names.length === MAX_COLUMNS || name.trim() === "") return;
    this.#known.add(name);
    this.#names.push(name);
  }

  #assign(): void {
    for (const field of FIELD_NAMES) {
      const rule = this.fields[field];
      if (rule) this.#assignByRule(field, rule);
    }
    const isOwn = this.hasOwnNames;
    const taken = new Set([...this.#origins.values()].map(({ column }) => column));
    for (const field of FIELD_NAMES) {
      if (!this.byName || field in this.fields) continue;
      const found = this.#names.filter((name) =>
        !taken.has(name) && knownColumn(name)?.field === field
      );
      // Exports have all columns of a tool, most of which are empty.
      const filled = found.length > 1 ? found.filter((name) => this.#isFilled(name)) : found;
      const choice = filled.length > 0 ? filled : found;
      const [column, ...others] = this.#choose(field, choice);
      if (column === undefined || isOwn && !isNameOf(column, field)) continue;
      if (others.length > 0) this.#ambiguous.set(field, [column, ...others]);
      else {
        const columns = [column, ...nextColumns(column, this.#names)];
        this.#origins.set(field, { column, columns, rule: null, isOwn: isNameOf(column, field) });
      }
    }
  }

  /** The likeliest of some columns with known names; several, if only a person can choose. */
  #choose(field: FieldName, names: readonly string[]): string[] {
    const tierOf = (name: string) => knownColumn(name)!.tier;
    const best = Math.min(...names.map(tierOf));
    const found = names.filter((name) => tierOf(name) === best);
    const others = names.filter((name) => tierOf(name) > best);
    // "Open" and "closed" say less than the column of a board.
    if (
      field === "release_status" && others.length > 0 && found.every((name) => this.#isOpen(name))
    ) {
      return this.#choose(field, others);
    }
    if (found.length < 2) return found;
    const fitting = found.filter((name) => fitsField(field, name, this.rows));
    const choice = fitting.length > 0 ? fitting : found;
    const [first] = choice;
    const isSame = choice.every((name) =>
      this.rows.every((row) => textOf(lookUp(row, name)) === textOf(lookUp(row, first!)))
    );
    return isSame && this.rows.length > 0 ? [first!] : choice;
  }

  #isOpen(name: string): boolean {
    return this.rows.every((row) =>
      /^(?:open|opened|closed|)$/i.test(textOf(lookUp(row, name)) ?? "")
    );
  }

  /** Finds the columns of fields by the words of their names and by their values. */
  #guess(): void {
    for (const field of GUESSED) {
      if (field in this.fields || this.#ambiguous.has(field)) continue;
      const before = this.#origins.get(field)?.column ?? null;
      // Versions without a day give way to a column of days.
      if (before !== null && (!namesVersions(before) || fitsField(field, before, this.rows))) {
        continue;
      }
      const taken = new Set([...this.#origins.values()].map(({ column }) => column));
      const free = this.#names.filter((name) => {
        const known = knownColumn(name)?.field;
        return !taken.has(name) && (known === undefined || !fitsField(known, name, this.rows));
      });
      // What has no title, or no status, is no release, and may have no id.
      const { feature_name, release_status } = Object.fromEntries(this.#origins);
      const needed = [feature_name, release_status].map((origin) => origin?.column ?? null)
        .filter((column) => column !== null);
      const rows = this.rows.filter((row) =>
        needed.every((column) => textOf(lookUp(row, column)) !== null)
      );
      const found = findLikely(field, free, rows);
      this.#likely.set(field, found);
      const { column } = found;
      if (column === null) continue;
      this.#origins.set(field, {
        column,
        columns: [column],
        rule: null,
        isOwn: false,
        isLikely: true,
      });
    }
  }

  #isFilled(name: string): boolean {
    const known = this.#filled.get(name);
    if (known !== undefined) return known;
    const isFilled = this.rows.some((row) => textOf(lookUp(row, name)) !== null);
    this.#filled.set(name, isFilled);
    return isFilled;
  }

  #assignByRule(field: FieldName, rule: FieldRule): void {
    const named = rule.from === undefined && rule.labels ? [LABELS] : columnsOf(rule);
    const columns = named.map((name) => this.find(name)).filter((column) => column !== null);
    const [column = null] = columns;
    const isThere = column !== null || rule.value !== undefined;
    if (isThere || rule.labels && !rule.from) {
      this.#origins.set(field, { column, columns, rule, isOwn: false });
    }
  }

  /** The column of that name, or the object that a path such as `status.name` leads into. */
  find(from: string): string | null {
    if (from === KEY || from.startsWith(PARENT)) {
      return this.rows.some((row) => lookUp(row, from) !== undefined) ? from : null;
    }
    const plain = plainName(from);
    const name = this.#names.find((name) => name === from) ??
      this.#names.find((name) => plainName(name) === plain) ??
      this.#names.find((name) => plainName(name.replace(/^fields\./, "")) === plain); // Jira
    if (name !== undefined) return name;
    const outer = this.#names.find((name) => from.startsWith(`${name}.`));
    return outer === undefined ? null : from;
  }
}

/** The value of a row in the first of some columns that is filled. */
export function lookUpFirst(row: Row, columns: readonly string[]): unknown {
  const [first, ...others] = columns;
  if (first === undefined) return undefined;
  const filled = others.length > 0 &&
    columns.find((column) => textOf(lookUp(row, column)) !== null);
  return lookUp(row, filled || first);
}

/** The value of a row in a column, or at a path. */
export function lookUp(row: Row, column: string): unknown {
  if (Object.hasOwn(row, column)) return row[column];
  if (column.startsWith(PARENT)) {
    return Object.hasOwn(row, "..")
      ? lookUp(row[".."] as Row, column.slice(PARENT.length))
      : undefined;
  }
  for (let end = column.indexOf("."); end !== -1; end = column.indexOf(".", end + 1)) {
    const inner = Object.hasOwn(row, column.slice(0, end)) ? row[column.slice(0, end)] : null;
    // Of a list, a number names the place: `fixVersions.0.name`.
    if (typeof inner === "object" && inner !== null) {
      return lookUp(inner as Row, column.slice(end + 1));
    }
  }
  return undefined;
}

function isNameOf(column: string, field: FieldName): boolean {
  return column.trim().toLowerCase() === field;
}

/** Where a tool says itself how far along an item is. */
export function findCategories(
  columns: Columns,
  { release_status: rule }: Mapping,
  kind: SourceKind,
): string[] {
  if (rule?.tone !== undefined) return [columns.find(rule.tone) ?? rule.tone];
  const named = kind === "github" || kind === "gitlab" ? ["state"] : CATEGORIES;
  const status = columns.originOf("release_status")?.column ?? null;
  const inside = status === null
    ? []
    : CATEGORIES_INSIDE.map((key) => `${status.replace(/\.name$/, "")}.${key}`);
  return [...named.map((name) => columns.find(name)).filter((name) => name !== null), ...inside];
}

/** A story of Pivotal Tracker is done when it is accepted; before, it may come back. */
export const PIVOTAL_STATES: ReadonlyMap<string, string> = new Map([
  ["finished", "in progress"],
  ["delivered", "in progress"],
  ["rejected", "in progress"],
  ["accepted", "done"],
]);

/** Where a tool says why the work on an item ended. */
export function findResolutions(columns: Columns): string[] {
  const names = ["state_reason", "content.stateReason", ...RESOLUTIONS];
  return names.map((name) => columns.find(name)).filter((name) => name !== null);
}

/** Columns with the category of a status. */
const CATEGORIES = [
  ...["Status Category", "State Category", "Status Type", "State Type"],
  ...["Statuskategorie", "Catégorie d'état", "Catégorie de statut", "Categoría de estado"],
  ...["Categoria do status", "Categoria de status", "Statuscategorie"],
];
/** Why the work on an issue ended: in Bugzilla, and in Jira in its languages. */
const RESOLUTIONS = ["Resolution", "Lösung", "Résolution", "Resolución", "Resolução", "Oplossing"];
/** Where a status that is an object has its category: in Jira, in Linear. */
const CATEGORIES_INSIDE = ["statusCategory.key", "category", "type"];

/** Returns a test of rows, with the columns that are known so far. */
export function compileWhere(where: Where, columns: Columns): (row: Row) => boolean {
  const conditions = Object.entries(where).map(([name, condition]) => {
    const isNot = typeof condition === "object" && "not" in condition;
    const wanted = [isNot ? condition.not : condition].flat().map(foldCell);
    return { column: columns.find(name) ?? name, isNot, wanted: new Set(wanted) };
  });
  return (row) =>
    conditions.every(({ column, isNot, wanted }) =>
      valuesOf(lookUp(row, column)).some((value) =>
        wanted.has(value) || value !== "" && wanted.has("*")
      ) !== isNot
    );
}

/** The tests of the fields whose rules have conditions of their own. */
export function compileConditions(
  fields: Mapping,
  columns: Columns,
): Map<FieldName, (row: Row) => boolean> {
  return new Map(FIELD_NAMES.flatMap((field) => {
    const where = fields[field]?.where;
    return where ? [[field, compileWhere(where, columns)] as const] : [];
  }));
}

/** All values of a column, or an empty one; a text with separators counts as a whole as well. */
function valuesOf(value: unknown): string[] {
  const parts = Array.isArray(value) ? value : [value];
  const values = parts.flatMap((part) => [textOf(part) ?? "", ...textsOf(part)].map(foldCell))
    .filter((text) => text !== "");
  return values.length > 0 ? values : [""];
}
