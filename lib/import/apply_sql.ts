import { ADVISORY_LOCKS } from "../database/advisory_locks.ts";
import { type Connection, queryOne } from "../database/database.ts";
import { sql } from "../database/sql.ts";

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

/**
 * Marks every active item of the source that is missing from the run as removed on that day, and
 * counts them.
 */
export async function removeMissing(
  connection: Connection,
  runId: number,
  { source, asOf }: { source: string; asOf: string },
): Promise<number> {
  const { removed } = await queryOne<{ removed: number }>(
    connection,
    sql`
      with removed as (
        update items
        set active = false, last_modified = greatest(last_modified, ${asOf}::date)
        where active and source = ${source} and not exists (
          select from incoming_items as incoming
          where incoming.run_id = ${runId} and incoming.release_item_id = items.release_item_id
        )
        returning release_item_id, last_modified
      ), noted as (
        insert into changes (release_item_id, run_id, day, kind)
        select release_item_id, ${runId}, last_modified, 'removed' from removed
        order by release_item_id
      )
      select count(*)::int as removed from removed
    `,
  );
  return removed;
}

/**
 * Dates items by the day on which their source says now that they were created, where it said none
 * before, and counts them.
 */
export async function noteCreated(connection: Connection, runId: number): Promise<number> {
  const { dated } = await queryOne<{ dated: number }>(
    connection,
    sql`
      with dated as (
        update items set created = incoming.created
        from incoming_items as incoming
        where incoming.run_id = ${runId}
          and incoming.release_item_id = items.release_item_id
          and items.created is null and incoming.created is not null
        returning items.release_item_id, items.created
      ), noted as (
        update changes set day = created, by_source = true
        from dated
        where changes.release_item_id = dated.release_item_id and kind = 'added' and day > created
        returning change_id, created
      ), entered as (
        update change_entries set day = created from noted where entry_id = change_id
      )
      select count(*)::int as dated from dated
    `,
  );
  return dated;
}

/** Follows what is known of statuses now where nothing else changed, and counts the items. */
export async function updateTones(connection: Connection, runId: number): Promise<number> {
  const { updated } = await queryOne<{ updated: number }>(
    connection,
    sql`
      with updated as (
        update items set tone = incoming.tone, tone_by = incoming.tone_by
        from incoming_items as incoming
        where incoming.run_id = ${runId}
          and incoming.release_item_id = items.release_item_id
          and (incoming.tone, incoming.tone_by) <> (items.tone, items.tone_by)
        returning 1
      )
      select count(*)::int as updated from updated
    `,
  );
  return updated;
}

/**
 * Merges the trigrams of changed items into their index. Otherwise the next vacuum does so, when
 * requests wait for the embedded database.
 */
export async function mergeTrigrams(connection: Connection): Promise<void> {
  await connection.query(sql`select gin_clean_pending_list('items_by_substring')`);
}

/** The tables that an import with changes writes many rows of. */
const IMPORT_TABLES = ["incoming_items", "changes", "items"] as const;

/**
 * Updates the planner's statistics and reclaims the space of deleted rows; table by table, so
 * no request waits for all of it if there is only one connection.
 */
export async function tidyTables(
  connection: Connection,
  tables: readonly (typeof IMPORT_TABLES)[number][] = IMPORT_TABLES,
): Promise<void> {
  for (const table of tables) await connection.script(`vacuum (analyze) ${table}`);
}
