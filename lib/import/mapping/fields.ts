import { z } from "zod";
import { FIELDS as ITEM_FIELDS } from "../../roadmap/item.ts";
import { foldStatus, type StatusTone, type ToneMap } from "../../roadmap/status_tone.ts";
import { PRIVATE_HOSTS } from "./private_links.ts";
import { compileDateFormat } from "./read_date.ts";
import { tidyText } from "./tidy_text.ts";

/** Where the tags of a group come from: a column, or the labels that begin alike. */
export interface TagRule {
  from?: string;
  split?: string;
  /** `area/*`: the value of a label is what stands in place of the star. */
  labels?: string;
}

const TAG_EXAMPLE = '"Column", {"from": "Column", "split": ","} or {"labels": "area/*"}';

const text = (takes: string) => z.string(`must be ${takes}`).trim().min(1, "must not be empty");

const SEPARATOR = z.string("must be text").min(1, "must not be empty");

type SchemaError = z.core.$ZodRawIssue;

/** What is wrong with an object: unknown keys, in a sentence, or that it is none. */
const objectError = (say: (keys: string) => string, example: string) => ({
  error: ({ code, keys }: SchemaError) =>
    code === "unrecognized_keys"
      ? say((keys as string[]).map((key) => JSON.stringify(key)).join(", "))
      : `must be ${example}`,
});

/** What is wrong inside of a union, which alone would only say that none of its shapes fits. */
const unionError = (must: string) => ({
  error: ({ input, errors }: SchemaError) => {
    if (typeof input === "string") return "must not be empty";
    const issue = (errors as z.core.$ZodIssue[][]).flat().find(({ path }) => path.length > 0);
    const path = issue?.path.map((key) => JSON.stringify(String(key))).join(".");
    return issue ? `${path} ${issue.message}` : `must be ${must}`;
  },
});

const TAG_RULE = z.strictObject({
  from: text("the name of a column").optional(),
  split: SEPARATOR.optional(),
  labels: text("text").regex(/^[^*]+\*$/, 'must end with its only star, such as "area/*"')
    .optional(),
}, objectError((keys) => `takes from, split and labels, not ${keys}`, TAG_EXAMPLE));

const TAG_COLUMN_OR_RULE = z.union([
  text("text").transform((from): TagRule => ({ from })),
  TAG_RULE,
], unionError(TAG_EXAMPLE)).superRefine(({ from, split, labels }, context) => {
  if (from === undefined && labels === undefined) context.addIssue('needs "from" or "labels"');
  if (split !== undefined && labels !== undefined) {
    context.addIssue('takes "split" or "labels", not both');
  }
});

/** The groups of tags as a person writes them: `{"Team": "Squad", "Area": {"labels": "area/*"}}`. */
const TAG_RULES: z.ZodType<Readonly<Record<string, TagRule>>> = z.record(
  z.string(),
  TAG_COLUMN_OR_RULE,
  'must be an object such as {"Team": "Squad"}',
).superRefine((rules, context) => {
  for (const group of Object.keys(rules)) {
    const message = group.includes(":")
      ? "must not have a colon, which ends the name of a group in a filter"
      : "must not begin or end with a space, or be empty";
    if (group.includes(":") || group !== group.trim() || group === "") {
      context.addIssue({ code: "custom", path: [group], message });
    }
  }
});

/**
 * The values that a column may have, or with `not`, those that it must not have: `*` is any value,
 * and an empty text is none.
 */
type Condition = string | readonly string[] | { readonly not: string | readonly string[] };

/** Which rows belong to the roadmap: every column must fit. */
export type Where = Readonly<Record<string, Condition>>;

const WHERE_EXAMPLE =
  '"text", ["one", "another"] or {"not": ["text"]}; "*" is anything, "" nothing';
const word = z.string(`must be ${WHERE_EXAMPLE}`).trim();
const someWords = z.union(
  [word, z.array(word).min(1, `must be ${WHERE_EXAMPLE}`)],
  `must be ${WHERE_EXAMPLE}`,
);

/** Conditions as a person writes them: `{"Labels": "public", "Status": {"not": ["Won't do"]}}`. */
const WHERE: z.ZodType<Where> = z.record(
  z.string(),
  z.union([someWords, z.strictObject({ not: someWords })], `must be ${WHERE_EXAMPLE}`),
  "must be an object, from columns to values",
);

/** The fields of an item that a mapping may name (interface specification, 2.1). */
export const FIELD_NAMES = [
  "release_item_id",
  ...ITEM_FIELDS.filter((field) =>
    field !== "product_names" && field !== "tags" && field !== "dates"
  ),
  "last_modified",
  "created",
  "active",
] as const;

