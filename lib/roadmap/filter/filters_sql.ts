import type { z } from "zod";
import { type Sql, sql } from "../../database/sql.ts";
import {
  day,
  dayOrQuarter,
  flag,
  onlyChoice,
  searchWords,
  tags,
  texts,
  wholeNumber,
} from "../../http/requests/parameters.ts";
import { daysBefore } from "../../text/dates.ts";
import { hasProduct, hasTags, isDue, isOneOf, likePattern } from "./conditions_sql.ts";
import { DUE_PERIODS, type DueDays, dueDays, type FilterName } from "./filter_values.ts";

/** What a parameter of the filter takes, and what it demands of a release. */
interface FilterMeaning<Schema extends z.ZodType = z.ZodType, Value = unknown> {
  readonly schema: Schema;
  /** Within a statement over `items`. */
  readonly condition: (value: Value) => Sql;
  /** What it comes to on a day, `YYYY-MM-DD`; absent: the same on every day. */
  readonly resolve?: (
    value: NonNullable<z.output<Schema>>,
    today: string,
  ) => Value;
}

function one<Schema extends z.ZodType, Value = NonNullable<z.output<Schema>>>(
  about: string,
  schema: Schema,
  condition: (value: Value) => Sql,
  resolve?: (value: NonNullable<z.output<Schema>>, today: string) => Value,
): FilterMeaning<Schema, Value> {
  return { schema: schema.describe(about), condition, resolve };
}

/** What stands behind the description of a list for those who write addresses. */
export const REPEAT = "; repeat to match any of several";

/** A list of values, and where the values of a release come from, as `value`. */
function list<Schema extends z.ZodType>(
  about: string,
  schema: Schema,
  condition: (values: NonNullable<z.output<Schema>>) => Sql,
  values: Sql,
) {
  return { schema: schema.describe(about + REPEAT), condition, values };
}

const NO_CONDITION = sql`true`;

/** What each parameter means; how it is given stands in `filter_values.ts`, how it is said in `filter_words.ts`. */
export const FILTER_MEANINGS = {
  product_name: list(
    "Exact, case-sensitive product name",
    texts(),
    hasProduct,
    sql`unnest(product_names) as value`,
  ),
  release_type: list(
    "Exact release type",
    texts(),
    (types) => isOneOf(sql`release_type`, types),
    sql`(select release_type as value) as one`,
  ),
  release_status: list(
    "Exact release status",
    texts(),
    (statuses) => isOneOf(sql`release_status`, statuses),
    sql`(select release_status as value) as one`,
  ),
  tag: list(
    "A tag as `Group:Value`; over several groups, one of each",
    tags(),
    hasTags,
    sql`
      jsonb_each(tags) as grouped (group_name, members),
      lateral (
        select group_name || ':' || member as value
        from jsonb_array_elements_text(members) as member
      ) as one
    `,
  ),
  source: list(
    "Name of the source",
    texts(),
    (names) => isOneOf(sql`items.source`, names),
    sql`(select items.source as value) as one`,
  ),
  modified_within_days: one(
    "Only releases modified within this number of days",
    wholeNumber({ min: 1, max: 30 }).optional(),
    isModifiedSince,
    (days, today) => daysBefore(today, days),
  ),
  modified_since: one(
    "Only releases modified on or after this day (`YYYY-MM-DD`)",
    day(),
    isModifiedSince,
  ),
  date_name: one(
    "Name of the date, in any case, that is asked by instead of the release date: it stands for it " +
      "in `release_date`, filters, order and quarters; nothing is found where no release has it",
    searchWords(),
    // Of the releases without it none is left out: they have no date.
    (name) =>
      sql`exists (
        select from item_rows as named, jsonb_object_keys(named.dates) as name
        where named.dates <> '{}' and lower(name) = lower(${name}::text)
      )`,
  ),
  release_date_from: one(
    "Only releases planned for this day (`YYYY-MM-DD`) or quarter (such as `Q3 2026`), or later",
    dayOrQuarter("first"),
    (day) => sql`release_date >= ${day}::date`,
  ),
  release_date_to: one(
    "Only releases planned for this day (`YYYY-MM-DD`) or quarter (such as `Q3 2026`), or earlier",
    dayOrQuarter("last"),
    (day) => sql`release_date <= ${day}::date`,
  ),
  due: one(
    "Only releases that are neither shipped nor stopped, and `overdue`, or planned for today or " +
      "for one of the next 7, 30 or 90 days",
    onlyChoice(DUE_PERIODS),
    (days: DueDays) => isDue(days),
    dueDays,
  ),
  q: one(
    "Case-insensitive text in name, description or product; a query in natural language where " +
      "the site has semantic search",
    searchWords(),
    (q) => sql`search_text like ${likePattern(q)}`,
  ),
  match: one(
    "`words`: `q` is searched by its words, in any form and order; absent: as a text",
    onlyChoice(["words"]),
    () => NO_CONDITION,
  ),
  include_inactive: one(
    "`true` or `1`: include removed releases",
    flag().default(false),
    (included) => included ? NO_CONDITION : sql`active`,
  ),
} as const satisfies Readonly<Record<FilterName, unknown>>;

function isModifiedSince(day: string): Sql {
  return sql`last_modified >= ${day}::date`;
}
