import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { FieldError } from "../../expected_error.ts";
import { Problem } from "../../http/responses/problem.ts";
import type { WrittenMapping } from "../../import/mapping/describe_columns.ts";
import { stageOf } from "../../import/mapping/column_names.ts";
import { DATE_FIELDS, FIELD_NAMES, MAPPING, MAX_DATES } from "../../import/mapping/fields.ts";
import { tidyText } from "../../import/mapping/tidy_text.ts";
import type { Preview } from "../../import/preview_snapshot.ts";
import { foldStatus } from "../../roadmap/status_tone.ts";
import { capitalise } from "../../text/phrases.ts";
import { parseJson } from "../../text/values.ts";

type Rule = Record<string, unknown>;

/** Fields that may have the same value for every row. */
export const CONSTANTS = ["product_name", "release_status", "release_type"] as const;

/** What a column is besides a field: not used, the tags of a group, or a named date. */
export const NOT_USED = "none";
export const TAGS = "tags";
export const DATES = "dates";

/** A column, and what it is now: fields, or after `tags:` or `dates:` the name of a group or a date. */
export type ColumnUse = readonly [column: string, ...uses: readonly string[]];

/** What each column of a preview is now, in the order of the file. */
export function listUses(preview: Preview, written: WrittenMapping): ColumnUse[] {
  const groups = Object.entries(Object(written.tags) as WrittenMapping);
  return preview.first_rows.columns.map((column): ColumnUse => [
    column,
    ...preview.columns.filter((read) => read.column === column)
      .flatMap(({ field, date }) => date === undefined ? field ?? [] : `${DATES}:${date}`),
    ...groups.filter(([, rule]) => sameName(ruleOf(rule)?.from, column))
      .map(([group]) => `${TAGS}:${group}`),
  ]);
}

/** What the menu of a column shows. */
export function chosenUse([, use = NOT_USED]: ColumnUse): string {
  return kindOfUse(use);
}

/** A field, or what a column is without the name of its group or date. */
function kindOfUse(use: string): string {
  return [TAGS, DATES].find((kind) => use.startsWith(`${kind}:`)) ?? use;
}

/** The name of the date that a use says; null: it is another one. */
export function dateNameIn(use: string): string | null {
  return kindOfUse(use) === DATES ? use.slice(DATES.length + 1) : null;
}

/** The rule that a mapping has for a use of a column. */
export function ruleOfUse(written: WrittenMapping, use: string): Rule | null {
  const date = dateNameIn(use);
  return ruleOf(date === null ? written[use] : (Object(written.dates) as WrittenMapping)[date]);
}

const CHOICE = z.strictObject({
  field: z.enum([...DATE_FIELDS, DATES]),
  column: z.string(),
  format: z.string().optional(),
  values: z.record(z.string(), z.string()).optional(),
  none: z.string().optional(),
});

/** What one of the buttons beside a date says that it means. */
export type DateChoice = z.output<typeof CHOICE>;

/** The names of the controls, which say what a value is of; a column stands last, and may have dots. */
export const CONTROL = {
  use: ([column, was = NOT_USED]: ColumnUse) => `use.${kindOfUse(was)}.${column}`,
  detail: (what: "name" | "format" | "none" | "split", use: string, column: string) =>
    `${what}.${kindOfUse(use)}.${column}`,
  value: (field: string) => `value.${field}`,
  tone: (status: string) => `tone.${status}`,
} as const;

/**
 * The mapping that a form chooses. What is unchanged there stays as it was written, with all that the
 * form has no place for.
 *
 * @throws {FieldError} that names the control, or `fields` where it is the mapping as a whole
 */
export function chooseMapping(written: WrittenMapping, form: URLSearchParams): WrittenMapping {
  const mapping: WrittenMapping = structuredClone(written);
  const controls = [...form].map(([name, value]): Control => {
    const [what = "", of = "", ...column] = name.split(".");
    return { what, of, column: column.join("."), value };
  });
  const named = (what: string) => controls.filter((control) => control.what === what);
  chooseColumns(mapping, named("use"));
  for (const { of, value } of named("value")) setValue(mapping, of, value.trim());
  for (const { what, of, column, value } of ["format", "split", "none"].flatMap(named)) {
    addTo(mapping, of, { [what]: readDetail(what, value) }, column);
  }
  const tones = [...form].filter(([name]) => name.startsWith("tone."))
    .map(([name, tone]) => [name.slice("tone.".length), tone] as const);
  chooseTones(mapping, tones, form.get("status_rule"));
  const choice = form.has("choose") ? readChoice(form.get("choose")!) : null;
  const names = chooseDates(mapping, controls, choice);
  if (choice !== null && choice.field !== DATES) {
    const { field, column } = choice;
    addTo(mapping, field, detailsIn(choice, ruleOf(mapping[field])), column);
  }
  if (form.has("where_column")) {
    const where = chooseRows(written, form);
    if (where === undefined) delete mapping.where;
    else mapping.where = where;
  }
  return checkMapping(mapping, (path) => controlOf(path, { form, names }));
}

