import { every, type Sql, sql } from "../../database/sql.ts";
import type { DueDays } from "./due.ts";

/** Planned for one of these days, and neither shipped nor stopped. */
export function isDue({ from, to }: DueDays): Sql {
  return every([
    sql`tone in ('planned', 'in_progress')`,
    from === undefined ? sql`true` : sql`release_date >= ${from}::date`,
    sql`release_date <= ${to}::date`,
  ]);
}
