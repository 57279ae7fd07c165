import type { Difference } from "../roadmap/item.ts";
import { type Connection, queryOne } from "../database/database.ts";
import { sql } from "../database/sql.ts";

const IMPORT_LOCK = 7_302_015;

/** Waits until no other import applies what it has read, and keeps others waiting. */
export async function lockImports(connection: Connection): Promise<void> {
  await connection.query(sql`select pg_advisory_xact_lock(${IMPORT_LOCK})`);
  // The trigrams of many items are merged into their index at once, by the vacuum at the end.
  await connection.script("set local gin_pending_list_limit = '256MB'");
}

/** Stores items as the run says, each with its new day and its changes. */
export async function storeDifferences(
  connection: Connection,
  runId: number,
  differences: readonly Difference[],
): Promise<void> {
  await connection.query(sql`
    insert into items (
      release_item_id, feature_name, release_date, release_type, release_status, product_id,
      product_name, feature_description, blog_title, blog_url, search_text, last_modified, active
    )
    select
      release_item_id, feature_name, release_date, release_type, release_status, product_id,
      product_name, feature_description, blog_title, blog_url, search_text,
      difference.last_modified, true
    from incoming_items
    join jsonb_to_recordset(${JSON.stringify(differences)}::text::jsonb)
      as difference (release_item_id uuid, last_modified date) using (release_item_id)
    where run_id = ${runId}
    on conflict (release_item_id) do update set
      feature_name = excluded.feature_name,
      release_date = excluded.release_date,
      release_type = excluded.release_type,
      release_status = excluded.release_status,
      product_id = excluded.product_id,
      product_name = excluded.product_name,
      feature_description = excluded.feature_description,
      blog_title = excluded.blog_title,
      blog_url = excluded.blog_url,
      search_text = excluded.search_text,
      last_modified = excluded.last_modified,
      active = true
  `);
  const changes = differences.flatMap(({ release_item_id, last_modified, changes }) =>
    changes.map((change) => ({ ...change, release_item_id, day: last_modified }))
  );
  await connection.query(sql`
    insert into changes (release_item_id, run_id, day, kind, field, old_value, new_value, fields)
    select release_item_id, ${runId}, day, kind, field, old_value, new_value, fields
    from jsonb_to_recordset(${JSON.stringify(changes)}::text::jsonb) as change (
      release_item_id uuid, day date, kind text, field text, old_value text, new_value text,
      fields text[]
    )
  `);
}

/** Marks every active item that the run does not hold as removed on that day, and counts them. */
export async function removeMissing(
  connection: Connection,
  runId: number,
  asOf: string,
): Promise<number> {
  const { removed } = await queryOne<{ removed: number }>(
    connection,
    sql`
      with removed as (
        update items
        set active = false, last_modified = greatest(last_modified, ${asOf}::date)
        where active and not exists (
          select from incoming_items as incoming
          where incoming.run_id = ${runId} and incoming.release_item_id = items.release_item_id
        )
        returning release_item_id, last_modified
      ), noted as (
        insert into changes (release_item_id, run_id, day, kind)
        select release_item_id, ${runId}, last_modified, 'removed' from removed
      )
      select count(*)::int as removed from removed
    `,
  );
  return removed;
}

/** Tells the planner what the tables hold now, and gives back the room of rows that are gone. */
export async function tidyTables(connection: Connection): Promise<void> {
  await connection.script("vacuum (analyze) incoming_items, items, changes");
}
