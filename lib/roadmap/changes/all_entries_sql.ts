import type { Connection } from "../../database/database.ts";
import { every, type Sql, sql } from "../../database/sql.ts";
import { ITEM_BYTES } from "../items_sql.ts";
import type { Variant } from "../variant.ts";
import { IS_NEWS } from "./changes_sql.ts";
import { kindsFor } from "./change_kinds_sql.ts";
import {
  type ChangesFilter,
  type FoundEntry,
  groupScanned,
  markOf,
  SCANNED,
} from "./grouped_changes_sql.ts";

/** All that stands behind a position and passes one filter. */
export interface AllEntries {
  database_id: string;
  /** The mark of the change at the position. */
  mark: number;
  /** The first ones, in their order. */
  entries: FoundEntry[];
  /** How many entries there are in all, and of how many releases. */
  total: number;
  releases: number;
}

/**
 * Finds all entries behind a position for each of these filters, in their order. The changes are
 * gone through once, however many filters there are. No value is read.
 */
export function findAllEntries(
  connection: Connection,
  { position, limit, filters, variant }: {
    position: number;
    limit: number;
    filters: readonly ChangesFilter[];
    variant: Variant;
  },
): Promise<AllEntries[]> {
  const passes = every(
    [
      passesList("product_name", sql`found.product_name`),
      passesList("release_type", sql`found.release_type`),
      passesList("release_status", sql`found.release_status`),
      passesList("source", sql`found.source`),
      sql`(filter -> 'kind' is null or filter -> 'kind' ?| found.kinds)`,
    ],
  );
  return connection.query<AllEntries>(sql`
    with scanned as materialized (
      select ${SCANNED} from changes
      where change_id > ${position}::bigint and ${IS_NEWS}
    ),
    ${groupScanned(variant.hiddenFields)},
    found as materialized (
      select ids, last, bytes + ${ITEM_BYTES} as bytes,
        row_number() over (partition by release_item_id order by last) = 1 as is_first,
        product_name, release_type, release_status, items.source, ${kindsFor(variant)} as kinds
      from grouped
      join items using (release_item_id)
      join change_entries using (run_id, release_item_id)
      where ids is not null
    )
    select
      (select database_id::text from service_state) as database_id,
      coalesce(${markOf(sql`${position}::bigint`)}, 0) as mark,
      (
        select coalesce(
          jsonb_agg(jsonb_build_object('ids', ids, 'bytes', bytes) order by last), '[]'
        )
        from (select * from found where ${passes} order by last limit ${limit}) as first
      ) as entries,
      total, releases
    from jsonb_array_elements(${JSON.stringify(filters)}::text::jsonb)
      with ordinality as given (filter, place)
    cross join lateral (
      select count(*)::int as total, (count(*) filter (where is_first))::int as releases
      from found
      where ${passes}
    ) as counted
    order by place
  `);
}

/** The condition that a filter, `given`, has no such list, or one with the value. */
function passesList(name: keyof ChangesFilter, value: Sql): Sql {
  return sql`coalesce(filter -> ${name}::text ? ${value}, true)`;
}
