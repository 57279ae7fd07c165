import { z } from "zod";
import { Problem } from "../../http/responses/problem.ts";
import type { WrittenMapping } from "../../import/mapping/describe_columns.ts";
import { DATE_FIELDS, FIELD_NAMES, type FieldName, MAPPING } from "../../import/mapping/fields.ts";
import type { Preview } from "../../import/preview_snapshot.ts";
import { foldStatus } from "../../roadmap/status_tone.ts";
import { parseJson } from "../../text/values.ts";

type Rule = Record<string, unknown>;

/** Fields that may have the same value for every row. */
export const CONSTANTS = ["product_name", "release_status", "release_type"] as const;

/** What a column is besides a field: not used, or the tags of a group. */
export const NOT_USED = "none";
export const TAGS = "tags";

/** A column, and what it is now: fields, or the name of a group of tags after `tags:`. */
export type ColumnUse = readonly [column: string, ...uses: readonly string[]];

/** What each column of a preview is now, in the order of the file. */
export function listUses(preview: Preview, written: WrittenMapping): ColumnUse[] {
  const groups = Object.entries(Object(written.tags) as WrittenMapping);
  return preview.first_rows.columns.map((column): ColumnUse => [
    column,
    ...preview.columns.filter((read) => read.column === column).flatMap(({ field }) => field ?? []),
    ...groups.filter(([, rule]) => sameName(ruleOf(rule)?.from, column))
      .map(([group]) => `${TAGS}:${group}`),
  ]);
}

/** What the menu of a column shows. */
export function chosenUse([, use = NOT_USED]: ColumnUse): string {
  return use.startsWith(`${TAGS}:`) ? TAGS : use;
}

const USES = z.array(z.tuple([z.string()], z.string())).max(2_000);
const STATUSES = z.array(z.tuple([z.string(), z.string()])).max(2_000);
const CHOICE = z.strictObject({
  field: z.enum(DATE_FIELDS),
  format: z.string().optional(),
  values: z.record(z.string(), z.string()).optional(),
  none: z.string().optional(),
});

/** What one of the buttons beside a date says that it means. */
export type DateChoice = z.output<typeof CHOICE>;

/**
 * The mapping that a form chooses. What is unchanged there stays as it was written, with all that the
 * form has no place for.
 *
 * @throws {Problem} 422 that says what is wrong
 */
export function chooseMapping(written: WrittenMapping, form: URLSearchParams): WrittenMapping {
  const mapping: WrittenMapping = structuredClone(written);
  const uses = readHidden(form, "columns", USES) ?? [];
  chooseColumns(mapping, uses, form.getAll("use"));
  for (const field of FIELD_NAMES) chooseDetails(mapping, field, { form, uses });
  chooseTones(mapping, form);
  const choice = readHidden(form, "choose", CHOICE);
  if (choice) chooseDate(mapping, choice, uses);
  if (form.has("where_column")) {
    const where = chooseRows(written, form);
    if (where === undefined) delete mapping.where;
    else mapping.where = where;
  }
  return checkMapping(mapping);
}

/** JSON in a field of the form; undefined: there is none. @throws {Problem} 422 */
function readHidden<Value>(form: URLSearchParams, name: string, schema: z.ZodType<Value>) {
  const text = form.get(name);
  if (text === null) return undefined;
  const { data } = schema.safeParse(parseJson(text));
  if (data === undefined) throw new Problem(422, `The field ${name} of the form is not readable`);
  return data;
}

function chooseColumns(
  mapping: WrittenMapping,
  uses: readonly ColumnUse[],
  chosen: readonly string[],
): void {
  const changed = uses.flatMap((use, place) => {
    const now = chosen[place] ?? chosenUse(use);
    return now === chosenUse(use) ? [] : [{ column: use[0], was: use[1] ?? NOT_USED, now }];
  });
  for (const { was } of changed) {
    if (was.startsWith(`${TAGS}:`)) setGroup(mapping, was.slice(TAGS.length + 1), undefined);
    else if (was !== NOT_USED) mapping[was] = null;
  }
  for (const { column, now } of changed) {
    if (now === TAGS) setGroup(mapping, column.replaceAll(":", " ").trim() || "Tags", column);
    else if ((FIELD_NAMES as readonly string[]).includes(now)) {
      const { tones, none, split } = ruleOf(mapping[now]) ?? {};
      mapping[now] = writeRule({ from: column, tones, none, split });
    }
  }
}

