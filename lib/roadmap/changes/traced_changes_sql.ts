import type { Connection } from "../../database/database.ts";
import { isoTime, sql } from "../../database/sql.ts";
import type { Change, DatedChange } from "../item.ts";

/** A change with its values, and the import that brought it. */
export type TracedChange = (Change & Pick<DatedChange, "day">) & {
  change_id: number;
  release_item_id: string;
  /** ISO 8601, UTC; null: nobody knows any more. */
  imported_at: string | null;
  mark: number;
};

/** Reads changes by their ids, in their order. */
export function readTracedChanges(
  connection: Connection,
  ids: readonly number[],
): Promise<TracedChange[]> {
  return connection.query(sql`
    select change_id::float8 as change_id, release_item_id, kind, field, old_value, new_value,
      fields, day::text as day, ${isoTime(sql`coalesce(finished_at, started_at)`)} as imported_at,
      coalesce(round(extract(epoch from started_at) * 1000), 0)::float8 as mark
    from changes
    left join import_runs using (run_id)
    where change_id = any(${ids.map(String)}::bigint[])
    order by change_id
  `);
}
