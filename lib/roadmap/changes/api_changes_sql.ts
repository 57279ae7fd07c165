import { type Connection, queryOne } from "../../database/database.ts";
import { every, type Sql, sql } from "../../database/sql.ts";
import { isDueWithin, isOneOfIds } from "../filter/conditions_sql.ts";
import type { ItemFilter } from "../filter/filter.ts";
import type { DuePeriod } from "../filter/filter_values.ts";
import { whereFilter } from "../items_sql.ts";
import { type CursorFacts, cursorFacts, markOf } from "./change_cursor_sql.ts";
import { LAST_CHANGE } from "./changes_sql.ts";

/** The most entries that are looked at for one answer. */
const MAX_SCANNED = 5_000;

/** How far the changes behind a position are looked through for one answer. */
interface Span extends CursorFacts {
  /** The last change that is looked at; there are changes behind it unless it is the newest. */
  end: number;
  end_mark: number;
}

/**
 * Finds how far the changes behind a position are looked through. Imports apply what they have read one
 * after the other (`lockImports`), so that no entry ever appears before one that was seen already.
 *
 * @param ids of the only items; absent: of all
 */
export function findSpan(
  connection: Connection,
  position: number,
  ids: readonly string[] | undefined,
): Promise<Span> {
  return queryOne(
    connection,
    sql`
      with scanned as materialized (
        select entry_id from change_entries
        where entry_id > ${position}::bigint and ${isOneOfIds(ids)}
        order by entry_id
        limit ${MAX_SCANNED}
      ),
      span as (
        select case when count(*) < ${MAX_SCANNED} then ${LAST_CHANGE} else max(entry_id) end as "end"
        from scanned
      )
      select ${cursorFacts(position)}, "end"::float8 as "end",
        coalesce(${markOf(sql`"end"`)}, 0) as end_mark
      from span
    `,
  );
}

/** The condition that an item has one of some ids, passes a filter, and is due in one of some periods. */
export function isAsked(
  ids: readonly string[] | undefined,
  filter: ItemFilter,
  { due, today }: { due: readonly DuePeriod[]; today: string },
): Sql {
  return every([isOneOfIds(ids), whereFilter(filter), isDueWithin(due, today, filter.date_name)]);
}