export type FieldName = (typeof FIELD_NAMES)[number];

/** Where a field comes from. Of `from`, `value` and `labels`, one at least is there. */
export interface FieldRule {
  /**
   * The name of a column; of nested JSON a path, such as `fields.status.name`. Of several, the first
   * that is filled counts.
   */
  from?: string | readonly string[];
  /** The same text for every item. */
  value?: string;
  /** Values of the column and their replacements; case and surrounding space do not matter. */
  values?: Readonly<Record<string, string>>;
  /** For a column with a list: the first matching label decides. */
  labels?: Readonly<Record<string, string>>;
  /** For an empty column, or a value that `values` or `labels` do not list. */
  default?: string;
  /** Of the status: how far along a release is that has it. */
  tones?: ToneMap;
  /** Of the status: the column with the category that the tool itself gives it. */
  tone?: string;
  /** Of a date: words that mean that there is none. */
  none?: readonly string[];
  /** Of the product name: what stands between several. */
  split?: string;
  /** How dates are written, such as `DD.MM.YYYY`, or `epoch`; how a description is: one of MARKUPS. */
  format?: string;
  /** The column is read where the row fits; elsewhere it counts as empty. */
  where?: Where;
}

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

/**
 * A mapping: the rule of each field; null: it is not read. Others are recognised by their names.
 */
export interface Mapping extends Readonly<Partial<Record<FieldName, FieldRule | null>>> {
  readonly tags?: Readonly<Record<string, TagRule>>;
  /** The rule of each named date; without any, they are recognised by the names of columns. */
  readonly dates?: Readonly<Record<string, FieldRule>>;
  /** Rows that do not fit are left out. */
  readonly where?: Where;
  /** Links to these hosts lose their addresses. */
  readonly private_hosts?: readonly string[];
  /** Hidden rows and columns of a workbook are read, too. */
  readonly hidden?: "keep";
}

/** The columns that a rule names, the most important first. */
export function columnsOf({ from }: Pick<FieldRule, "from">): readonly string[] {
  return from === undefined ? [] : [from].flat();
}

/** What a mapping says of statuses. */
export function tonesOf(fields: Mapping | null | undefined): ToneMap {
  return fields?.release_status?.tones ?? {};
}

/** The columns that a mapping names. */
export function namedColumns(fields: Mapping): string[] {
  const origins = FIELD_NAMES.flatMap((field) => columnsOf(fields[field] ?? {}));
  const tone = fields.release_status?.tone ?? [];
  const tags = Object.values(fields.tags ?? {}).flatMap(({ from }) => from ?? []);
  const dates = Object.values(fields.dates ?? {}).flatMap(columnsOf);
  return [...origins, ...tags, ...dates, ...conditionsIn(fields)].concat(tone);
}

/** The columns of all conditions. */
export function conditionsIn(fields: Mapping): string[] {
  const all = [fields.where, ...FIELD_NAMES.map((field) => fields[field]?.where)];
  return all.flatMap((where) => Object.keys(where ?? {}));
}

export const DATE_FIELDS = ["release_date", "last_modified", "created"] as const;
const DATES: readonly FieldName[] = DATE_FIELDS;
const MARKUPS = ["jira", "adf", "html", "markdown"];
const EXAMPLE = '"Column", {"value": "text"} or {"from": "Column"}';

const words = z.record(z.string(), text("text"), 'must be an object such as {"open": "Planned"}');

const TONE_NAMES = ["planned", "in progress", "shipped", "stopped"] as const;
const TONES = z.record(
  z.string(),
  z.enum(TONE_NAMES, `must be one of ${TONE_NAMES.join(", ")}`)
    .transform((name) => name.replace(" ", "_") as StatusTone),
  'must be an object such as {"Live in EU": "shipped"}',
).transform((tones): ToneMap =>
  Object.fromEntries(Object.entries(tones).map(([status, tone]) => [foldStatus(status), tone]))
);

const column = text("the name of a column");
const NONE = z.array(text("text"), 'must be a list of words such as ["Later", "TBD"]')
  .min(1, "must name a word");

const RULE_KEYS = {
  from: z.union(
    [column, z.array(column).min(1, "must name a column")],
    unionError("the name of a column, or a list of names"),
  ).optional(),
  value: text("text").optional(),
  values: words.optional(),
  labels: words.optional(),
  default: text("text").optional(),
  format: text("text").optional(),
  none: NONE.optional(),
  tone: column.optional(),
  tones: TONES.optional(),
  split: SEPARATOR.optional(),
  where: WHERE.optional(),
};