/** The control that a mistake in a mapping is about. */
function controlOf(
  [field, part, ofDate = "name"]: readonly PropertyKey[],
  { form, names }: { form: URLSearchParams; names: ReadonlyMap<string, string> },
): string {
  if (field === DATES) {
    const control = `${String(ofDate)}.${DATES}.${names.get(String(part))}`;
    return form.has(control) ? control : "fields";
  }
  const control = field === "where"
    ? "where_values"
    : `${String(part ?? "value")}.${String(field)}`;
  return [...form.keys()].find((name) => name === control || name.startsWith(`${control}.`)) ??
    "fields";
}

/** A control by the parts of its name (`CONTROL`): what it says of a field, or of what a column was. */
interface Control {
  readonly what: string;
  readonly of: string;
  readonly column: string;
  readonly value: string;
}

function chooseColumns(mapping: WrittenMapping, uses: readonly Control[]): void {
  const changed = uses.filter(({ of: was, value: now }) => was !== now);
  for (const { of: was, column } of changed) {
    if (was === TAGS) setGroup(mapping, groupOf(mapping, column), undefined);
    else if (isField(was)) mapping[was] = null;
  }
  for (const { column, value: now } of changed) {
    if (now === TAGS) setGroup(mapping, column.replaceAll(":", " ").trim() || "Tags", column);
    else if (isField(now)) {
      const { tones, none, split } = ruleOf(mapping[now]) ?? {};
      mapping[now] = writeRule({ from: column, tones, none, split });
    }
  }
}

function isField(name: string): boolean {
  return (FIELD_NAMES as readonly string[]).includes(name);
}

/** The group whose tags are those of a column. */
function groupOf({ tags }: WrittenMapping, column: string): string {
  const groups = Object.entries(Object(tags) as WrittenMapping);
  return groups.find(([, rule]) => sameName(ruleOf(rule)?.from, column))?.[0] ?? column;
}

/** What stands in for a column. */
function setValue(mapping: WrittenMapping, field: string, value: string): void {
  if (!isField(field)) return;
  if (value !== "") mapping[field] = { value };
  else if (ruleOf(mapping[field])?.value !== undefined) delete mapping[field];
}

/** How a column is written; undefined: nothing is said. */
function readDetail(what: string, value: string): unknown {
  if (what !== "none") return (what === "format" ? value.trim() : value) || undefined;
  const words = splitValues(value);
  return words.length > 0 ? words : undefined;
}

function setGroup(mapping: WrittenMapping, group: string, rule: unknown): void {
  const { [group]: _, ...others } = Object(mapping.tags) as WrittenMapping;
  const tags = rule === undefined ? others : { ...others, [group]: rule };
  if (Object.keys(tags).length > 0) mapping.tags = tags;
  else delete mapping.tags;
}

/** Adds to the rule of a field, which is that of its column where nothing is written yet. */
function addTo(mapping: WrittenMapping, field: string, more: Rule, column: string): void {
  if (!isField(field)) return;
  const rule = ruleOf(mapping[field]);
  const isNothing = Object.values(more).every((value) => value === undefined);
  // What is not used, or is found by its name, stays so.
  if (rule === null && (isNothing || column === "" || mapping[field] === null)) return;
  mapping[field] = writeRule({ ...rule ?? { from: column }, ...more });
}

function chooseTones(
  mapping: WrittenMapping,
  chosen: readonly (readonly [status: string, tone: string])[],
  shown: string | null,
): void {
  const rule = ruleOf(mapping.release_status) ?? ruleOf(parseJson(shown ?? "null"));
  if (rule === null) return;
  const tones = Object.entries(Object(rule.tones) as Rule);
  const toneOf = (status: string) => tones.find(([name]) => sameName(name, status))?.[1] ?? "";
  const changed = chosen.filter(([status, tone]) => toneOf(status) !== tone);
  if (changed.length === 0) return;
  const kept = tones.filter(([name]) => !changed.some(([status]) => sameName(name, status)));
  const all = Object.fromEntries([...kept, ...changed.filter(([, tone]) => tone !== "")]);
  mapping.release_status = writeRule({
    ...rule,
    tones: Object.keys(all).length > 0 ? all : undefined,
  });
}

function readChoice(text: string): DateChoice {
  const { data } = CHOICE.safeParse(parseJson(text));
  if (data === undefined) throw new Problem(422, "The field choose of the form is not readable");
  return data;
}

/** What a button adds to the rule of its date. */
function detailsIn({ format, values, none }: DateChoice, before: Rule | null): Rule {
  return {
    ...format && { format },
    ...values && { values: { ...Object(before?.values), ...values } },
    ...none && { none: [...[before?.none ?? []].flat(), none] },
  };
}

