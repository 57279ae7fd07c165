import { Problem } from "../../http/responses/problem.ts";
import { plainName } from "../../import/mapping/column_names.ts";
import { DATE_FIELDS, FIELD_NAMES, type FieldName, FIELDS } from "../../import/mapping/fields.ts";
import type { Preview } from "../../import/preview_snapshot.ts";

/** A mapping as a person writes it, which `--fields` takes. */
export type Mapping = Record<string, unknown>;
type Rule = Record<string, unknown>;

/** Fields that may have the same value for every item. */
export const CONSTANTS: readonly string[] = ["product_name", "release_type", "release_status"];

/** What a menu of columns says besides a column, whose value is `column:` and its name. */
export const CHOICES = {
  /** The field is recognised by the name of its column. */
  byName: "",
  /** The field is not read. */
  none: "none",
  /** The rule is more than a column, and stays. */
  rule: "rule",
  /** All items have one value. */
  value: "value",
} as const;

/** The value of a column in a menu. */
export function choiceOf(column: string): string {
  return `column:${column}`;
}

/**
 * The mapping that a form chooses. A rule whose column is unchanged stays, with all that the form
 * has no place for.
 *
 * @throws {Problem} 422 that says what is wrong
 */
export function chooseMapping(written: Mapping, form: URLSearchParams): Mapping {
  const mapping: Mapping = { ...written };
  for (const field of FIELD_NAMES) {
    const choice = form.get(`column.${field}`);
    if (choice === null) continue;
    const rule = chooseRule(field, { before: written[field], choice, form });
    if (rule === undefined) delete mapping[field];
    else mapping[field] = rule;
  }
  if (form.has("tag_column")) {
    const tags = chooseTags(Object(written.tags) as Mapping, form);
    if (Object.keys(tags).length > 0) mapping.tags = tags;
    else delete mapping.tags;
  }
  if (form.has("where_column")) {
    const where = chooseRows(written, form);
    if (where === undefined) delete mapping.where;
    else mapping.where = where;
  }
  return checkMapping(mapping);
}

/**
 * Checks a mapping.
 *
 * @throws {Problem} 422 that says what is wrong
 */
export function checkMapping(mapping: unknown): Mapping {
  const { error } = FIELDS.safeParse(mapping);
  // The database stores no such character.
  if (JSON.stringify(mapping)?.includes("\\u0000")) {
    throw new Problem(422, "This mapping cannot be used: it has the character NUL");
  }
  if (!error) return mapping as Mapping;
  const mistakes = error.issues.map(({ path, message }) =>
    [...path.map(String), message].join(" ")
  );
  throw new Problem(422, `This mapping cannot be used: ${mistakes.join("; ")}`);
}

/** The rule of a field; undefined: it is recognised by its name. */
function chooseRule(
  field: FieldName,
  { before, choice, form }: { before: unknown; choice: string; form: URLSearchParams },
): unknown {
  if (choice === CHOICES.none) return null;
  if (choice === CHOICES.byName) return undefined;
  if (choice === CHOICES.value) {
    const value = form.get(`value.${field}`)?.trim();
    return value ? { value } : undefined;
  }
  const isRule = choice === CHOICES.rule;
  const column = isRule ? null : choice.slice(choiceOf("").length);
  const rule = ruleOf(before);
  const isKept = isRule || rule !== null && isOfColumn(rule, column!);
  if (isKept && rule === null) return before;
  return writeRule({
    ...isKept ? rule : { from: column },
    ...detailsIn(form, field),
  });
}

/** What the form says of how a column is read; empty fields take it away. */
function detailsIn(form: URLSearchParams, field: FieldName): Rule {
  const read = (name: string) => form.get(`${name}.${field}`);
  const [format, split, none] = [read("format"), read("split"), read("none")];
  return {
    ...format !== null && { format: format.trim() || undefined },
    ...split !== null && { split: split || undefined },
    ...none !== null && { none: splitValues(none).length > 0 ? splitValues(none) : undefined },
  };
}

/** A column by its name alone, if that is all. */
function writeRule(rule: Rule): unknown {
  const given = Object.entries(rule).filter(([, value]) => value !== undefined);
  return given.length === 1 && typeof rule.from === "string"
    ? rule.from
    : Object.fromEntries(given);
}

function chooseTags(before: Mapping, form: URLSearchParams): Mapping {
  const read = (name: string) => form.getAll(name);
  const [groups, columns, splits] = [read("tag_group"), read("tag_column"), read("tag_split")];
  return Object.fromEntries(columns.flatMap((choice, place) => {
    const group = groups[place] ?? "";
    if (choice === CHOICES.rule) return [[group, before[group]]];
    if (choice === CHOICES.byName) return [];
    const column = choice.slice(choiceOf("").length);
    const rule = ruleOf(before[group]);
    const split = splits[place] || undefined;
    const name = group || column.replaceAll(":", " ").trim() || "Tags";
    const isKept = rule !== null && isOfColumn(rule, column);
    return [[name, writeRule({ ...isKept ? rule : { from: column }, split })]];
  }));
}

function chooseRows(written: Mapping, form: URLSearchParams): unknown {
  const column = form.get("where_column")!;
  const text = form.get("where_values") ?? "";
  const before = chosenRows(written);
  if (before?.column === column && before.values === text) return written.where;
  const values = splitValues(text);
  return column !== "" && values.length > 0 ? { [column]: values } : undefined;
}

/** A rule as an object; null: there is none. */
export function ruleOf(written: unknown): Rule | null {
  if (typeof written === "string") return { from: written };
  return typeof written === "object" ? written as Rule | null : null;
}

/** Whether a rule reads one column, and it is this one: case and signs do not matter. */
function isOfColumn({ from }: Rule, column: string): boolean {
  const plain = (name: string) => plainName(name.replace(/^fields\./, ""));
  return typeof from === "string" && (from === column || plain(from) === plain(column));
}

/** What the menu of a field shows now. */
export function currentChoice(
  field: FieldName,
  { fields, preview }: { fields: Mapping; preview: Preview },
): string {
  if (fields[field] === undefined) return CHOICES.byName;
  const rule = ruleOf(fields[field]);
  if (rule === null) return CHOICES.none;
  if (CONSTANTS.includes(field) && typeof rule.value === "string") return CHOICES.value;
  const column = preview.columns.find((read) => read.field === field)?.column ?? null;
  return column !== null && isOfColumn(rule, column) ? choiceOf(column) : CHOICES.rule;
}

/** The column of a group of tags; a rule that is more than that is `CHOICES.rule`. */
export function tagChoice(written: unknown, columns: readonly string[]): string {
  const rule = ruleOf(written);
  const column = columns.find((column) => rule !== null && isOfColumn(rule, column));
  return column === undefined ? CHOICES.rule : choiceOf(column);
}

/**
 * Which rows belong to the roadmap; null: conditions that are more than some values of a column.
 */
export function chosenRows(fields: Mapping): { column: string; values: string } | null {
  const conditions = Object.entries(Object(fields.where) as Mapping);
  const [[column, condition] = ["", []]] = conditions;
  const values = [condition].flat();
  const isSimple = values.every((value) =>
    typeof value === "string" && value.trim() !== "" && !value.includes(",")
  );
  return conditions.length > 1 || !isSimple ? null : { column, values: values.join(", ") };
}

/** Whether a field is a date, which has a format. */
export function isDate(field: string): boolean {
  return (DATE_FIELDS as readonly string[]).includes(field);
}

function splitValues(text: string): string[] {
  return text.split(",").map((value) => value.trim()).filter((value) => value !== "");
}
