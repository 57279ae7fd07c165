import { type Connection, queryOne } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import type { Variant } from "../variant.ts";
import { type EntrySearch, isWanted, isWithin } from "./entries_sql.ts";

/** The most releases that a line about a new source names. */
const MAX_NAMES = 20;

/** The first import of a source. */
export interface Introduction {
  run_id: number;
  source: string;
  /** No source was read before it. */
  is_first: boolean;
  /** `YYYY-MM-DD` */
  day: string;
  /** How many of its releases count, and the first ones. */
  count: number;
  items: { release_item_id: string; feature_name: string; language: string | null }[];
}

/** The months that have entries, the newest first. */
export function listMonths(
  connection: Connection,
  search: EntrySearch,
): Promise<{ month: string; count: number }[]> {
  return connection.query(sql`
    select to_char(day, 'YYYY-MM') as month, count(*)::int as count
    from change_entries
    join items using (release_item_id)
    where ${isWanted(search)}
    group by 1
    order by 1 desc
  `);
}

/** The nearest days with entries, or with the first import of a source, before and after a day. */
export function findDaysBeside(
  connection: Connection,
  variant: Variant,
  day: string,
): Promise<{ before: string | null; after: string | null }> {
  const isShown = isWanted({ variant, onlyNews: true });
  const nearest = (which: Sql) =>
    sql`(
      select day from change_entries join items using (release_item_id)
      where ${isShown} and ${which}
      limit 1
    )`;
  const introduced = sql`
    from import_runs
    where not is_news and exists (
      select from change_entries where change_entries.run_id = import_runs.run_id
    )
  `;
  return queryOne(
    connection,
    sql`
      select
        greatest(
          ${nearest(sql`day < ${day}::date order by day desc`)},
          (select max(as_of) ${introduced} and as_of < ${day}::date)
        )::text as before,
        least(
          ${nearest(sql`day > ${day}::date order by day`)},
          (select min(as_of) ${introduced} and as_of > ${day}::date)
        )::text as after
    `,
  );
}

/** The first imports of sources within some days that brought releases which count. */
export function readIntroductions(
  connection: Connection,
  { isCovered = sql`true`, from, to }: Pick<EntrySearch, "isCovered" | "from" | "to">,
): Promise<Introduction[]> {
  return connection.query(sql`
    select run_id, source_name as source, as_of::text as day, count, items,
      source_name = (select source_name from import_runs order by run_id limit 1) as is_first
    from import_runs
    cross join lateral (
      select count(*)::int as count,
        coalesce(
          jsonb_agg(
            jsonb_build_object(
              'release_item_id', release_item_id,
              'feature_name', feature_name,
              'language', language
            )
            order by place
          ) filter (where place <= ${MAX_NAMES}),
          '[]'
        ) as items
      from (
        select release_item_id, feature_name, language,
          row_number() over (order by lower(feature_name) collate "C", release_item_id) as place
        from change_entries
        join items using (release_item_id)
        where change_entries.run_id = import_runs.run_id and ${isCovered}
      ) as brought
    ) as brought
    where not is_news and count > 0 and ${isWithin(sql`as_of`, { from, to })}
    order by as_of desc, run_id desc
  `);
}
