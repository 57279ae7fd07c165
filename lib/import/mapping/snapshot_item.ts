import { z } from "zod";
import type { IncomingItem } from "../../roadmap/item.ts";
import { isCalendarDate } from "../../text/dates.ts";
import { quote } from "../../text/phrases.ts";
import { UUID } from "../../text/values.ts";
import { type FieldName, MAX_DATES } from "./fields.ts";
import { readDate } from "./read_date.ts";
import { tidyText } from "./tidy_text.ts";

/** A longer description is cut. */
export const MAX_DESCRIPTION = 65_536;
/** Longest texts, in characters (UTF-16 code units); the short ones must fit an index row. */
const MAX_FIELD_LENGTH = { label: 500, name: 2_000, url: 4_000, description: MAX_DESCRIPTION };

/** The most products and groups of tags of an item, and tags of a group. */
const MAX_LIST = 100;

/** A lone surrogate is not a character: UTF-8 cannot encode it. */
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** An empty text counts as none. PostgreSQL cannot store NUL. */
const optionalText = (longest: number) =>
  z.string("must be text or null").max(longest, `is longer than ${longest} characters`)
    .refine((text) => !text.includes("\0"), "contains a NUL character")
    .transform((text) => text.replace(LONE_SURROGATES, ""))
    .transform((text) => text.trim() === "" ? null : text)
    .nullish().transform((text) => text ?? null);

const text = (longest: number) =>
  z.string("must be text").max(longest, `is longer than ${longest} characters`)
    .transform((text) => text.replace(LONE_SURROGATES, ""))
    .refine((text) => text.trim() !== "", "must not be empty")
    .refine((text) => !text.includes("\0"), "contains a NUL character");

const uuid = z.string("must be a UUID")
  .regex(UUID, "must be a UUID")
  .transform((text) => text.toLowerCase());

const emptyIsNull = (value: unknown) => value === "" || value === undefined ? null : value;

/** Values once each, sorted, so that their order makes no change; an empty group is left out. */
const TAGS = z.record(
  z.string(),
  z.array(text(MAX_FIELD_LENGTH.label), "must be a list of texts")
    .max(MAX_LIST, `has more than ${MAX_LIST} tags in a group`),
  'must be an object such as {"Platform": ["Web"]}',
).refine(
  (groups) => Object.keys(groups).every((group) => group.trim() !== "" && !group.includes(":")),
  "must have groups with a name that has no colon",
).refine(
  (groups) => Object.keys(groups).length <= MAX_LIST,
  `has more than ${MAX_LIST} groups`,
).nullish().transform((groups) => {
  const given = Object.entries(groups ?? {}).filter(([, values]) => values.length > 0);
  const merged = Map.groupBy(given, ([group]) => group.trim());
  return Object.fromEntries(
    [...merged].map(([group, some]): [string, string[]] => [
      group,
      distinctNames(some.flatMap(([, values]) => values)),
    ]),
  );
});

/** Without the space around them, each once, sorted. */
function distinctNames(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.trim()))].sort();
}

const day = z.string("must be text or null").transform((text, context) => {
  if (isCalendarDate(text) && text >= "1970" && text < "2200") return text;
  const read = readDate(text);
  if ("date" in read) return read.date;
  context.addIssue(read.reason);
  return z.NEVER;
});

/** Days by their names, which are unique whatever their case; what has no day is left out. */
const DATES = z.record(
  z.string(),
  z.preprocess(emptyIsNull, day.nullable()),
  'must be an object such as {"Preview": "2026-09-30"}',
).nullish().transform((dates, context) => {
  const given = Object.entries(dates ?? {}).filter((entry): entry is [string, string] =>
    entry[1] !== null
  ).map(([name, day]) => [tidyText(name).replace(LONE_SURROGATES, ""), day] as const);
  const refuse = (message: string) => context.addIssue({ code: "custom", message });
  const names = new Map<string, string>();
  for (const [name] of given) {
    const [first, characters] = [names.get(name.toLowerCase()), [...name].length];
    if (name === "" || name.includes("\0")) refuse("must have names that are texts");
    if (characters > MAX_DATES.characters) {
      refuse(
        `has the name ${quote(name)}, which is longer than ${MAX_DATES.characters} characters`,
      );
    }
    if (first !== undefined) refuse(`has ${quote(first)} and ${quote(name)}, which are one name`);
    names.set(name.toLowerCase(), name);
  }
  if (given.length > MAX_DATES.names) refuse(`has more than ${MAX_DATES.names} dates`);
  return Object.fromEntries(given);
});

const SnapshotItem = z.object({
  release_item_id: uuid,
  feature_name: text(MAX_FIELD_LENGTH.name),
  release_date: z.preprocess(emptyIsNull, day.nullable()),
  release_type: text(MAX_FIELD_LENGTH.label),
  release_status: text(MAX_FIELD_LENGTH.label),
  product_id: z.preprocess(emptyIsNull, uuid.nullable()),
  product_name: text(MAX_FIELD_LENGTH.label),
  product_names: z.array(text(MAX_FIELD_LENGTH.label), "must be a list of texts")
    .max(MAX_LIST, `has more than ${MAX_LIST} products`).nullish(),
  tags: TAGS,
  dates: DATES,
  feature_description: optionalText(MAX_FIELD_LENGTH.description),
  blog_title: optionalText(MAX_FIELD_LENGTH.name),
  blog_url: optionalText(MAX_FIELD_LENGTH.url),
  last_modified: z.preprocess(
    emptyIsNull,
    z.string("must be text or null").refine(isCalendarDate, {
      error: ({ input }) => `is ${quote(String(input))}, not "YYYY-MM-DD"`,
    }).nullable(),
  ),
  created: day.nullish().transform((day) => day ?? null),
  active: z.boolean("must be true or false").nullish().transform((active) => active ?? true),
});

/** A wrong field (null: the item itself), and the end of a sentence about it. */
interface FieldMistake {
  field: FieldName | null;
  reason: string;
  /** Of a named date: what has it. */
  column?: string;
}

/** Checks an item whose fields are named as in the interface (2.1); unknown fields are ignored. */
export function checkItem(
  value: unknown,
): { item: IncomingItem & { active: boolean } } | { mistakes: FieldMistake[] } {
  const { data, error } = SnapshotItem.safeParse(value);
  if (data !== undefined) {
    const { product_name: first, product_names } = data;
    const others = distinctNames(product_names ?? []).filter((name) => name !== first.trim());
    return { item: { ...data, product_names: [first, ...others] } };
  }
  const mistakes = error.issues.map(({ path: [field, name], message }): FieldMistake => {
    if (field === undefined) return { field: null, reason: "is not an object" };
    if (field !== "dates") return { field: field as FieldName, reason: message };
    return { field: null, reason: message, column: ["dates", name ?? []].flat().join(".") };
  });
  return { mistakes };
}

/** The status of an item, whatever else is wrong with it; null: its status is wrong. */
export function goodStatusOf(item: Record<string, unknown>): string | null {
  return SnapshotItem.shape.release_status.safeParse(item.release_status).data ?? null;
}
