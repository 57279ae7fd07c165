import { type Connection, queryOne } from "../database/database.ts";
import { json, Sql, sql } from "../database/sql.ts";
import { entriesOf } from "../roadmap/changes/kinds_sql.ts";
import { newWords } from "../roadmap/words/vocabulary_sql.ts";
import { ITEM_COLUMNS, type ItemChange, type NotedChange } from "./item_changes.ts";

/** The columns of `item_rows` that are written, in the order of a preparation. */
const ITEM_NAMES = [...Object.keys(ITEM_COLUMNS), "text_id"];
const NOTED = [
  ...["release_item_id", "run_id", "day", "kind", "field", "old_value", "new_value", "fields"],
  ...["by_source", "tone_before", "tone_after"],
];
const CHANGE = ["change_id", ...NOTED];
const ENTRY = [
  ...["entry_id", "first_change", "run_id", "release_item_id", "day", "tone_before", "tone_after"],
  ...["kinds_by_quarter", "kinds_by_day"],
];
/** The tables of what is prepared. */
export const PREPARED = ["items", "changes", "entries", "words"].map((what) => `prepared_${what}`);

/** Names of this file as part of a statement. */
function names(columns: readonly string[], table?: string): Sql {
  return new Sql([columns.map((name) => table ? `${table}.${name}` : name).join(", ")], []);
}

/** The columns of a list of rows that a statement is given as JSON. */
function typedColumns(types: Readonly<Record<string, string>>): Sql {
  return new Sql([Object.entries(types).map(([name, type]) => `${name} ${type}`).join(", ")], []);
}

/** Prepares what an import does to some items. No reader sees it. */
export function prepareChanges(
  connection: Connection,
  runId: number,
  changes: readonly ItemChange[],
  { isFresh }: { isFresh: boolean },
): Promise<number> {
  return prepareRows(connection, runId, {
    given: sql`
      given as materialized (
        select * from jsonb_to_recordset(${json(changes.map(({ item }) => item))}) as given (
          ${typedColumns(ITEM_COLUMNS)}, search_text text
        )
      ),
      stored as not materialized (select * from items where not ${isFresh}),
      texts_to_write as materialized (
        select given.*, nextval('item_texts_text_id_seq') as text_id
        from given
        left join stored using (release_item_id)
        where given.search_text is not null
          and (given.search_text, given.tags) is distinct from (stored.search_text, stored.tags)
      ),
      texts as (
        insert into item_texts (text_id, search_text, tags) overriding system value
        select text_id, search_text, tags from texts_to_write order by text_id
        returning words
      ),
      words as (
        insert into prepared_words (run_id, word)
        select ${runId}::int, word from (${newWords(sql`texts`)}) as new_words
      )
    `,
    items: sql`
      select ${names(Object.keys(ITEM_COLUMNS), "given")},
        coalesce(texts_to_write.text_id, stored.text_id)
      from given
      left join stored using (release_item_id)
      left join texts_to_write using (release_item_id)
    `,
    changes: sql`
      select release_item_id, ${runId}::int, day, kind, field, old_value, new_value, fields,
        by_source, tone_before, tone_after
      from jsonb_to_recordset(${json(changes.flatMap(({ notes }) => notes))}) as note (
        ${typedColumns(NOTE_COLUMNS)}
      )
      order by release_item_id, place
    `,
  });
}

const NOTE_COLUMNS = {
  release_item_id: "uuid",
  place: "int",
  day: "date",
  kind: "text",
  field: "text",
  old_value: "text",
  new_value: "text",
  fields: "text[]",
  by_source: "boolean",
  tone_before: "text",
  tone_after: "text",
} as const satisfies Readonly<Record<keyof NotedChange, string>>;

/** So many removals are prepared by one statement. */
const REMOVALS_AT_ONCE = 500;

/** Prepares items that will be removed on that day, and returns how many rows that are. */
export async function prepareRemovals(
  connection: Connection,
  runId: number,
  { ids, asOf }: { ids: readonly string[]; asOf: string },
): Promise<number> {
  let prepared = 0;
  for (let start = 0; start < ids.length; start += REMOVALS_AT_ONCE) {
    const some = ids.slice(start, start + REMOVALS_AT_ONCE);
    prepared += await prepareRows(connection, runId, {
      given: sql`
        removed as materialized (
          select release_item_id, greatest(last_modified, ${asOf}::date) as day
          from item_rows
          where active and release_item_id in (
            select value::uuid from jsonb_array_elements_text(${json(some)})
          )
        )
      `,
      items: sql`
        select ${removedColumns()}
        from removed
        join item_rows using (release_item_id)
      `,
      changes: sql`
        select release_item_id, ${runId}::int, day, 'removed',
          null, null, null, null::text[], null::boolean, null, null
        from removed
        order by release_item_id
      `,
    });
  }
  return prepared;
}

