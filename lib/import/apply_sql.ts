import { ADVISORY_LOCKS } from "../database/advisory_locks.ts";
import { type Connection, queryOne } from "../database/database.ts";
import { json, sql } from "../database/sql.ts";

/** Waits until no other import is being applied, and makes others wait. */
export async function lockImports(connection: Connection): Promise<void> {
  await connection.query(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.import})`);
  // New entries of an index are merged into it by so much: more is no faster, and the index never
  // gives the space back.
  await connection.script("set local gin_pending_list_limit = '32MB'");
}

/** Whether a source has ever had an item. */
export async function hasItems(connection: Connection, source: string): Promise<boolean> {
  const { has_items } = await queryOne<{ has_items: boolean }>(
    connection,
    sql`select exists (select from items where source = ${source}) as has_items`,
  );
  return has_items;
}

/** Marks items as removed on that day. */
export async function removeItems(
  connection: Connection,
  runId: number,
  { ids, asOf }: { ids: readonly string[]; asOf: string },
): Promise<void> {
  await connection.query(sql`
    with removed as (
      update items
      set active = false, last_modified = greatest(last_modified, ${asOf}::date)
      where active and release_item_id in (
        select value::uuid from jsonb_array_elements_text(${json(ids)})
      )
      returning release_item_id, last_modified
    )
    insert into changes (release_item_id, run_id, day, kind)
    select release_item_id, ${runId}, last_modified, 'removed' from removed
    order by release_item_id
  `);
}

/**
 * Merges the trigrams of changed items into their index. Otherwise the next vacuum does so, when
 * requests wait for the embedded database.
 */
export async function mergeTrigrams(connection: Connection): Promise<void> {
  await connection.query(sql`select gin_clean_pending_list('items_by_substring')`);
}

/**
 * Updates the planner's statistics and reclaims the space of deleted rows; table by table, so
 * no request waits for all of it if there is only one connection.
 */
export async function tidyTables(connection: Connection): Promise<void> {
  for (const table of ["changes", "items"]) await connection.script(`vacuum (analyze) ${table}`);
}
