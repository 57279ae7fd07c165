import { ADVISORY_LOCKS } from "../database/advisory_locks.ts";
import { type Connection, queryOne } from "../database/database.ts";
import { json, sql } from "../database/sql.ts";
import { PREPARED } from "./prepared_sql.ts";
import type { LosableField } from "./read_items.ts";

/** Waits until no other import is being applied, and makes others wait. */
export async function lockImports(connection: Connection): Promise<void> {
  await connection.query(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.import})`);
}

/** Whether a source has ever had an item. */
export async function hasItems(connection: Connection, source: string): Promise<boolean> {
  const found = await connection.query(sql`select from items where source = ${source} limit 1`);
  return found.length > 0;
}

const TEXTS_AT_ONCE = 500;

/**
 * Deletes the texts that no item has or had, updates the planner's statistics and reclaims the space
 * of deleted rows; bit by bit, so no request waits for all of it if there is only one connection.
 */
export async function tidyTables(connection: Connection): Promise<void> {
  for (let deleted = TEXTS_AT_ONCE; deleted === TEXTS_AT_ONCE;) {
    deleted = await deleteTexts(connection);
  }
  for (const table of ["changes", "change_entries", "item_rows", "item_versions", "item_texts"]) {
    await connection.script(`vacuum ${table}`);
    await connection.script(`analyze ${table}`);
  }
  for (const table of PREPARED) await connection.script(`vacuum ${table}`);
}

/** Deletes some texts that no item has, had or will have. */
async function deleteTexts(connection: Connection): Promise<number> {
  const deleted = await connection.query(sql`
    delete from item_texts
    where text_id in (
      select text_id from item_texts
      where not exists (select from item_rows where item_rows.text_id = item_texts.text_id)
        and not exists (select from item_versions where item_versions.text_id = item_texts.text_id)
        and not exists (select from prepared_items where prepared_items.text_id = item_texts.text_id)
      limit ${TEXTS_AT_ONCE}
    )
    returning 1
  `);
  return deleted.length;
}

/** An active item of a source. */
export interface StoredItem {
  id: string;
  product_name: string;
  product_names: string[];
}

const ITEMS_AT_ONCE = 2_000;

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

/** How many active items have each of the fields that may vanish with a column of their source. */
export function countFilled(
  connection: Connection,
  source: string,
): Promise<Record<LosableField, number>> {
  return queryOne(
    connection,
    sql`
      select count(release_date)::int as release_date,
        count(nullif(feature_description, ''))::int as feature_description,
        count(blog_url) filter (
          -- The source never had what a post gave.
          where blog_url not in (select url from announcement_posts where source = ${source})
        )::int as blog_url, count(nullif(tags, '{}'))::int as tags
      from items
      where active and source = ${source}
    `,
  );
}

/** How many active items of a source, of these ids or of all, have each of their named dates. */
export async function countDates(
  connection: Connection,
  source: string,
  ids?: readonly string[],
): Promise<{ name: string; count: number }[]> {
  return await connection.query(sql`
    select name, count(*)::int as count
    from items cross join jsonb_object_keys(dates) as name
    where active and dates <> '{}' and source = ${source} and ${
    ids === undefined
      ? sql`true`
      : sql`release_item_id in (select value::uuid from jsonb_array_elements_text(${json(ids)}))`
  }
    group by 1
    order by 1
  `);
}

/** Whether an earlier import of a source read named dates, if it had any. */
export async function wasReadForDates(connection: Connection, source: string): Promise<boolean> {
  const runs = await connection.query(sql`
    select from import_runs where source_name = ${source} and reads_dates and is_good limit 1
  `);
  return runs.length > 0;
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
    where source_name = ${source} and run_id > ${runId} and is_good
    limit 1
  `);
  return later.length > 0;
}

/**
 * Deletes the sample roadmap with its imports, if that is what the database contains: its past is
 * not that of another roadmap. This is not a change, so clients that follow the changes must start
 * over, as with a new database.
 */
export async function clearSample(connection: Connection): Promise<boolean> {
  const cleared = await connection.query(sql`
    update service_state set holds_sample = false, database_id = gen_random_uuid()
    where holds_sample
    returning 1
  `);
  if (cleared.length === 0) return false;
  await connection.query(sql`delete from item_rows`);
  await connection.query(sql`delete from import_runs where run_kind = 'sample'`);
  return true;
}

/** Marks the content of the database as the sample. */
export async function markSample(connection: Connection): Promise<void> {
  await connection.query(sql`update service_state set holds_sample = true`);
}

/** Stores the language of the texts of a source; null: it says none. Returns whether that is new. */
export async function storeLanguage(
  connection: Connection,
  source: string,
  language: string | null,
): Promise<boolean> {
  const changed = await connection.query(
    language === null
      ? sql`delete from source_languages where source = ${source} returning source`
      : sql`
        insert into source_languages (source, language) values (${source}, ${language})
        on conflict (source) do update set language = excluded.language
        where source_languages.language <> excluded.language
        returning source
      `,
  );
  return changed.length > 0;
}
