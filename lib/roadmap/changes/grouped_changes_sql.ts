import { type Connection, queryOne } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import type { DuePeriod } from "../filter/due.ts";
import type { ItemFilter } from "../filter/filter.ts";
import type { Field } from "../item.ts";
import type { ChangeKind } from "./kinds.ts";
import { LAST_CHANGE } from "./changes_sql.ts";

/** What narrows changes: some of the filter, by their item as it is now, and their kinds. */
export type ChangesFilter =
  & Pick<ItemFilter, "product_name" | "release_type" | "release_status" | "tag" | "source">
  & {
    kind?: ChangeKind[];
    /** Questions, each of which is searched by its words. */
    q?: string[];
    /** Only of items that are due in one of these periods. */
    due?: DuePeriod[];
  };

/** Where the changes of an entry stand. */
export interface FoundEntry {
  /** The ids of its changes, ascending. */
  ids: number[];
  /** What their values and the item take. */
  bytes: number;
}

/** The columns that a scan of the changes reads. */
export const SCANNED = sql`
  change_id, run_id, release_item_id, kind, field,
  coalesce(octet_length(old_value), 0) + coalesce(octet_length(new_value), 0) as bytes
`;

/** The scanned changes as entries: those that one import made of one item. */
export function groupScanned(hiddenFields: readonly Field[]): Sql {
  return sql`
    grouped as (
      select run_id, release_item_id, min(change_id) as first, max(change_id) as last,
        jsonb_agg(change_id order by change_id) filter (where ${isNotified(hiddenFields)}) as ids,
        sum(bytes) filter (where ${isNotified(hiddenFields)}) as bytes
      from scanned
      group by run_id, release_item_id
    )
  `;
}

function isNotified(hiddenFields: readonly Field[]): Sql {
  return sql`(field is null or field <> all(${[...hiddenFields]}::text[]))`;
}

/** When the import of a change began, in milliseconds since 1970; 0: unknown. */
export function markOf(changeId: Sql): Sql {
  return sql`(
    select coalesce(round(extract(epoch from started_at) * 1000), 0)::float8
    from changes
    left join import_runs using (run_id)
    where change_id = ${changeId}
  )`;
}

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
  return queryOne(
    connection,
    sql`
      select (select database_id::text from service_state) as database_id,
        ${markOf(sql`${position}::bigint`)} as mark,
        ${LAST_CHANGE}::float8 as newest
    `,
  );
}