/** A stored item as it is once it is removed. */
function removedColumns(): Sql {
  const changed: Readonly<Record<string, string>> = { last_modified: "day", active: "false" };
  return names(ITEM_NAMES.map((column) => changed[column] ?? column));
}

/** What `prepareRows` makes of some common table expressions: rows, and their changes without ids. */
interface Preparation {
  given: Sql;
  items: Sql;
  changes: Sql;
}

/** Changes get their ids here: they hold if nothing else has been stored before these are. */
async function prepareRows(
  connection: Connection,
  runId: number,
  { given, items, changes }: Preparation,
): Promise<number> {
  const { prepared } = await queryOne<{ prepared: number }>(
    connection,
    sql`
      with ${given},
      prepared as (
        insert into prepared_items (${names(ITEM_NAMES)}, run_id)
        select prepared.*, ${runId}::int from (${items}) as prepared
        returning release_item_id, tone
      ),
      noted as (
        insert into prepared_changes (${names(NOTED)})
        ${changes}
        returning ${names(CHANGE)}
      ),
      entries as (
        insert into prepared_entries (${names(ENTRY)})
        ${entriesOf(sql`noted`, sql`prepared`)}
      )
      select count(*)::int as prepared from prepared
    `,
  );
  return prepared;
}

/** How many rows of an import are prepared: none after a crash of the database. */
export async function countPrepared(connection: Connection, runId: number): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    connection,
    sql`select count(*)::int as count from prepared_items where run_id = ${runId}`,
  );
  return count;
}

/**
 * Moves what an import has prepared to where readers see it, within the transaction that decides, and
 * keeps what it replaces for those who ask for an earlier day.
 */
export async function movePrepared(connection: Connection, runId: number): Promise<void> {
  await connection.query(sql`
    insert into item_versions (${names(ITEM_NAMES)}, run_id)
    select ${names(ITEM_NAMES, "item_rows")}, run_id
    from prepared_items as prepared
    join item_rows using (release_item_id)
    where run_id = ${runId}
  `);
  await connection.query(sql`
    update item_rows set (${names(ITEM_NAMES)}) = row (${names(ITEM_NAMES, "prepared")})
    from prepared_items as prepared
    where run_id = ${runId} and prepared.release_item_id = item_rows.release_item_id
  `);
  await connection.query(sql`
    insert into item_rows (${names(ITEM_NAMES)})
    select ${names(ITEM_NAMES)} from prepared_items as prepared
    where run_id = ${runId} and not exists (
      select from item_rows where item_rows.release_item_id = prepared.release_item_id
    )
    order by release_item_id
  `);
  await connection.query(sql`
    insert into changes (${names(CHANGE)}) overriding system value
    select ${names(CHANGE)} from prepared_changes where run_id = ${runId} order by change_id
  `);
  await connection.query(sql`
    insert into change_entries (${names(ENTRY)})
    select ${names(ENTRY)} from prepared_entries where run_id = ${runId} order by entry_id
  `);
  await connection.query(sql`
    insert into known_words (word)
    select distinct word from prepared_words where run_id = ${runId}
    on conflict do nothing
  `);
}

/** Says of releases that were dated later that they were added on the days of their creation. */
export async function dateAdditions(connection: Connection, runId: number): Promise<void> {
  await connection.query(sql`
    with noted as (
      update changes set day = created, by_source = true
      from prepared_items as prepared
      where prepared.run_id = ${runId} and changes.release_item_id = prepared.release_item_id
        and kind = 'added' and day > created
      returning change_id, created
    )
    update change_entries set day = created from noted where entry_id = change_id
  `);
}

/** Forgets what an import has prepared, or what all others have. */
export async function forgetPrepared(
  connection: Connection,
  runs: { of: number } | { except: number },
): Promise<void> {
  const which = "of" in runs ? sql`run_id = ${runs.of}` : sql`run_id <> ${runs.except}`;
  for (const table of PREPARED) {
    await connection.query(sql`delete from ${names([table])} where ${which}`);
  }
}

/** Frees the room of all that imports have prepared, while none runs; writes nothing if there is none. */
export async function forgetAllPrepared(connection: Connection): Promise<void> {
  // What was deleted takes up room as well, until a vacuum.
  const { is_left } = await queryOne<{ is_left: boolean }>(
    connection,
    sql`
      select bool_or(pg_relation_size(name::regclass) > 0) as is_left
      from unnest(${PREPARED}::text[]) as name
    `,
  );
  if (is_left) await connection.query(sql`truncate ${names(PREPARED)}`);
}
