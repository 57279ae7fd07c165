import { asObject } from "../../text/values.ts";
import { textOf } from "./cell_text.ts";
import {
  isOtherRole,
  knownColumn,
  namesVersions,
  nextColumns,
  rolesOf,
  weightFor,
} from "./column_names.ts";
import {
  columnsOf,
  FIELD_NAMES,
  type FieldName,
  type FieldRule,
  type Mapping,
  type Origin,
} from "./fields.ts";
import { type Concept, means, plainName } from "./lexicon.ts";
import { KEY, lookUp, PARENT, type Row } from "./look_up.ts";
import { findDates, namesInObjects } from "./named_dates.ts";
import { Values } from "./values.ts";

/** Fields whose columns are found by their words and values, in this order. */
const GUESSED_FIELDS: readonly FieldName[] = [
  "feature_name",
  "release_status",
  "release_date",
  "product_name",
  "release_item_id",
];
/** At least this much has to speak for a column. */
const ENOUGH = 2;

/** Further names are ignored: an object may be a list of something else. */
export const MAX_COLUMNS = 1_000;
/** Objects whose keys count as columns of their own. */
const OPENED = ["fields", "milestone", "content"];
const MAX_OPENED = 50;
const MAX_DEPTH = 4;
/** Required fields without a default: without them a row is no release. */
export const REQUIRED: readonly FieldName[] = ["feature_name", "release_status"];
/** Required fields, and those that identify an item. */
const OWN_FIELDS: readonly FieldName[] = [
  "release_item_id",
  "feature_name",
  "release_type",
  "release_status",
  "product_name",
];
/** The default column of labels. */
export const LABELS = "labels";

/** A column that may be a field, how many of its cells are filled, and how much speaks for it. */
interface Candidate {
  name: string;
  filled: number;
  weight: number;
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
  /** The names in the order in which they came. */
  readonly names: string[] = [];
  /** Fields with several equally likely columns. */
  readonly ambiguous = new Map<FieldName, string[]>();
  readonly #known = new Set<string>();
  readonly #origins = new Map<FieldName, Origin>();
  readonly #likely = new Map<FieldName, Candidate[]>();
  readonly values: Values;
  readonly byName: boolean;
  readonly dates: ReadonlyMap<string, Origin>;
  /** The names of those in an object `dates` of each item. */
  readonly datesInObjects: ReadonlySet<string>;
  #isJira: boolean | undefined;

