import type { Connection } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";

/**
 * The names of the sources that have active items, as an array. From each name the index leads on
 * to the next one: a few steps, however many items there are.
 */
const SOURCE_NAMES = sql`
  array(
    with recursive found as (
      (select source from items where active order by source limit 1)
      union all
      select (
        select items.source from items
        where active and items.source > found.source
        order by items.source
        limit 1
      )
      from found
      where found.source is not null
    )
    select source from found where source is not null
  )
`;

/** The source of an item; null where there is no such item, or no more than one source. */
export async function readSourceAmongSeveral(
  connection: Connection,
  id: string,
): Promise<string | null> {
  const [row] = await connection.query<{ source: string }>(sql`
    select source from items
    where release_item_id = ${id}::uuid and cardinality(${SOURCE_NAMES}) > 1
  `);
  return row?.source ?? null;
}
