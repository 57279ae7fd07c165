import type { Connection } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import type { DuePeriod } from "../filter/filter_values.ts";
import { isDueWithin } from "../filter/conditions_sql.ts";
import { whereFilter } from "../items_sql.ts";
import { readRules } from "./search_words.ts";

/** A subscription or webhook has no more searches. */
export const MAX_SEARCHES = 10;

/**
 * The condition that an item has every word of one of some saved searches; without searches, any item
 * will do. It takes one statement to read them all.
 */
export async function isFoundBy(connection: Connection, searches: readonly string[]): Promise<Sql> {
  if (searches.length === 0) return sql`true`;
  const rules = await readRules(searches, connection);
  const any = searches.map((q, place) =>
    whereFilter({ q, words: rules[place] ?? undefined, include_inactive: true })
  ).reduce((all, one) => sql`${all} or ${one}`);
  return sql`(${any})`;
}

/** The ids of the items with changes behind one that some searches find, and that are due then. */
export async function findChangedItems(
  connection: Connection,
  { position, searches, due, today }: {
    position: number;
    searches: readonly string[];
    due: readonly DuePeriod[];
    today: string;
  },
): Promise<string[]> {
  const rows = await connection.query<{ release_item_id: string }>(sql`
    select release_item_id
    from items
    where release_item_id in (
        select release_item_id from changes where change_id > ${position}::bigint
      )
      and ${await isFoundBy(connection, searches)}
      and ${isDueWithin(due, today)}
  `);
  return rows.map(({ release_item_id }) => release_item_id);
}
