import type { Connection } from "../../database/database.ts";
import { every, type Sql, sql } from "../../database/sql.ts";
import { isDueWithin } from "../filter/conditions_sql.ts";
import type { ChangesFilter } from "../filter/filter.ts";
import { whereFilter } from "../items_sql.ts";
import { readRules } from "./search_words.ts";

/** A subscription or webhook has no more searches. */
export const MAX_SEARCHES = 10;

/**
 * The condition that an item has every word of one of some saved searches; without searches, any item
 * will do. It takes one statement to read them all.
 */
async function isFoundBy(connection: Connection, searches: readonly string[]): Promise<Sql> {
  if (searches.length === 0) return sql`true`;
  const rules = await readRules(searches, connection);
  const any = searches.map((q, place) =>
    whereFilter({ q, words: rules[place] ?? undefined, include_inactive: true })
  ).reduce((all, one) => sql`${all} or ${one}`);
  return sql`(${any})`;
}

/**
 * The condition that an item passes what narrows changes, but for their kinds, on a day. Where they
 * name a date, the statement is one of a connection by that date.
 */
export async function isChosenBy(
  connection: Connection,
  { kind: _, q = [], due = [], date_name: [date_name] = [], ...lists }: ChangesFilter,
  today: string,
): Promise<Sql> {
  return every([
    whereFilter({ ...lists, date_name, include_inactive: true }),
    await isFoundBy(connection, q),
    isDueWithin(due, today, date_name),
  ]);
}
