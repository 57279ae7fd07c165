import { type Connection, queryOne } from "../../database/database.ts";
import { every, isoTime, type Sql, sql } from "../../database/sql.ts";
import { isShownBy } from "./changes_sql.ts";
import type { Change, DatedChange, Field } from "../item.ts";
import { ITEM_BYTES, whereFilter } from "../items_sql.ts";
import type { ItemFilter } from "../filter/filter.ts";
import type { Variant } from "../variant.ts";

/** So many changes, at most, are looked through for one answer. */
const MOST_SCANNED = 5_000;
/** An import makes no more changes of one item: that it is back, and one of each field. */
const CHANGES_OF_ENTRY = 10;

/** What of the filter narrows changes: by their item as it is now. */
export type ChangesFilter = Pick<
  ItemFilter,
  "product_name" | "release_type" | "release_status" | "source"
>;

/** What changes are looked for. */
export interface ChangeSearch {
  /** The id of the change behind which the search begins. */
  position: number;
  /** So many entries at most. */
  limit: number;
  /** Of these items only. */
  ids: readonly string[] | undefined;
  /** Only of items that pass this filter now. */
  filter: ChangesFilter;
  /** Fields whose changes are left out. */
  hiddenFields: readonly Field[];
}

/** Where the changes of an entry stand. */
export interface FoundEntry {
  /** The ids of its changes, ascending. */
  ids: number[];
  /** What their values and the item take. */
  bytes: number;
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
  { position, limit, ids, filter, hiddenFields }: ChangeSearch,
): Promise<FoundChanges> {
  const { product_name, release_type, release_status, source } = filter;
  const isFiltered = product_name ?? release_type ?? release_status ?? source;
  const scanned = isFiltered
    ? MOST_SCANNED
    : Math.min((limit + 1) * CHANGES_OF_ENTRY, MOST_SCANNED);
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
      ${groupScanned(hiddenFields)},
      -- The last entry of a scan that ended early may be cut: it is left to the next scan, unless
      -- it is all that there is.
      span as (
        select
          (select count(*) > ${scanned}::int from scanned) as has_more,
          (select coalesce(max(change_id), 0) from changes) as newest,
          case
            when (select count(*) <= ${scanned}::int from scanned)
              then (select coalesce(max(change_id), 0) from changes)
            when (select count(*) = 1 from grouped) then (select max(last) from grouped)
            else (select max(first) - 1 from grouped)
          end as "end"
      ),
      found as (
        select ids, last, bytes + ${ITEM_BYTES} as bytes
        from grouped
        join items using (release_item_id)
        where ids is not null and last <= (select "end" from span)
          and ${
      whereFilter({ product_name, release_type, release_status, source, include_inactive: true })
    }
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
  { position, limit, filters, hiddenFields }: {
    position: number;
    limit: number;
    filters: readonly ChangesFilter[];
    hiddenFields: readonly Field[];
  },
): Promise<AllEntries[]> {
  const passes = every(
    [
      passesList("product_name", sql`found.product_name`),
      passesList("release_type", sql`found.release_type`),
      passesList("release_status", sql`found.release_status`),
      passesList("source", sql`found.source`),
    ],
  );
  return connection.query<AllEntries>(sql`
    with scanned as materialized (
      select ${SCANNED} from changes where change_id > ${position}::bigint
    ),
    ${groupScanned(hiddenFields)},
    found as materialized (
      select ids, last, bytes + ${ITEM_BYTES} as bytes,
        row_number() over (partition by release_item_id order by last) = 1 as is_first,
        product_name, release_type, release_status, items.source
      from grouped
      join items using (release_item_id)
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

/** The columns that a scan of the changes reads. */
const SCANNED = sql`
  change_id, run_id, release_item_id, kind, field,
  coalesce(octet_length(old_value), 0) + coalesce(octet_length(new_value), 0) as bytes
`;

/** The scanned changes as entries: those that one import made of one item one after the other. */
function groupScanned(hiddenFields: readonly Field[]): Sql {
  return sql`
    placed as (
      select *,
        row_number() over (order by change_id)
          - row_number() over (partition by run_id, release_item_id order by change_id) as island
      from scanned
    ),
    grouped as (
      select run_id, release_item_id, min(change_id) as first, max(change_id) as last,
        jsonb_agg(change_id order by change_id) filter (where ${isTold(hiddenFields)}) as ids,
        sum(bytes) filter (where ${isTold(hiddenFields)}) as bytes
      from placed
      group by run_id, release_item_id, island
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

/** So many changes, the newest ones, are looked through for the releases that they concern. */
const MOST_NEWS = 10_000;

/** Which releases changed behind a position. */
export interface FoundReleases
  extends Pick<FoundChanges, "database_id" | "mark" | "newest" | "end_mark"> {
  /** The last changed first; up to so many as were asked for. */
  ids: string[];
  total: number;
  /** The earliest day of their changes, `YYYY-MM-DD`. */
  first_day: string | null;
}

/** Finds the releases that changed behind a position, as far as a variant shows that. */
export function findChangedReleases(
  connection: Connection,
  { position, limit, variant }: { position: number; limit: number; variant: Variant },
): Promise<FoundReleases> {
  return queryOne(
    connection,
    sql`
      with behind as (
        select * from changes
        where change_id > ${position}::bigint
        order by change_id desc
        limit ${MOST_NEWS}
      ),
      found as (
        select release_item_id, max(change_id) as last, min(day) as first_day
        from behind
        where ${isShownBy(variant)}
        group by release_item_id
      )
      select
        (select database_id::text from service_state) as database_id,
        ${markOf(sql`${position}::bigint`)} as mark,
        newest::float8 as newest,
        coalesce(${markOf(sql`newest`)}, 0) as end_mark,
        array(select release_item_id::text from found order by last desc limit ${limit}) as ids,
        (select count(*)::int from found) as total,
        (select min(first_day)::text from found) as first_day
      from (select coalesce(max(change_id), 0) as newest from changes) as latest
    `,
  );
}

function isTold(hiddenFields: readonly Field[]): Sql {
  return sql`(field is null or field <> all(${[...hiddenFields]}::text[]))`;
}

/** When the import of a change began, in milliseconds since 1970; 0: nobody knows any more. */
function markOf(changeId: Sql): Sql {
  return sql`(
    select coalesce(round(extract(epoch from started_at) * 1000), 0)::float8
    from changes
    left join import_runs using (run_id)
    where change_id = ${changeId}
  )`;
}

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
