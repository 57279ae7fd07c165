import { every, json, type Sql, sql } from "../../database/sql.ts";
import { type DueDays, dueDays, type DuePeriod, groupTags } from "./filter_values.ts";
import { fold } from "../../text/match_words.ts";

/** The condition that a column holds one of some values; absent: any value will do. */
export function isOneOf(column: Sql, values: readonly string[] | undefined): Sql {
  if (values === undefined) return sql`true`;
  const [first, ...others] = values;
  return others.length === 0
    ? sql`${column} = ${first}`
    : sql`${column} = any(${[...values]}::text[])`;
}

/** The condition that an item has one of some ids; absent: any. */
export function isOneOfIds(ids: readonly string[] | undefined): Sql {
  return ids ? sql`release_item_id = any(${[...ids]}::uuid[])` : sql`true`;
}

/** The condition that an item has one of some products; none: any will do. */
export function hasProduct(names: readonly string[]): Sql {
  return names.length === 0 ? sql`true` : sql`product_names && ${[...names]}::text[]`;
}

/** The condition that an item has one of the tags of each group, such as `Platform:Web`. */
export function hasTags(tags: readonly string[]): Sql {
  return every(
    [...groupTags(tags)].map(([group, values]) => {
      // What an index of jsonb_path_ops finds.
      const each = values.map((value) => sql`tags @> ${json({ [group]: [value] })}`);
      return sql`(${each.reduce((all, one) => sql`${all} or ${one}`)})`;
    }),
  );
}

/**
 * The pattern of LIKE that finds a text as it stands, in any case: `%`, `_` and `\` are themselves.
 *
 * ```ts
 * if (likePattern("50 %") !== "%50 \\%%") throw new Error(likePattern("50 %"));
 * ```
 */
export function likePattern(text: string): string {
  return `%${fold(text).replace(/[\\%_]/g, "\\$&")}%`;
}

/** Neither shipped nor stopped. */
export const IS_OPEN = sql`tone in ('planned', 'in_progress')`;

/** What its status says is known: of any other, nobody can say whether it is late. */
export const HAS_KNOWN_STATUS = sql`tone_by <> 'unknown'`;

/** Planned for one of these days, and neither shipped nor stopped; what was due before is overdue. */
export function isDue({ from, to }: DueDays): Sql {
  return every([
    IS_OPEN,
    from === undefined ? HAS_KNOWN_STATUS : sql`true`,
    from === undefined ? sql`true` : sql`release_date >= ${from}::date`,
    sql`release_date <= ${to}::date`,
  ]);
}

/** What is overdue is asked of the release date, whatever named date stands for it. */
export function isDueBy(days: DueDays, dateName: string | undefined): Sql {
  if (dateName === undefined || days.from !== undefined) return isDue(days);
  return sql`release_item_id in (select release_item_id from item_rows where ${isDue(days)})`;
}

/** Due in one of some periods, counted from a day, `YYYY-MM-DD`; without periods, any will do. */
export function isDueWithin(
  periods: readonly DuePeriod[],
  today: string,
  dateName?: string,
): Sql {
  if (periods.length === 0) return sql`true`;
  const any = periods.map((period) => isDueBy(dueDays(period, today), dateName))
    .reduce((all, one) => sql`${all} or ${one}`);
  return sql`(${any})`;
}
