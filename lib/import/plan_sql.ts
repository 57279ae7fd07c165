import { type Connection, queryOne } from "../database/database.ts";
import { json, sql } from "../database/sql.ts";

/** An active item of a source. */
export interface StoredItem {
  id: string;
  product_name: string;
  product_names: string[];
}

/** So many items are read by one statement. */
const ITEMS_AT_ONCE = 5_000;

/** Whether the database has nothing but the sample, which the first import takes away. */
export async function holdsSample(connection: Connection): Promise<boolean> {
  const { holds_sample } = await queryOne<{ holds_sample: boolean }>(
    connection,
    sql`select holds_sample from service_state`,
  );
  return holds_sample;
}

/** The active items of a source, in the order of their ids. */
export async function readStoredItems(
  connection: Connection,
  source: string,
): Promise<StoredItem[]> {
  const stored: StoredItem[] = [];
  while (true) {
    const after = stored.at(-1)?.id ?? null;
    const some = await connection.query<StoredItem>(sql`
      select release_item_id::text as id, product_name, product_names
      from items
      where active and source = ${source}
        and (${after}::uuid is null or release_item_id > ${after}::uuid)
      order by release_item_id
      limit ${ITEMS_AT_ONCE}
    `);
    for (const item of some) stored.push(item);
    if (some.length < ITEMS_AT_ONCE) return stored;
  }
}

/** The names of items. */
export function readNames(
  connection: Connection,
  ids: readonly string[],
): Promise<{ release_item_id: string; feature_name: string }[]> {
  return connection.query(sql`
    select release_item_id::text as release_item_id, feature_name
    from items
    where release_item_id in (select value::uuid from jsonb_array_elements_text(${json(ids)}))
    order by items.release_item_id
  `);
}

/** Whether a later import of a source has stored what it read. */
export async function isOvertaken(
  connection: Connection,
  runId: number,
  source: string,
): Promise<boolean> {
  const later = await connection.query(sql`
    select from import_runs
    where source_name = ${source} and run_id > ${runId}
      and finished_at is not null and error is null
    limit 1
  `);
  return later.length > 0;
}
