import type { Connection } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import { FIELD_BOUNDARY } from "../../text/fold.ts";

/**
 * The items as they were known at the end of a day, in the columns of `items`: those of today, with
 * the changes undone that later imports made.
 */
export function itemsAsOf(day: string): Sql {
  return sql`
    with later_runs as materialized (
      select run_id from import_runs where as_of > ${day}::date
    ),
    later as (
      select release_item_id, coalesce(field, 'active') as field, kind = 'added' as is_added,
        case kind when 'removed' then 'true' when 'restored' then 'false' else old_value end
          as old_value,
        change_id
      from changes
      where run_id in (select run_id from later_runs)
      union all
      select release_item_id, 'tone', false, tone_before, entry_id
      from change_entries
      where run_id in (select run_id from later_runs)
    ),
    undone as (
      select release_item_id, bool_or(is_added) as is_added,
        jsonb_object_agg(field, old_value) as fields
      from (
        select distinct on (release_item_id, field) *
        from later
        order by release_item_id, field, change_id
      ) as earliest
      group by release_item_id
    )
    select items.*
    from items
    where last_modified <= ${day}::date
      and not exists (select from undone where undone.release_item_id = items.release_item_id)
    union all
    select was.*
    from items
    left join undone using (release_item_id)
    left join lateral (
      select day
      from changes
      where changes.release_item_id = items.release_item_id
        and run_id not in (select run_id from later_runs)
      order by day desc
      limit 1
    ) as last_before on true
    cross join lateral jsonb_populate_record(
      items,
      coalesce(fields, '{}') || jsonb_build_object(
        'last_modified', coalesce(last_before.day, items.last_modified),
        'search_text', ${searchTextOf(sql`items`, sql`fields`)}
      )
    ) as was
    where (undone.release_item_id is not null or items.last_modified > ${day}::date)
      and is_added is not true
  `;
}

/** A part that has not changed is folded already. */
function searchTextOf(items: Sql, fields: Sql): Sql {
  const part = (name: string, place: number) =>
    sql`
    case when ${fields} ? ${name}
      then lower(normalize(coalesce(${fields} ->> ${name}, '')))
      else split_part(${items}.search_text, ${FIELD_BOUNDARY}, ${place}::int)
    end
  `;
  return sql`concat_ws(
    ${FIELD_BOUNDARY}, ${part("feature_name", 1)}, ${part("feature_description", 2)},
    ${part("product_name", 3)}
  )`;
}

/** A connection whose statements find the items of a day where they name `items`. */
export function connectAsOf(database: Connection, day: string): Connection {
  return {
    // A statement may have a `with` of its own, of which there can be only one at a level.
    query: (statement) =>
      database.query(sql`
        with items as (${itemsAsOf(day)})
        select * from (${statement}) as answer
      `),
    script: () => Promise.reject(new Error("The past is only read")),
  };
}

/** The as-of day of the first import that succeeded, `YYYY-MM-DD`; null: there was none. */
export async function readFirstDay(connection: Connection): Promise<string | null> {
  const [row] = await connection.query<{ day: string | null }>(sql`
    select min(as_of)::text as day
    from import_runs
    where finished_at is not null and error is null and not is_preview
  `);
  return row?.day ?? null;
}
