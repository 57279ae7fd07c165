import { raiseDataVersion } from "../database/data_version.ts";
import { type Connection, type Database, queryOne } from "../database/database.ts";
import { json, type Sql, sql } from "../database/sql.ts";
import { correctEntries } from "./changes/kinds_sql.ts";
import { decideTone } from "./status_tone.ts";

/**
 * Judges the words of stored statuses again, as this version reads them: earlier versions may have
 * read them otherwise. What a mapping or a category says stays. Kinds of changes follow; nobody is
 * notified. Returns how many releases it concerns.
 */
export async function rejudgeStatuses(database: Database): Promise<number> {
  const judged = (await readStatuses(database)).map((status) => ({
    status,
    ...decideTone(status),
  }));
  if (judged.length === 0) return 0;
  return await database.transaction(async (connection) => {
    const { ids } = await queryOne<{ ids: string[] }>(
      connection,
      sql`
        with judged as materialized (
          select * from jsonb_to_recordset(${json(judged)}) as one (status text, tone text, by text)
        ),
        retoned as (${retone(sql`item_rows`)}),
        retoned_versions as (${retone(sql`item_versions`)}),
        corrected as (
          update changes set tone_before = earlier.tone, tone_after = later.tone
          from items, judged as earlier, judged as later
          where items.release_item_id = changes.release_item_id
            and items.tone_by in ('word', 'unknown') and field = 'release_status'
            and earlier.status = old_value and later.status = new_value
            and (tone_before, tone_after) is distinct from (earlier.tone, later.tone)
          returning changes.release_item_id
        )
        select array(
          select release_item_id from retoned
          union select release_item_id from retoned_versions
          union select release_item_id from corrected
        )::text[] as ids
      `,
    );
    if (ids.length === 0) return 0;
    await correctEntries(connection, ids);
    await raiseDataVersion(connection);
    return ids.length;
  });
}

/** Has the rows of a table say what the words of their statuses say. */
function retone(table: Sql): Sql {
  return sql`
    update ${table} as items set tone = judged.tone, tone_by = judged.by
    from judged
    where status = release_status and tone_by in ('word', 'unknown')
      and (items.tone, items.tone_by) is distinct from (judged.tone, judged.by)
    returning release_item_id
  `;
}

/** The statuses that releases have or had whose tone their words decide. */
async function readStatuses(connection: Connection): Promise<string[]> {
  const rows = await connection.query<{ status: string }>(sql`
    select release_status as status from items where tone_by in ('word', 'unknown')
    union
    select status
    from changes
    cross join lateral unnest(array[old_value, new_value]) as status
    where field = 'release_status' and status is not null
  `);
  return rows.map(({ status }) => status);
}
