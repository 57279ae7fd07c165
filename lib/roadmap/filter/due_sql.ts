import { every, type Sql, sql } from "../../database/sql.ts";
import { type DueDays, dueDays, type DuePeriod } from "./due.ts";

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
