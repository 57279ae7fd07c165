import { type Connection, queryOne } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import { ITEM_BYTES, whereFilter } from "../items_sql.ts";
import { isDueWithin } from "../filter/due_sql.ts";
import type { Variant } from "../variant.ts";
import { LAST_CHANGE } from "./changes_sql.ts";
import { kindsFor } from "./change_kinds_sql.ts";
import type { ChangeKind } from "./kinds.ts";
import {
  type ChangesFilter,
  type FoundEntry,
  groupScanned,
  markOf,
  SCANNED,
} from "./grouped_changes_sql.ts";

/** The most changes that are scanned for one answer. */
const MAX_SCANNED = 5_000;
/** An import makes no more changes of one item: that it is back, and one of each field. */
const CHANGES_OF_ENTRY = 11;

/** What changes are looked for. */
export interface ChangeSearch {
  /** The id of the change behind which the search begins. */
  position: number;
  /** The most entries. */
  limit: number;
  /** Of these items only. */
  ids: readonly string[] | undefined;
  /** Only of items that pass this filter now. */
  filter: ChangesFilter;
  variant: Variant;
  /** The day from which `due` counts, `YYYY-MM-DD`. */
  today: string;
}

/** What was found behind a position. */
export interface FoundChanges {
  database_id: string;
  /** The mark of the change at the position; null: there is no such change. */
  mark: number | null;
  /** The id of the newest change of all; 0: there is none. */
  newest: number;
  /** In their order. */
  entries: FoundEntry[];
  /** The last change that was looked at. */
  end: number;
  end_mark: number;
  /** There are changes behind the end. */
  has_more: boolean;
}

/**
 * Finds the changes behind a position, those that one import made of one item together. Imports
 * apply what they have read one after the other (`lockImports`), so that no change ever appears
 * before one that was seen already. No value is read.
 */
export async function findChanges(
  connection: Connection,
  { position, limit, ids, filter, variant, today }: ChangeSearch,
): Promise<FoundChanges> {
  const { product_name, release_type, release_status, tag, source, kind, due } = filter;
  const current = { product_name, release_type, release_status, tag, source };
  const isFiltered = kind ?? due ?? Object.values(current).find((values) => values !== undefined);
  const scanned = isFiltered ? MAX_SCANNED : Math.min((limit + 1) * CHANGES_OF_ENTRY, MAX_SCANNED);
  return await queryOne<FoundChanges>(
    connection,
    sql`
      with scanned as materialized (
        select ${SCANNED}
        from ${ids ? changesOf(ids, position) : sql`changes`}
        where change_id > ${position}::bigint
        order by change_id
        limit ${scanned + 1}
      ),
      ${groupScanned(variant.hiddenFields)},
      ${spanOf(scanned)},
      found as (
        select ids, last, bytes + ${ITEM_BYTES} as bytes
        from grouped
        join items using (release_item_id)
        where ids is not null and last <= (select "end" from span)
          and ${whereFilter({ ...current, include_inactive: true })}
          and ${isDueWithin(due ?? [], today)}
          and ${kind ? isOfKinds(kind, variant) : sql`true`}
        order by last
        limit ${limit + 1}
      )
      select
        (select database_id::text from service_state) as database_id,
        ${markOf(sql`${position}::bigint`)} as mark,
        newest::float8 as newest,
        "end"::float8 as "end",
        coalesce(${markOf(sql`"end"`)}, 0) as end_mark,
        has_more,
        (
          select coalesce(
            jsonb_agg(jsonb_build_object('ids', ids, 'bytes', bytes) order by last), '[]'
          )
          from found
        ) as entries
      from span
    `,
  );
}

/** The condition that an entry of `grouped` has one of some kinds. */
function isOfKinds(kinds: readonly ChangeKind[], variant: Variant): Sql {
  return sql`exists (
    select from change_entries as entry
    where entry.run_id = grouped.run_id and entry.release_item_id = grouped.release_item_id
      and ${kindsFor(variant)} && ${[...kinds]}::text[]
  )`;
}

/** How far a scan came, and whether there is more. */
function spanOf(scanned: number): Sql {
  return sql`
    -- The last entry of a scan that ended early may be cut: it is left to the next scan, unless
    -- it is all that there is.
    span as (
      select
        (select count(*) > ${scanned}::int from scanned) as has_more,
        ${LAST_CHANGE} as newest,
        case
          when (select count(*) <= ${scanned}::int from scanned) then ${LAST_CHANGE}
          when (select count(*) = 1 from grouped) then (select max(last) from grouped)
          else (select max(first) - 1 from grouped)
        end as "end"
    )
  `;
}

/** All changes of some items behind a position; found by item, however many others there are. */
function changesOf(ids: readonly string[], position: number): Sql {
  return sql`(
    select * from changes
    where release_item_id = any(${[...ids]}::uuid[]) and change_id > ${position}::bigint
    offset 0
  ) as own`;
}
