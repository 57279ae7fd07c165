import { type Connection, queryOne } from "../database/database.ts";
import { sql } from "../database/sql.ts";

const IMPORT_LOCK = 7_302_015;

/** Waits until no other import applies what it has read, and keeps others waiting. */
export async function lockImports(connection: Connection): Promise<void> {
  await connection.query(sql`select pg_advisory_xact_lock(${IMPORT_LOCK})`);
  // The trigrams of many items are merged into their index at once, by the vacuum at the end.
  await connection.script("set local gin_pending_list_limit = '256MB'");
}

/**
 * Marks every active item of the source that the run does not hold as removed on that day, and
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
 * Tells the planner what the tables hold now, and gives back the room of rows that are gone; table
 * by table, so that nobody waits for all of it where there is one connection only.
 */
export async function tidyTables(connection: Connection): Promise<void> {
  for (const table of ["incoming_items", "changes", "items"]) {
    await connection.script(`vacuum (analyze) ${table}`);
  }
}