  /** @param rows all of them: a column may be missing from the first ones */
  constructor(
    private readonly fields: Mapping,
    private readonly rows: readonly Row[],
    { byName = true, header = [], guesses = false }: ColumnSettings = {},
  ) {
    this.byName = byName;
    this.values = new Values(rows);
    for (const name of header) this.#add(name);
    for (const row of rows) {
      for (const name of Object.keys(row)) {
        if (!this.#known.has(name) || OPENED.includes(name)) this.#seeName(name, row[name]);
      }
    }
    this.#assign();
    if (byName && guesses) this.#guess();
    if (byName && guesses && this.#missing().length > 0) this.#guessByValues();
    if (byName && guesses && this.#missing().length > 0) this.#guessInside();
    this.dates = findDates(this, fields, byName && guesses);
    const taken = this.originOf("release_date")?.columns ?? [];
    this.datesInObjects = byName && guesses && !this.hasOwnNames
      ? new Set(
        [...namesInObjects(rows, fields)].filter((name) => !taken.includes(`dates.${name}`)),
      )
      : new Set();
  }

  /** They are those of Jira: keys such as `ABC-1` beside numbers, or those of its REST API. */
  get isJira(): boolean {
    return this.#isJira ??= this.#areOfJira();
  }

  #areOfJira(): boolean {
    const has = (name: string) => this.names.some((known) => plainName(known) === name);
    if (has("key") && (has("fields summary") || has("fields issuetype"))) return true;
    const some = (roles: readonly Concept[], pattern: RegExp) =>
      this.named(...roles).some((name) => {
        const values = this.values.of(name);
        return values.length > 0 && values.every((value) => pattern.test(value));
      });
    return some(["key"], /^\p{L}[\p{L}\d_]*-\d+$/u) && some(["id", "number"], /^\d+$/);
  }

  /** The columns whose whole name has one of some meanings. */
  named(...roles: readonly Concept[]): string[] {
    return this.names.filter((name) => {
      const found = rolesOf(name);
      return roles.some((role) => found.has(role));
    });
  }

  get hasOwnNames(): boolean {
    return OWN_FIELDS.every((field) => this.names.some((name) => isNameOf(name, field)));
  }

  hasRule(field: FieldName): boolean {
    return Boolean(this.fields[field]);
  }

  /** The columns that may be a field for which none was found, the likeliest first. */
  likely(field: FieldName): readonly Candidate[] {
    return this.#likely.get(field) ?? [];
  }

  originOf(field: FieldName): Origin | null {
    return this.#origins.get(field) ?? null;
  }

  #seeName(name: string, value: unknown): void {
    const inner = OPENED.includes(name) ? asObject(value) : null;
    if (!inner) return this.#add(name);
    for (const key of Object.keys(inner)) this.#add(`${name}.${key}`);
  }

  /** Looks inside of objects that are no text by themselves: what is missing may be there. */
  #guessInside(): void {
    const before = this.names.length;
    const open = (value: unknown, path: string, depth: number) => {
      const fields = asObject(value);
      if (fields === null || depth > MAX_DEPTH || path !== "" && textOf(fields) !== null) {
        return this.#add(path);
      }
      for (const [key, inner] of Object.entries(fields)) {
        if (asObject(inner) !== null || path !== "") {
          open(inner, path === "" ? key : `${path}.${key}`, depth + 1);
        }
      }
    };
    for (const row of this.rows.slice(0, MAX_OPENED)) open(row, "", 0);
    if (this.names.length === before) return;
    this.#guess();
    const used = new Set([...this.#origins.values()].flatMap(({ columns }) => columns));
    for (const name of this.names.splice(before)) {
      if (used.has(name)) this.names.push(name);
      else this.#known.delete(name);
    }
  }

  #add(name: string): void {
    if (this.#known.has(name) || this.names.length === MAX_COLUMNS || name.trim() === "") return;
    this.#known.add(name);
    this.names.push(name);
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
      const found = this.names.filter((name) =>
        !taken.has(name) && knownColumn(name)?.field === field &&
        (isNameOf(name, field) || !this.values.contradicts(field, name))
      );
      // Exports have all columns of a tool, most of which are empty.
      const filled = found.length < 2
        ? found
        : found.filter((name) => this.rows.some((row) => textOf(lookUp(row, name)) !== null));
      const choice = filled.length > 0 ? filled : found;
      const [column, ...others] = this.#choose(field, choice);
      if (column === undefined || isOwn && !isNameOf(column, field)) continue;
      if (others.length > 0) this.ambiguous.set(field, [column, ...others]);
      else {
        const next = [...nextColumns(column, this.names), ...this.#next(field, column)];
        const columns = [...new Set([column, ...next])];
        this.#origins.set(field, { column, columns, rule: null, isOwn: isNameOf(column, field) });
      }
    }
  }

  /** A tool's other columns of planned days, in the order of their names, for where one is empty. */
  #next(field: FieldName, first: string): string[] {
    if (field !== "release_date" || namesVersions(first)) return [];
    const rankOf = (name: string) => knownColumn(name)!.rank;
    return this.names.filter((name) =>
      name !== first && knownColumn(name)?.field === field && !namesVersions(name) &&
      rankOf(name) >= rankOf(first) && Number.isInteger(rankOf(name)) && !isOtherRole(name) &&
      this.values.areSureDays(name)
    ).toSorted((one, other) => rankOf(one) - rankOf(other));
  }

  /** The likeliest of some columns with known names; several, if only a person can choose. */
  #choose(field: FieldName, names: readonly string[]): string[] {
    const rankOf = (name: string) => knownColumn(name)!.rank;
    const best = Math.min(...names.map(rankOf));
    const found = names.filter((name) => rankOf(name) === best);
    const others = names.filter((name) => rankOf(name) > best && !this.values.areFlags(name));
    // "Open" and "closed" say less than the column of a board.
    if (
      field === "release_status" && others.length > 0 &&
      found.every((name) => this.#isOpen(name)) &&
      others.some((name) => this.values.fits(field, name))
    ) {
      return this.#choose(field, others);
    }
    if (found.length < 2) return found;
    const fitting = found.filter((name) => this.values.fits(field, name));
    const choice = fitting.length > 0 ? fitting : found;
    const likeliest = choice.filter((name) => weightFor(field, name) >= 0);
    const [first] = choice;
    const isSame = choice.every((name) =>
      this.rows.every((row) => textOf(lookUp(row, name)) === textOf(lookUp(row, first!)))
    );
    if (isSame && this.rows.length > 0) return [first!];
    if (field === "release_date" && this.#complete(choice)) return [first!];
    const weights = likeliest.map((name) => weightFor(field, name));
    const isOne = weights.filter((weight) => weight === Math.max(...weights)).length === 1;
    return isOne ? [likeliest[weights.indexOf(Math.max(...weights))]!] : choice;
  }

  /** Columns of days of which each row has one at most: together they are one column. */
  #complete(names: readonly string[]): boolean {
    return names.every((name) => this.values.areSureDays(name)) &&
      this.rows.every((row) =>
        new Set(names.map((name) => textOf(lookUp(row, name))).filter((text) => text !== null))
          .size <= 1
      );
  }

  /** A tool says no more than whether it is over, or that nothing was deleted. */
  #isOpen(name: string): boolean {
    return this.values.of(name).every((value) => means(value, "open") || means(value, "closed"));
  }

