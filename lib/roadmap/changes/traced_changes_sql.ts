import type { Connection } from "../../database/database.ts";
import { isoTime, sql } from "../../database/sql.ts";
import type { Change, DatedChange } from "../item.ts";

/** A change with its values, and the import that brought it. */
export type TracedChange = (Change & Pick<DatedChange, "day" | "kinds">) & {
  change_id: number;
  release_item_id: string;
  /** ISO 8601, UTC; null: unknown. */
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
      fields, by_source, changes.day::text as day,
      jsonb_build_object('quarter', kinds_by_quarter, 'day', kinds_by_day) as kinds,
      ${isoTime(sql`coalesce(finished_at, started_at)`)} as imported_at,
      coalesce(round(extract(epoch from started_at) * 1000), 0)::float8 as mark
    from changes
    join change_entries using (run_id, release_item_id)
    left join import_runs using (run_id)
    where change_id = any(${ids.map(String)}::bigint[])
    order by change_id
  `);
}
