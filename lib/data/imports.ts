import { searchText } from "../format/fold.ts";
import type { Difference, IncomingItem, Item } from "../format/item.ts";
import { type Connection, queryOne } from "./database.ts";
import { sql } from "./sql.ts";

const IMPORT_LOCK = 7_302_015;

/** The channel on which every process hears of a new data version. */
export const DATA_VERSION_CHANNEL = "roadcast_data_version";

/** How many items an import added, changed, removed, restored and found unchanged. */
export interface ImportCounts {
  added: number;
  changed: number;
  removed: number;
  restored: number;
  unchanged: number;
}

/** Notes that an import has begun, and returns its number. */
export async function startRun(
  connection: Connection,
  run: { source: string; asOf: string; partial: boolean },
): Promise<number> {
  const { run_id } = await queryOne<{ run_id: number }>(
    connection,
    sql`
      insert into import_runs (source, as_of, partial)
      values (${run.source}, ${run.asOf}::date, ${run.partial})
      returning run_id
    `,
  );
  return run_id;
}

/** Notes how an import ended well. */
export async function finishRun(
  connection: Connection,
  runId: number,
  counts: ImportCounts,
): Promise<void> {
  await connection.query(sql`
    update import_runs
    set finished_at = now(), added = ${counts.added}, changed = ${counts.changed},
      removed = ${counts.removed}, restored = ${counts.restored}, unchanged = ${counts.unchanged}
    where run_id = ${runId}
  `);
}

/** Notes why an import failed. */
export async function failRun(
  connection: Connection,
  runId: number,
  error: string,
): Promise<void> {
  await connection.query(sql`
    update import_runs set finished_at = now(), error = ${error} where run_id = ${runId}
  `);
}

/** Puts items of a snapshot aside until the whole of it has been read. */
export async function stageItems(
  connection: Connection,
  runId: number,
  items: readonly IncomingItem[],
): Promise<void> {
  const rows = items.map((item) => ({ ...item, search_text: searchText(item) }));
  await connection.query(sql`
    insert into incoming_items (
      run_id, release_item_id, feature_name, release_date, release_type, release_status,
      product_id, product_name, feature_description, blog_title, blog_url, last_modified,
      search_text
    )
    select ${runId}, release_item_id, feature_name, release_date, release_type, release_status,
      product_id, product_name, feature_description, blog_title, blog_url, last_modified,
      search_text
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as item (
      release_item_id uuid, feature_name text, release_date date, release_type text,
      release_status text, product_id uuid, product_name text, feature_description text,
      blog_title text, blog_url text, last_modified date, search_text text
    )
  `);
}

/** Forgets what this run has put aside, and what runs that were killed have left. */
export async function dropStaged(connection: Connection, runId: number): Promise<void> {
  await connection.query(sql`
    delete from incoming_items
    using import_runs
    where incoming_items.run_id = import_runs.run_id
      and (import_runs.run_id = ${runId} or import_runs.started_at < now() - interval '1 day')
  `);
}

/** Tells the planner how much has been put aside, so that it walks it in small steps. */
export async function analyzeStaged(connection: Connection): Promise<void> {
  await connection.script("analyze incoming_items");
}

/** Waits until no other import applies what it has read, and keeps others waiting. */
export async function lockImports(connection: Connection): Promise<void> {
  await connection.query(sql`select pg_advisory_xact_lock(${IMPORT_LOCK})`);
  // The trigrams of many items are merged into their index at once, by the vacuum at the end.
  await connection.script("set local gin_pending_list_limit = '256MB'");
}

/** Removes the sample roadmap wholly, if that is what the database holds. */
export async function clearSample(connection: Connection): Promise<boolean> {
  const cleared = await connection.query(sql`
    update service_state set holds_sample = false where holds_sample returning 1
  `);
  if (cleared.length === 0) return false;
  await connection.query(sql`delete from items`);
  return true;
}

/** Marks what the database holds as the sample. */
export async function markSample(connection: Connection): Promise<void> {
  await connection.query(sql`update service_state set holds_sample = true`);
}

/** Counts the items put aside, the active ones, and those of them which the snapshot misses. */
export function countForRemoval(
  connection: Connection,
  runId: number,
): Promise<{ incoming: number; active: number; missing: number }> {
  return queryOne(
    connection,
    sql`
      select
        (select count(*)::int from incoming_items where run_id = ${runId}) as incoming,
        count(*)::int as active,
        (count(*) filter (where incoming_items.run_id is null))::int as missing
      from items
      left join incoming_items
        on incoming_items.run_id = ${runId}
        and incoming_items.release_item_id = items.release_item_id
      where items.active
    `,
  );
}

/** The next items of a run, in the order of their ids, that differ from what is stored. */
export function readDifferingItems(
  connection: Connection,
  runId: number,
  page: { after: string | null; limit: number },
): Promise<{ incoming: IncomingItem; stored: Item | null }[]> {
  return connection.query(sql`
    select
      to_jsonb(incoming) - 'search_text' as incoming,
      to_jsonb(items) - 'search_text' as stored
    from incoming_items as incoming
    left join items on items.release_item_id = incoming.release_item_id
    where incoming.run_id = ${runId}
      and (${page.after}::uuid is null or incoming.release_item_id > ${page.after}::uuid)
      and (
        items.release_item_id is null
        or not items.active
        or incoming.last_modified > items.last_modified
        or (
          incoming.feature_name, incoming.release_date, incoming.release_type,
          incoming.release_status, incoming.product_id, incoming.product_name,
          incoming.feature_description, incoming.blog_title, incoming.blog_url
        ) is distinct from (
          items.feature_name, items.release_date, items.release_type,
          items.release_status, items.product_id, items.product_name,
          items.feature_description, items.blog_title, items.blog_url
        )
      )
    order by incoming.release_item_id
    limit ${page.limit}
  `);
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

/** Raises the data version and tells every process of it when the transaction is committed. */
export async function raiseDataVersion(connection: Connection): Promise<void> {
  await connection.query(sql`
    with raised as (
      update service_state set data_version = data_version + 1 returning data_version
    )
    select pg_notify(${DATA_VERSION_CHANNEL}, data_version::text) from raised
  `);
}

/** Tells the planner what the tables hold now, and gives back the room of rows that are gone. */
export async function tidyTables(connection: Connection): Promise<void> {
  await connection.script("vacuum (analyze) incoming_items, items, changes");
}

/** Tells whether nothing was ever imported. */
export async function isDatabaseEmpty(connection: Connection): Promise<boolean> {
  const { empty } = await queryOne<{ empty: boolean }>(
    connection,
    sql`select not exists (select from items) as empty`,
  );
  return empty;
}

/** Notes that the source said that nothing has changed, and counts what it leaves as it is. */
export async function confirmRun(connection: Connection, runId: number): Promise<ImportCounts> {
  const { unchanged } = await queryOne<{ unchanged: number }>(
    connection,
    sql`select count(*)::int as unchanged from items where active`,
  );
  const counts = { added: 0, changed: 0, removed: 0, restored: 0, unchanged };
  await finishRun(connection, runId, counts);
  return counts;
}

/** How many items there are, removed ones included. */
export async function countItems(connection: Connection): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    connection,
    sql`select count(*)::int as count from items`,
  );
  return count;
}
