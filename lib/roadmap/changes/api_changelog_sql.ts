import type { Connection } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";
import type { DatedChange, ListedItem } from "../item.ts";
import { LISTED_ITEM } from "../items_sql.ts";
import { changeUpTo, KINDS_OF_ENTRY } from "./changes_sql.ts";

/** A list of changes is no place for whole descriptions. */
const LISTED_VALUE = 200;
/** The most changes of an item in one day that are shown, the last ones. */
const MAX_CHANGES_A_DAY = 50;

/** An item with what it went through on the day of its `last_modified`, oldest first. */
export type ItemWithChanges = ListedItem & { changes: DatedChange[] };

/** Items with these ids, in the same order, each with its changes of a day, or of its last one. */
export function readChangesOfDay(
  connection: Connection,
  ids: readonly string[],
  day?: string,
): Promise<ItemWithChanges[]> {
  return connection.query(sql`
    select ${LISTED_ITEM}, coalesce(
      (
        select jsonb_agg(${changeUpTo(LISTED_VALUE)} order by run_id, change_id)
        from (
          select changes.*, (
            select ${KINDS_OF_ENTRY}
            from change_entries as entry
            where entry.run_id = changes.run_id and entry.release_item_id = changes.release_item_id
          ) as kinds
          from changes
          where changes.release_item_id = items.release_item_id
            and day = ${day === undefined ? sql`last_modified` : sql`${day}::date`}
          order by run_id desc, change_id desc
          limit ${MAX_CHANGES_A_DAY}
        ) as last_changes
      ),
      '[]'
    ) as changes
    from unnest(${ids}::uuid[]) with ordinality as wanted (release_item_id, place)
    join items using (release_item_id)
    order by place
  `);
}
