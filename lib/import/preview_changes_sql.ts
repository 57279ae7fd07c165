import type { Connection } from "../database/database.ts";
import { sql } from "../database/sql.ts";

/** What an import would do to one item that is stored, or one of its fields. */
export interface PreviewedChange {
  kind: "changed" | "removed" | "restored";
  release_item_id: string;
  feature_name: string;
  /** Of a change: the field, and its old and new value as text. */
  field: string | null;
  old_value: string | null;
  new_value: string | null;
}

/** The first changes of a run to items that were there before. */
export function readFirstChanges(
  connection: Connection,
  runId: number,
  limit: number,
): Promise<PreviewedChange[]> {
  return connection.query(sql`
    select kind, release_item_id, feature_name, field, old_value, new_value
    from changes
    join items using (release_item_id)
    where run_id = ${runId} and kind <> 'added'
    order by change_id
    limit ${limit}
  `);
}
