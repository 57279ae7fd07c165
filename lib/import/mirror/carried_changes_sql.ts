import { type Connection, queryOne } from "../../database/database.ts";
import { json, sql } from "../../database/sql.ts";
import type { Field } from "../../roadmap/item.ts";
import { decideTone } from "../../roadmap/status_tone.ts";

/** What a run has noted of an item. */
export interface NotedItem {
  release_item_id: string;
  /** It is new, has gone or is back; null: fields changed. */
  kind: "added" | "removed" | "restored" | null;
}

/** The items of which a run has noted changes. */
export function readNoted(connection: Connection, runId: number): Promise<NotedItem[]> {
  return connection.query(sql`
    select release_item_id, max(kind) filter (where kind <> 'changed') as kind
    from changes
    where run_id = ${runId}
    group by release_item_id
  `);
}

/** Those of the items that belong to a source. */
export async function keepOwn(
  connection: Connection,
  ids: readonly string[],
  source: string,
): Promise<Set<string>> {
  const rows = await connection.query<{ release_item_id: string }>(sql`
    select release_item_id from items
    where release_item_id = any(${[...ids]}::uuid[]) and source = ${source}
  `);
  return new Set(rows.map(({ release_item_id }) => release_item_id));
}

/** Forgets what a run has noted of some items. */
export async function dropNoted(
  connection: Connection,
  runId: number,
  ids: readonly string[],
): Promise<void> {
  await connection.query(sql`
    delete from changes where run_id = ${runId} and release_item_id = any(${[...ids]}::uuid[])
  `);
}

/** An import that another server has made: its changes are one modification here, too. */
export interface CarriedRun {
  /** ISO 8601, UTC; null: the other server does not know it any more. */
  imported_at: string | null;
  /** `YYYY-MM-DD` */
  date: string;
  /** How many items it changed. */
  items: number;
}

/** Notes imports of another server as our own, never later than now, and returns their numbers. */
export async function storeCarriedRuns(
  connection: Connection,
  runId: number,
  carried: readonly CarriedRun[],
): Promise<number[]> {
  const rows = await connection.query<{ run_id: number }>(sql`
    insert into import_runs (
      source, source_name, as_of, partial, started_at, finished_at, added, changed, removed,
      restored, unchanged, is_news
    )
    select source, source_name, date, true, moment, moment, 0, items, 0, 0, 0, is_news
    from import_runs
    cross join lateral (
      select date, items, least(coalesce(imported_at, date::timestamptz), now()) as moment, place
      from rows from (
        jsonb_to_recordset(${json(carried)})
          as (imported_at timestamptz, date date, items integer)
      ) with ordinality as run (imported_at, date, items, place)
    ) as carried
    where run_id = ${runId}
    order by place
    returning run_id
  `);
  return rows.map(({ run_id }) => run_id).sort((a, b) => a - b);
}

/** A change that was carried over. */
export interface CarriedChange {
  release_item_id: string;
  run_id: number;
  day: string;
  kind: "added" | "changed" | "removed" | "restored";
  field: Field | null;
  old_value: string | null;
  new_value: string | null;
  fields: Field[] | null;
}

/** Stores changes in their order. */
export async function storeCarriedChanges(
  connection: Connection,
  changes: readonly CarriedChange[],
): Promise<void> {
  const rows = changes.map((change) => ({
    ...change,
    ...change.field === "release_status" && {
      tone_before: decideTone(change.old_value ?? "").tone,
      tone_after: decideTone(change.new_value ?? "").tone,
    },
  }));
  await connection.query(sql`
    insert into changes (
      release_item_id, run_id, day, kind, field, old_value, new_value, fields,
      tone_before, tone_after
    )
    select release_item_id, run_id, day, kind, field, old_value, new_value,
      case when fields is not null then array(select jsonb_array_elements_text(fields)) end,
      tone_before, tone_after
    from rows from (
      jsonb_to_recordset(${json(rows)}) as (
        release_item_id uuid, run_id integer, day date, kind text, field text, old_value text,
        new_value text, fields jsonb, tone_before text, tone_after text
      )
    ) with ordinality as change (
      release_item_id, run_id, day, kind, field, old_value, new_value, fields, tone_before,
      tone_after, place
    )
    order by place
  `);
}

/** Gives a run the number after all others: what it carried over came before it. */
export async function putRunLast(connection: Connection, runId: number): Promise<void> {
  const { run_id: last } = await queryOne<{ run_id: number }>(
    connection,
    sql`
      insert into import_runs (
        source, source_name, as_of, partial, started_at, finished_at, added, changed, removed,
        restored, unchanged, is_news
      )
      select source, source_name, as_of, partial, started_at, finished_at, added, changed, removed,
        restored, unchanged, is_news
      from import_runs where run_id = ${runId}
      returning run_id
    `,
  );
  await connection.query(sql`update changes set run_id = ${last} where run_id = ${runId}`);
  await connection.query(sql`delete from import_runs where run_id = ${runId}`);
}
