import type { Connection } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import type { DuePeriod } from "../filter/due.ts";
import { isDueWithin } from "../filter/due_sql.ts";
import { whereFilter } from "../items_sql.ts";
import { searchWords } from "./search_words.ts";

/** The condition that one of some searches by words finds an item; without searches, any will do. */
export async function isFoundBy(connection: Connection, searches: readonly string[]): Promise<Sql> {
  const found = await Promise.all(
    searches.map((q) => searchWords({ q, match: "words", include_inactive: true }, connection)),
  );
  if (found.length === 0) return sql`true`;
  const any = found.map(({ filter }) => whereFilter(filter))
    .reduce((all, one) => sql`${all} or ${one}`);
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
