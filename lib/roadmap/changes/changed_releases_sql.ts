import { type Connection, queryOne } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";
import type { Variant } from "../variant.ts";
import type { FoundChanges } from "./change_entries_sql.ts";
import { IS_NEWS, isShownBy, LAST_CHANGE } from "./changes_sql.ts";
import { kindsFor } from "./change_kinds_sql.ts";
import { CHANGE_KINDS, type ChangeKind } from "./kinds.ts";
import { markOf } from "./change_entries_sql.ts";

/** The newest changes, up to this many, are scanned for the releases that they concern. */
const MAX_NEWS = 10_000;

/** Which releases changed behind a position. */
export interface FoundReleases
  extends Pick<FoundChanges, "database_id" | "mark" | "newest" | "end_mark"> {
  /** The last changed first, up to the number that was requested. */
  ids: string[];
  total: number;
  /** How many releases, by the heaviest of what happened to them. */
  kinds: Partial<Record<ChangeKind, number>>;
  /** The earliest day of their changes, `YYYY-MM-DD`. */
  first_day: string | null;
}

/** Finds the releases that changed behind a position, as far as a variant shows that. */
export function findChangedReleases(
  connection: Connection,
  { position, limit, variant }: { position: number; limit: number; variant: Variant },
): Promise<FoundReleases> {
  return queryOne(
    connection,
    sql`
      with behind as (
        select * from changes
        where change_id > ${position}::bigint
        order by change_id desc
        limit ${MAX_NEWS}
      ),
      found as (
        select release_item_id, max(change_id) as last, min(least(behind.day, items.last_modified)) as first_day,
          min(array_position(${[...CHANGE_KINDS]}::text[], meaning)) as heaviest
        from behind
        join change_entries using (run_id, release_item_id)
        join items using (release_item_id)
        cross join unnest(${kindsFor(variant)}) as meaning
        where ${isShownBy(variant, sql`behind.kind`)} and ${IS_NEWS}
        group by release_item_id
      )
      select
        (select database_id::text from service_state) as database_id,
        ${markOf(sql`${position}::bigint`)} as mark,
        newest::float8 as newest,
        coalesce(${markOf(sql`newest`)}, 0) as end_mark,
        array(select release_item_id::text from found order by last desc limit ${limit}) as ids,
        (select count(*)::int from found) as total,
        (select min(first_day)::text from found) as first_day,
        (
          select coalesce(
            jsonb_object_agg((${[...CHANGE_KINDS]}::text[])[heaviest], releases), '{}'
          )
          from (select heaviest, count(*)::int as releases from found group by heaviest) as counted
        ) as kinds
      from (select ${LAST_CHANGE} as newest) as latest
    `,
  );
}
