import { type Connection, queryOne } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import { LAST_CHANGE } from "./changes_sql.ts";

/** What a cursor is compared with. */
export interface CursorFacts {
  database_id: string;
  /** The mark of the change at its position; null: there is no such change. */
  mark: number | null;
  /** The id of the newest change of all; 0: there is none. */
  newest: number;
}

/** Reads what a cursor at a position is compared with. */
export function readCursorFacts(connection: Connection, position: number): Promise<CursorFacts> {
  return queryOne(connection, sql`select ${cursorFacts(position)}`);
}

/** The columns of `CursorFacts`. */
export function cursorFacts(position: number | null): Sql {
  return sql`
    (select database_id::text from service_state) as database_id,
    ${markOf(sql`${position}::bigint`)} as mark,
    ${LAST_CHANGE}::float8 as newest
  `;
}

/** When the import of a change began, in milliseconds since 1970; 0: unknown. */
export function markOf(changeId: Sql): Sql {
  return sql`(
    select ${MARK}
    from changes
    left join import_runs using (run_id)
    where change_id = ${changeId}
  )`;
}

/** When an import, `import_runs`, began, likewise. */
export const MARK = sql`coalesce(round(extract(epoch from started_at) * 1000), 0)::float8`;
