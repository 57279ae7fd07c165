import type { Connection } from "../database/database.ts";
import { json, Sql, sql } from "../database/sql.ts";
import { ITEM_COLUMNS, type ItemRow } from "./item_changes.ts";

/** The columns of an item as a driver reads them: days and ids as text. */
const ITEM = new Sql([
  Object.entries(ITEM_COLUMNS)
    .map(([name, type]) => /^(?:uuid|date)$/.test(type) ? `${name}::text as ${name}` : name)
    .join(", "),
], []);

/** The stored items with these ids, removed ones included. */
export async function readItemRows(
  connection: Connection,
  ids: readonly string[],
): Promise<Map<string, ItemRow>> {
  const rows = await connection.query<ItemRow>(sql`
    select ${ITEM}
    from item_rows
    where release_item_id in (select value::uuid from jsonb_array_elements_text(${json(ids)}))
  `);
  return new Map(rows.map((row) => [row.release_item_id, row]));
}

/** The first of some items that ever belonged to another source than these, and that source. */
export async function findFormerOwner(
  connection: Connection,
  ids: readonly string[],
  sources: readonly string[],
): Promise<{ release_item_id: string; owner: string } | null> {
  const [found] = await connection.query<{ release_item_id: string; owner: string }>(sql`
    select release_item_id::text as release_item_id, source as owner
    from (
      select release_item_id, source from item_rows
      union all
      select release_item_id, source from item_versions
    ) as known
    where release_item_id in (select value::uuid from jsonb_array_elements_text(${json(ids)}))
      and not ${json(sources)} ? source
    order by known.release_item_id, source
    limit 1
  `);
  return found ?? null;
}