const RULE = z.strictObject(
  RULE_KEYS,
  objectError((keys) => `takes ${Object.keys(RULE_KEYS).join(", ")}, not ${keys}`, EXAMPLE),
);

const rule = (field: FieldName) =>
  z.union(
    [text("text").transform((from): FieldRule => ({ from })), RULE, z.null()],
    unionError(EXAMPLE),
  ).superRefine((rule, context) => {
    const reason = rule && mistakeOf(rule, field);
    if (reason) context.addIssue(reason);
    const format = rule?.format === undefined ? null : formatMistakeOf(rule.format, field);
    if (format) context.addIssue({ code: "custom", path: ["format"], message: format });
  });

function mistakeOf(rule: FieldRule, field: FieldName): string | null {
  const { from, value, values, labels, format } = rule;
  if (from === undefined && value === undefined && labels === undefined) {
    return 'needs "from", "value" or "labels"';
  }
  if (value !== undefined && Object.keys(rule).length > 1) {
    return '"value" cannot be combined: it is the same for every item';
  }
  if (values !== undefined && labels !== undefined) return 'takes "values" or "labels", not both';
  if (format !== undefined && ![...DATES, "feature_description"].includes(field)) {
    return `"format" is for ${DATES.join(", ")} and feature_description only`;
  }
  for (const key of ["tone", "tones"] as const) {
    if (rule[key] !== undefined && field !== "release_status") {
      return `"${key}" is for release_status only`;
    }
  }
  if (rule.none !== undefined && !DATES.includes(field)) {
    return `"none" is for ${DATES.join(", ")} only`;
  }
  if (rule.split !== undefined && field !== "product_name") {
    return '"split" is for product_name and tags only';
  }
  if (rule.split !== undefined && (from === undefined || labels !== undefined)) {
    return '"split" needs "from": it divides the text of a column';
  }
  if (field === "release_item_id" && (from === undefined || Object.keys(rule).length > 1)) {
    return "must be a column, because every item has its own id";
  }
  return null;
}

function formatMistakeOf(format: string, field: FieldName): string | null {
  if (field === "feature_description") {
    return MARKUPS.includes(format) ? null : `must be one of ${MARKUPS.join(", ")}`;
  }
  if (!DATES.includes(field) || format === "epoch" || compileDateFormat(format) !== null) {
    return null;
  }
  return 'must be written with YYYY, YY, MMMM, MMM, MM, M, DD and D, such as DD.MM.YYYY, or be "epoch"';
}

/** The most named dates of a release, and characters of a name. */
export const MAX_DATES = { names: 20, characters: 60 };

/** Named dates as a person writes them: `{"Beta": "Beta date", "End of life": {"from": "eol"}}`. */
const DATES_BY_NAME = z.record(
  z.string(),
  rule("release_date"),
  'must be an object such as {"Beta": "Beta date"}',
).superRefine((rules, context) => {
  const known = new Set<string>();
  for (const [name, rule] of Object.entries(rules)) {
    const refuse = (message: string) => context.addIssue({ code: "custom", path: [name], message });
    if (tidyText(name) !== name || name === "") {
      refuse("must not begin or end with a space, or be empty");
    }
    if ([...name].length > MAX_DATES.characters) {
      refuse(`must have at most ${MAX_DATES.characters} characters`);
    }
    if (known.has(name.toLowerCase())) refuse("is the name of two dates");
    known.add(name.toLowerCase());
    if (rule === null || rule.from === undefined) refuse("needs the name of a column");
  }
  if (known.size > MAX_DATES.names) {
    context.addIssue(`must have at most ${MAX_DATES.names} dates`);
  }
}) as z.ZodType<Readonly<Record<string, FieldRule>>>;

/** A mapping as a person writes it: `{"release_item_id": "Key", "product_name": {"value": "Widgets"}}`. */
export const MAPPING: z.ZodType<Mapping> = z.strictObject(
  {
    ...Object.fromEntries(FIELD_NAMES.map((name) => [name, rule(name).optional()])),
    tags: TAG_RULES.optional(),
    dates: DATES_BY_NAME.optional(),
    where: WHERE.optional(),
    private_hosts: PRIVATE_HOSTS.optional(),
    hidden: z.literal("keep", 'must be "keep", or left out').optional(),
  },
  objectError(
    (keys) =>
      `${keys} is not a field; fields are ${
        FIELD_NAMES.join(", ")
      }, tags, dates, where, private_hosts and hidden`,
    "an object, from fields to columns",
  ),
);
