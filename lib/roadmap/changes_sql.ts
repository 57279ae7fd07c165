import type { DatedChange, Item } from "./item.ts";
import type { Connection } from "../database/database.ts";
import type { ItemFilter } from "./filter.ts";
import { ITEM, NEWEST_FIRST, orderItems, whereFilter } from "./items_sql.ts";
import { sql } from "../database/sql.ts";

/** A change as a JSON object, as the formats take it. */
export const CHANGE = sql`
  jsonb_build_object(
    'kind', kind, 'field', field, 'old_value', old_value, 'new_value', new_value,
    'fields', fields, 'day', day, 'run_id', run_id
  )
`;

/** Everything an item went through, newest first; changes of one import in the order of fields. */
export async function readHistory(connection: Connection, id: string): Promise<DatedChange[]> {
  const rows = await connection.query<{ change: DatedChange }>(sql`
    select ${CHANGE} as change
    from changes
    where release_item_id = ${id}::uuid
    order by day desc, run_id desc, change_id
  `);
  return rows.map(({ change }) => change);
}

/** An item with what it went through on the day of its `last_modified`, oldest first. */
export type ItemWithChanges = Item & { changes: DatedChange[] };

const ITEM_WITH_CHANGES = sql`
  ${ITEM},
  coalesce(
    (
      select jsonb_agg(${CHANGE} order by run_id, change_id)
      from changes
      where changes.release_item_id = items.release_item_id and day = last_modified
    ),
    '[]'
  ) as changes
`;

/** The items modified since a day, newest day first; inside a day by product, name and id. */
export function readChangelog(
  connection: Connection,
  filters: ItemFilter & { modified_since: string },
): Promise<ItemWithChanges[]> {
  return connection.query(sql`
    select ${ITEM_WITH_CHANGES}
    from items
    where ${whereFilter(filters)}
    order by items.last_modified desc, lower(product_name) collate "C",
      lower(feature_name) collate "C", release_item_id
  `);
}

/** The active items that were modified last, each with the changes of that day. */
export function readRecentChanges(
  connection: Connection,
  filters: ItemFilter,
  limit: number,
): Promise<ItemWithChanges[]> {
  return connection.query(sql`
    select ${ITEM_WITH_CHANGES}
    from items
    where ${whereFilter(filters)}
    order by ${orderItems(NEWEST_FIRST)}
    limit ${limit}
  `);
}
