import { type Connection, queryOne } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
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
 * @param isOfItems the condition on the `release_item_id` of an entry
 */
export function findSpan(
  connection: Connection,
  position: number,
  isOfItems: Sql,
): Promise<Span> {
  return queryOne(
    connection,
    sql`
      with scanned as materialized (
        select entry_id from change_entries
        where entry_id > ${position}::bigint and ${isOfItems}
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
