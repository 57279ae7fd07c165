import { Problem } from "../../http/problem.ts";
import { FIELD_NAMES, type FieldName, FIELDS } from "../../import/mapping/fields.ts";
import type { Preview } from "../../import/preview_snapshot.ts";

/** A mapping as a person writes it, which `--fields` takes. */
export type Mapping = Record<string, unknown>;
type Rule = Record<string, unknown>;

/** What a column means that is read as tags. */
export const TAGS = "tags";
/** Fields that may have the same value for every item. */
const CONSTANTS = ["product_name", "release_type", "release_status"] as const;

/** A column as the form has it. */
interface Choice {
  column: string;
  /** A field, `tags`, or empty: it is not read. */
  means: string;
  /** What it meant before. */
  before: string;
  split: string;
  format: string;
}

/**
 * The mapping that a form chooses. What the form has no place for stays as it was.
 *
 * @throws {Problem} 422 that says what is wrong
 */
export function chooseMapping(written: Mapping, form: URLSearchParams): Mapping {
  const choices = readChoices(form);
  const mapping: Mapping = { ...written };
  for (const field of FIELD_NAMES) {
    const rule = chooseRule(field, { written, choices, form });
    if (rule === undefined) delete mapping[field];
    else mapping[field] = rule;
  }
  const tags = chooseTags(written, choices);
  if (Object.keys(tags).length > 0) mapping.tags = tags;
  else delete mapping.tags;
  if (form.has("where_column")) {
    const column = form.get("where_column")!;
    const values = splitValues(form.get("where_values") ?? "");
    delete mapping.where;
    if (column !== "" && values.length > 0) mapping.where = { [column]: values };
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

function readChoices(form: URLSearchParams): Choice[] {
  return form.getAll("column").map((column, place) => {
    const read = (name: string) => form.get(`${name}.${place}`) ?? "";
    return {
      column,
      means: read("means"),
      before: read("before"),
      split: read("split"),
      format: read("format").trim(),
    };
  });
}

/** The rule of a field; undefined: it is recognised by its name. */
function chooseRule(
  field: FieldName,
  { written, choices, form }: { written: Mapping; choices: Choice[]; form: URLSearchParams },
): unknown {
  const [choice, ...others] = choices.filter(({ means }) => means === field);
  const before = ruleOf(written[field]);
  if (others.length > 0) {
    const columns = [choice!, ...others].map(({ column }) => `"${column}"`).join(" and ");
    throw new Problem(422, `${columns} cannot both be ${field}: choose one of them`);
  }
  if (choice) {
    const { value: _, from, format: _format, split: _split, ...more } = before ?? {};
    const rule: Rule = {
      from: choice.column,
      ...from === choice.column && more,
      ...isDate(field) && choice.format !== "" && { format: choice.format },
      ...field === "feature_description" && before?.format !== undefined &&
        { format: before.format },
      ...field === "product_name" && choice.split !== "" && { split: choice.split },
    };
    return Object.keys(rule).length === 1 ? choice.column : rule;
  }
  const value = form.get(`value.${field}`)?.trim();
  if (value) return { value };
  if (before?.labels !== undefined && before.from === undefined) return written[field];
  // Otherwise it would be recognised by its name again.
  const wasRead = choices.some(({ before }) => before === field);
  return wasRead || written[field] === null ? null : undefined;
}

function chooseTags(written: Mapping, choices: Choice[]): Rule {
  const before = Object.entries(Object(written.tags) as Rule);
  const ofLabels = before.filter(([, rule]) => ruleOf(rule)?.from === undefined);
  const ofColumns = choices.filter(({ means }) => means === TAGS).map(({ column, split }) => {
    const [group] = before.find(([, rule]) => ruleOf(rule)?.from === column) ?? [];
    const name = group ?? (column.replaceAll(":", " ").trim() || "Tags");
    return [name, split === "" ? column : { from: column, split }] as const;
  });
  return Object.fromEntries([...ofLabels, ...ofColumns]);
}

/** A rule as an object; null: there is none. */
export function ruleOf(written: unknown): Rule | null {
  if (typeof written === "string") return { from: written };
  return typeof written === "object" ? written as Rule | null : null;
}

/** What a column means now: a field, tags, or nothing. */
export function meaningOf(
  column: string,
  { fields, preview }: { fields: Mapping; preview: Preview },
): string {
  const understood = preview.columns.find((known) => known.column === column)?.field;
  if (understood) return understood;
  const field = FIELD_NAMES.find((field) => ruleOf(fields[field])?.from === column);
  return field ?? (tagRuleOf(column, fields) ? TAGS : "");
}

/** How a column is read that has this meaning. */
export function detailsOf(column: string, means: string, fields: Mapping): Rule | null {
  return means === TAGS ? tagRuleOf(column, fields) : ruleOf(fields[means]);
}

function tagRuleOf(column: string, fields: Mapping): Rule | null {
  const rules = Object.values(Object(fields.tags) as Mapping).map(ruleOf);
  return rules.find((rule) => rule?.from === column) ?? null;
}

/** The fields that no column has, and that may have the same value for every item. */
export function missingConstants({ columns }: Preview): FieldName[] {
  return CONSTANTS.filter((field) =>
    !columns.some((known) => known.field === field && known.column !== null)
  );
}

/** Which rows belong to the roadmap; null: conditions that are not as simple as a column's values. */
export function chosenRows(fields: Mapping): { column: string; values: string } | null {
  const conditions = Object.entries(Object(fields.where) as Mapping);
  const [[column, condition] = ["", []]] = conditions;
  const values = [condition].flat();
  if (conditions.length > 1 || values.some((value) => typeof value !== "string")) return null;
  return { column, values: values.join(", ") };
}

/** Whether a field has several values in a column, with a separator between them. */
export function isSplit(field: string): boolean {
  return field === TAGS || field === "product_name";
}

/** Whether a field is a date, which has a format. */
export function isDate(field: string): boolean {
  return ["release_date", "last_modified", "created"].includes(field);
}

function splitValues(text: string): string[] {
  return text.split(",").map((value) => value.trim()).filter((value) => value !== "");
}
