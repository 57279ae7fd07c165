import { searchText } from "../text/search_text.ts";
import type { MappedItem } from "./mapping/map_table.ts";
import { type Connection, queryOne } from "../database/database.ts";
import { json, sql } from "../database/sql.ts";

/** Stages items of a snapshot until all of it has been read. */
export async function stageItems(
  connection: Connection,
  runId: number,
  items: readonly MappedItem[],
): Promise<void> {
  const rows = items.map((item) => ({ ...item, search_text: searchText(item) }));
  await connection.query(sql`
    insert into incoming_items (
      run_id, release_item_id, feature_name, release_date, release_type, release_status,
      product_id, product_name, feature_description, blog_title, blog_url, last_modified,
      tone, tone_by, search_text, created, product_names, tags
    )
    select ${runId}, release_item_id, feature_name, release_date, release_type, release_status,
      product_id, product_name, feature_description, blog_title, blog_url, last_modified,
      tone, tone_by, search_text, created, product_names, tags
    from jsonb_to_recordset(${json(rows)}) as item (
      release_item_id uuid, feature_name text, release_date date, release_type text,
      release_status text, product_id uuid, product_name text, feature_description text,
      blog_title text, blog_url text, last_modified date, tone text, tone_by text, search_text text,
      created date, product_names text[], tags jsonb
    )
  `);
}

/** What was the first product of a release stays the first, as long as it is one of them. */
export async function keepFirstProducts(connection: Connection, runId: number): Promise<void> {
  await connection.query(sql`
    update incoming_items
    set product_name = items.product_name,
      product_names = array[items.product_name] || array(
        select name
        from unnest(incoming_items.product_names) as name
        where name <> items.product_name
        order by name collate "C"
      )
    from items
    where incoming_items.run_id = ${runId}
      and items.release_item_id = incoming_items.release_item_id
      and items.product_name <> incoming_items.product_name
      and items.product_name = any(incoming_items.product_names)
  `);
}

/** Deletes the staged items of this run, and those left by killed runs. */
export async function dropStaged(connection: Connection, runId: number): Promise<void> {
  await connection.query(sql`
    delete from incoming_items
    using import_runs
    where incoming_items.run_id = import_runs.run_id
      and (import_runs.run_id = ${runId} or import_runs.started_at < now() - interval '1 day')
  `);
}

/** Updates the planner's statistics, so it reads the staged items in small steps. */
export async function analyzeStaged(connection: Connection): Promise<void> {
  await connection.script("analyze incoming_items");
}

/** How a snapshot compares with the stored items. */
export interface Meeting {
  /** The staged items. */
  incoming: number;
  /** The active items of the source. */
  active: number;
  /** Those of them that the snapshot lacks. */
  missing: number;
  /** The staged items that belong to another source. */
  foreign: number;
}

/** Compares a snapshot of a source with the stored items. */
export function countMeeting(
  connection: Connection,
  runId: number,
  source: string,
): Promise<Meeting> {
  return queryOne(
    connection,
    sql`
      select
        (select count(*)::int from incoming_items where run_id = ${runId}) as incoming,
        (count(*) filter (where source = ${source}))::int as active,
        (count(*) filter (where source = ${source} and incoming_items.run_id is null))::int
          as missing,
        (count(*) filter (where source <> ${source} and incoming_items.run_id is not null))::int
          as "foreign"
      from items
      left join incoming_items
        on incoming_items.run_id = ${runId}
        and incoming_items.release_item_id = items.release_item_id
      where items.active
    `,
  );
}

/** A product with five or more items, all of which a snapshot lacks, though it names the product. */
export async function findEmptyProduct(
  connection: Connection,
  runId: number,
  { source, families }: { source: string; families: readonly string[] },
): Promise<{ product_name: string; active: number } | null> {
  const [found] = await connection.query<{ product_name: string; active: number }>(sql`
    select product as product_name, count(*)::int as active
    from items
    cross join unnest(items.product_names) as product
    left join incoming_items
      on incoming_items.run_id = ${runId}
      and incoming_items.release_item_id = items.release_item_id
    where items.active and items.source = ${source}
    group by product
    having count(*) >= 5
      and count(incoming_items.run_id) = 0
      and (
        product in (
          select value from jsonb_array_elements_text(${json(families)})
        )
        or product in (
          select unnest(coalesce(product_names, array[product_name]))
          from incoming_items where run_id = ${runId}
        )
      )
    order by product
    limit 1
  `);
  return found ?? null;
}

/** The first staged item that belongs to another source. */
export async function findForeign(
  connection: Connection,
  runId: number,
  source: string,
): Promise<{ release_item_id: string; feature_name: string; owner: string } | null> {
  const [found] = await connection.query<
    { release_item_id: string; feature_name: string; owner: string }
  >(sql`
    select release_item_id, items.feature_name, items.source as owner
    from items
    join incoming_items using (release_item_id)
    where run_id = ${runId} and active and source <> ${source}
    order by release_item_id
    limit 1
  `);
  return found ?? null;
}