function setGroup(mapping: WrittenMapping, group: string, rule: unknown): void {
  const { [group]: _, ...others } = Object(mapping.tags) as WrittenMapping;
  const tags = rule === undefined ? others : { ...others, [group]: rule };
  if (Object.keys(tags).length > 0) mapping.tags = tags;
  else delete mapping.tags;
}

/** How a column is read, and what stands in for one. */
function chooseDetails(
  mapping: WrittenMapping,
  field: FieldName,
  { form, uses }: { form: URLSearchParams; uses: readonly ColumnUse[] },
): void {
  const read = (name: string) => form.get(`${name}.${field}`);
  const value = read("value");
  if (value !== null) {
    const before = ruleOf(mapping[field]);
    if (value.trim() !== "") mapping[field] = { value: value.trim() };
    else if (before?.value !== undefined) delete mapping[field];
    return;
  }
  const [format, split, none] = [read("format"), read("split"), read("none")];
  const given = {
    ...format !== null && { format: format.trim() || undefined },
    ...split !== null && { split: split || undefined },
    ...none !== null && { none: splitValues(none).length > 0 ? splitValues(none) : undefined },
  };
  if (Object.keys(given).length === 0) return;
  addTo(mapping, field, given, uses);
}

/** Adds to the rule of a field, which is that of its column where nothing is written yet. */
function addTo(
  mapping: WrittenMapping,
  field: string,
  more: Rule,
  uses: readonly ColumnUse[],
): void {
  const column = uses.find(([, ...fields]) => fields.includes(field))?.[0];
  const rule = ruleOf(mapping[field]);
  const isNothing = Object.values(more).every((value) => value === undefined);
  // What is not used, or is found by its name, stays so.
  if (rule === null && (isNothing || column === undefined || mapping[field] === null)) return;
  mapping[field] = writeRule({ ...rule ?? { from: column }, ...more });
}

function chooseTones(mapping: WrittenMapping, form: URLSearchParams): void {
  const statuses = readHidden(form, "statuses", STATUSES) ?? [];
  const chosen = form.getAll("tone");
  const changed = statuses.flatMap(([status, was], place) => {
    const now = chosen[place] ?? was;
    return now === was ? [] : [{ status, now }];
  });
  if (changed.length === 0) return;
  const rule = ruleOf(mapping.release_status) ??
    ruleOf(parseJson(form.get("status_rule") ?? "null"));
  if (rule === null) return;
  const tones = Object(rule.tones) as Rule;
  const names = changed.map(({ status }) => status);
  const kept = Object.entries(tones).filter(([status]) =>
    !names.some((name) => sameName(name, status))
  );
  const added = changed.flatMap(({ status, now }) => now === "" ? [] : [[status, now] as const]);
  const all = Object.fromEntries([...kept, ...added]);
  mapping.release_status = writeRule({
    ...rule,
    tones: Object.keys(all).length > 0 ? all : undefined,
  });
}

function chooseDate(
  mapping: WrittenMapping,
  { field, format, values, none }: DateChoice,
  uses: readonly ColumnUse[],
): void {
  const before = ruleOf(mapping[field]) ?? {};
  addTo(mapping, field, {
    ...format && { format },
    ...values && { values: { ...Object(before.values), ...values } },
    ...none && { none: [...[before.none ?? []].flat(), none] },
  }, uses);
}

/** A column by its name alone, if that is all. */
function writeRule(rule: Rule): unknown {
  const given = Object.entries(rule).filter(([, value]) => value !== undefined);
  return given.length === 1 && typeof rule.from === "string"
    ? rule.from
    : Object.fromEntries(given);
}

/**
 * Checks a mapping.
 *
 * @throws {Problem} 422 that says what is wrong
 */
export function checkMapping(mapping: unknown): WrittenMapping {
  const { error } = MAPPING.safeParse(mapping);
  // The database stores no such character.
  if (JSON.stringify(mapping)?.includes("\\u0000")) {
    throw new Problem(422, "This mapping cannot be used: it has the character NUL");
  }
  if (!error) return mapping as WrittenMapping;
  const mistakes = error.issues.map(({ path, message }) =>
    [...path.map(String), message].join(" ")
  );
  throw new Problem(422, `This mapping cannot be used: ${mistakes.join("; ")}`);
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

/** Whether a field is a date, which has a format. */
export function isDate(field: string): boolean {
  return (DATE_FIELDS as readonly string[]).includes(field);
}

function splitValues(text: string): string[] {
  return text.split(",").map((value) => value.trim()).filter((value) => value !== "");
}
