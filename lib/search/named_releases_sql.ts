import type { Connection } from "../database/database.ts";
import { queryOne } from "../database/database.ts";
import { sql } from "../database/sql.ts";
import { SOURCE_NAMES } from "../roadmap/filter/filter_options_sql.ts";
import type { ItemFilter } from "../roadmap/filter/filter.ts";
import { idsIn, itemIdsOf } from "../roadmap/item_id.ts";
import { whereFilter } from "../roadmap/items_sql.ts";
import { FIELD_BOUNDARY, fold } from "../text/match_words.ts";

/** The ids of the items that a question means by an id, a number, a key or an address. */
export async function findById(
  connection: Connection,
  q: string,
  { include_inactive }: Pick<ItemFilter, "include_inactive">,
): Promise<string[]> {
  const asked = idsIn(q);
  if (asked.length === 0) return [];
  const { names } = await queryOne<{ names: string[] }>(
    connection,
    sql`select ${SOURCE_NAMES} as names`,
  );
  const rows = await connection.query<{ release_item_id: string }>(sql`
    select release_item_id from items
    where ${whereFilter({ include_inactive })}
      and (release_item_id = any(${itemIdsOf(asked, names)}::uuid[]) or blog_url = ${q.trim()})
    order by release_item_id
  `);
  return rows.map(({ release_item_id }) => release_item_id);
}

/** Whether an item on the roadmap has exactly this name, in any case. */
export async function isNameOf(connection: Connection, q: string): Promise<boolean> {
  const { found } = await queryOne<{ found: boolean }>(
    connection,
    sql`
      select exists (
        select from items
        where active and starts_with(search_text, ${fold(q.trim()) + FIELD_BOUNDARY})
      ) as found
    `,
  );
  return found;
}