  /** Finds the columns of fields by the words of their names and by their values. */
  #guess(): void {
    for (const field of GUESSED_FIELDS) {
      if (field in this.fields || this.ambiguous.has(field)) continue;
      const before = this.#origins.get(field)?.column ?? null;
      // Versions without a day give way to a column of days.
      if (before !== null && (!namesVersions(before) || this.values.fits(field, before))) continue;
      const column = this.#guessColumn(field);
      if (column !== null) this.#take(field, column);
    }
  }

  #take(field: FieldName, column: string): void {
    const origin = { column, columns: [column], rule: null, isOwn: false };
    this.#origins.set(field, { ...origin, isLikely: true });
  }

  #guessColumn(field: FieldName): string | null {
    const taken = new Set([...this.#origins.values()].map(({ column }) => column));
    const free = this.names.filter((name) => {
      const known = knownColumn(name)?.field;
      return !taken.has(name) && !isOtherRole(name) &&
        (known === undefined || known === field || !this.values.fits(known, name));
    });
    const values = this.#releaseValues();
    const found = free.filter((name) => values.fits(field, name)).map((name) => ({
      name,
      filled: values.of(name).length,
      weight: weightFor(field, name),
    })).toSorted((one, other) => other.weight - one.weight);
    const candidates = found.filter(({ weight }) => weight > -ENOUGH);
    this.#likely.set(field, candidates);
    const [first, second] = found;
    const isOne = first !== undefined && first.weight >= ENOUGH && first.weight !== second?.weight;
    return isOne ? first.name : null;
  }

  /** Takes what is missing by its values alone, if then nothing is missing that a release needs. */
  #guessByValues(): void {
    const missing = this.#missing();
    const found = missing.map((field) => this.#onlyCandidate(field));
    if (found.includes(null)) return;
    for (const [at, field] of missing.entries()) this.#take(field, found[at]!);
  }

  #missing(): FieldName[] {
    return REQUIRED.filter((field) =>
      !this.#origins.has(field) && !this.ambiguous.has(field) && !(field in this.fields)
    );
  }

  /** The only column with such values; those of one row are all different, and prove nothing. */
  #onlyCandidate(field: FieldName): string | null {
    if (this.values.rowCount < 2) return null;
    // A few statuses that are all different could be names as well.
    const [first, ...others] = this.likely(field).filter(({ name }) =>
      field !== "feature_name" || !this.values.fits("release_status", name)
    );
    return first === undefined || others.length > 0 ? null : first.name;
  }

  /** The values of the rows that may be releases: what has no title, or no status, may have no id. */
  #releaseValues(): Values {
    const needed = (["feature_name", "release_status"] as const)
      .map((field) => this.#origins.get(field)?.column ?? null).filter((column) => column !== null);
    if (needed.length === 0) return this.values;
    return new Values(
      this.rows.filter((row) => needed.every((column) => textOf(lookUp(row, column)) !== null)),
    );
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
    const name = this.names.find((name) => name === from) ??
      this.names.find((name) => plainName(name) === plain) ??
      this.names.find((name) => plainName(name.replace(/^fields\./, "")) === plain); // Jira
    if (name !== undefined) return name;
    const outer = this.names.find((name) => from.startsWith(`${name}.`));
    return outer === undefined ? null : from;
  }
}

function isNameOf(column: string, field: FieldName): boolean {
  return column.trim().toLowerCase() === field;
}