/**
 * Makes the named dates of a mapping those of the form. As long as nothing is changed there, what is
 * found by the names of columns is not written. Returns the columns by the names of their dates.
 */
function chooseDates(
  mapping: WrittenMapping,
  controls: readonly Control[],
  choice: DateChoice | null,
): Map<string, string> {
  const uses = controls.filter(({ what }) => what === "use");
  const isOf = (rule: unknown, column: string) =>
    sameName([ruleOf(rule)?.from ?? []].flat()[0], column);
  const before: [string, unknown][] = mapping.dates
    ? Object.entries(mapping.dates as WrittenMapping)
    : uses.filter(({ of: was }) => was === DATES).map(({ column }) => [nameDate(column), column]);
  const columns = uses.filter(({ value: now }) => now === DATES).map(({ column }) => column);
  const chosen = columns.map((column): [string, unknown] => {
    const [name, rule] = before.find(([, rule]) => isOf(rule, column)) ??
      [nameDate(column), column];
    const details = Object.fromEntries(
      controls.filter((control) => control.of === DATES && control.column === column)
        .map(({ what, value }) => [what, value]),
    );
    const { name: typed = name, use: _, ...more } = details;
    const read = Object.fromEntries(
      Object.entries(more).map(([what, value]) => [what, readDetail(what, value)]),
    );
    const own: Rule = { ...ruleOf(rule), ...read };
    if (choice?.field === DATES && choice.column === column) {
      Object.assign(own, detailsIn(choice, own));
    }
    return [tidyText(typed) || name, writeRule(own)];
  });
  const shown = uses.map(({ column }) => column);
  const kept = before.filter(([, rule]) => !shown.some((column) => isOf(rule, column)));
  const after = [...kept, ...chosen];
  const [twice] = after.filter(([name], place) => after.findIndex(([one]) => one === name) < place);
  if (twice) {
    const control = CONTROL.detail("name", DATES, columns[chosen.indexOf(twice)] ?? "");
    throw new FieldError({ [control]: `Another column is the date “${twice[0]}”` });
  }
  const toRules = (dates: readonly [string, unknown][]) =>
    Object.fromEntries(dates.map(([name, rule]) => [name, writeRule(ruleOf(rule) ?? {})]));
  if (!isDeepStrictEqual(toRules(before), toRules(after))) mapping.dates = toRules(after);
  return new Map(chosen.map(([name], place) => [name, columns[place]!]));
}

/** What a date is called that has the name of its column. */
function nameDate(column: string): string {
  return stageOf(column) ?? [...tidyText(column)].slice(0, MAX_DATES.characters).join("").trim();
}

/** A column by its name alone, if that is all. */
function writeRule(rule: Rule): unknown {
  const given = Object.entries(rule).filter(([, value]) => value !== undefined);
  return given.length === 1 && typeof rule.from === "string"
    ? rule.from
    : Object.fromEntries(given);
}

/**
 * Checks a mapping; `controlOf` says which field of a form has a mistake.
 *
 * @throws {FieldError} that says what is wrong
 */
export function checkMapping(
  mapping: unknown,
  controlOf: (path: readonly PropertyKey[]) => string = () => "fields",
): WrittenMapping {
  const { error } = MAPPING.safeParse(mapping);
  // The database stores no such character.
  if (JSON.stringify(mapping)?.includes("\\u0000")) {
    throw new FieldError({ fields: "This mapping cannot be used: it has the character NUL" });
  }
  if (!error) return mapping as WrittenMapping;
  const mistakes = Map.groupBy(error.issues, ({ path }) => controlOf(path));
  throw new FieldError(Object.fromEntries(
    [...mistakes].map(([name, issues]) => [
      name,
      name === "fields"
        ? `This mapping cannot be used: ${
          issues.map(({ path, message }) => [...path.map(String), message].join(" ")).join("; ")
        }`
        : capitalise(issues[0]!.message),
    ]),
  ));
}

function chooseRows(written: WrittenMapping, form: URLSearchParams): unknown {
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

function sameName(one: unknown, other: string): boolean {
  return typeof one === "string" && foldStatus(one) === foldStatus(other);
}

/**
 * Which rows belong to the roadmap; null: conditions that are more than some values of a column.
 */
export function chosenRows(fields: WrittenMapping): { column: string; values: string } | null {
  const conditions = Object.entries(Object(fields.where) as WrittenMapping);
  const [[column, condition] = ["", []]] = conditions;
  const values = [condition].flat();
  const isSimple = values.every((value) =>
    typeof value === "string" && value.trim() !== "" && !value.includes(",")
  );
  return conditions.length > 1 || !isSimple ? null : { column, values: values.join(", ") };
}

/** Whether a use is a date, which has a format. */
export function isDate(use: string): boolean {
  return ([...DATE_FIELDS, DATES] as string[]).includes(kindOfUse(use));
}

function splitValues(text: string): string[] {
  return text.split(",").map((value) => value.trim()).filter((value) => value !== "");
}
