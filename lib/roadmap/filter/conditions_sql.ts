import { every, json, type Sql, sql } from "../../database/sql.ts";
import { groupTags } from "../tag_groups.ts";
import { type DueDays, dueDays, type DuePeriod } from "./filter_values.ts";

/** The condition that a column holds one of some values; absent: any value will do. */
export function isOneOf(column: Sql, values: readonly string[] | undefined): Sql {
  if (values === undefined) return sql`true`;
  const [first, ...others] = values;
  return others.length === 0
    ? sql`${column} = ${first}`
    : sql`${column} = any(${[...values]}::text[])`;
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

/** Planned for one of these days, and neither shipped nor stopped. */
export function isDue({ from, to }: DueDays): Sql {
  return every([
    sql`tone in ('planned', 'in_progress')`,
    from === undefined ? sql`true` : sql`release_date >= ${from}::date`,
    sql`release_date <= ${to}::date`,
  ]);
}

/** Due in one of some periods, counted from a day, `YYYY-MM-DD`; without periods, any will do. */
export function isDueWithin(periods: readonly DuePeriod[], today: string): Sql {
  if (periods.length === 0) return sql`true`;
  const any = periods.map((period) => isDue(dueDays(period, today)))
    .reduce((all, one) => sql`${all} or ${one}`);
  return sql`(${any})`;
}
