import { type Connection, queryOne } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";
import type { ItemFilter } from "../filter/filter.ts";
import { isAmong } from "../items_sql.ts";
import type { Variant } from "../variant.ts";
import { type CursorFacts, cursorFacts, markOf } from "./change_cursor_sql.ts";
import { IS_NEWS, LAST_CHANGE } from "./changes_sql.ts";
import type { ChangeKind } from "./kinds.ts";
import { netChanges } from "./net_changes_sql.ts";

/** The newest changes, up to this many, are scanned for the releases that they concern. */
const MAX_NEWS = 10_000;

/** Which releases changed behind a position. */
interface FoundReleases extends CursorFacts {
  /** The mark of the newest change. */
  end_mark: number;
  /** The last changed first, up to the number that was requested. */
  ids: string[];
  total: number;
  /** How many releases, by the heaviest of what happened to them. */
  kinds: Partial<Record<ChangeKind, number>>;
  /** The earliest day of their changes, `YYYY-MM-DD`. */
  first_day: string | null;
}

/**
 * Finds the releases of which something became behind a position, as far as a variant shows that;
 * without a position, none.
 */
export function findChangedReleases(
  connection: Connection,
  { position, limit, variant, among }: {
    position: number | null;
    limit: number;
    variant: Variant;
    among: ItemFilter | readonly string[];
  },
): Promise<FoundReleases> {
  return queryOne(
    connection,
    sql`
      with behind as (
        select change_id, release_item_id, run_id, day, kind, field
        from changes
        where change_id > ${position}::bigint and ${IS_NEWS}
        order by change_id desc
        limit ${MAX_NEWS}
      ),
      ${
      netChanges(
        sql`
          select behind.* from behind join items using (release_item_id)
          where ${isAmong(among)} and ${variant.showsInactive ? sql`true` : sql`active`}
        `,
        variant,
      )
    },
      found as (
        select release_item_id, last, kinds[1] as heaviest,
          least(net.first_day, items.last_modified) as first_day
        from net
        join items using (release_item_id)
        join (
          select release_item_id, max(change_id) as last from included group by release_item_id
        ) as newest_changes using (release_item_id)
      )
      select ${cursorFacts(position)},
        coalesce(${markOf(LAST_CHANGE)}, 0) as end_mark,
        array(select release_item_id::text from found order by last desc limit ${limit}) as ids,
        (select count(*)::int from found) as total,
        (select min(first_day)::text from found) as first_day,
        (
          select coalesce(jsonb_object_agg(heaviest, releases), '{}')
          from (select heaviest, count(*)::int as releases from found group by heaviest) as counted
        ) as kinds
    `,
  );
}
