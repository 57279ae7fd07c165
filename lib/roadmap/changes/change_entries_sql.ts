import { type Connection, queryOne } from "../../database/database.ts";
import { every, isoTime, json, type Sql, sql } from "../../database/sql.ts";
import { isDueWithin, kindsFor } from "../filter/conditions_sql.ts";
import type { ItemFilter } from "../filter/filter.ts";
import type { DuePeriod } from "../filter/filter_values.ts";
import type { Change, DatedChange } from "../item.ts";
import { isAmong, whereFilter } from "../items_sql.ts";
import type { Variant } from "../variant.ts";
import { IS_NEWS, KINDS_OF_ENTRY, LAST_CHANGE } from "./changes_sql.ts";
import { CHANGE_KINDS, type ChangeKind } from "./kinds.ts";
import { netChanges } from "./net_changes_sql.ts";

/** The most entries that are looked at for one answer. */
const MAX_SCANNED = 5_000;

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

/** What changes are looked for. */
interface ChangeSearch {
  /** The id of the change behind which the search begins. */
  position: number;
  /** The most entries. */
  limit: number;
  /** Of these items only. */
  ids: readonly string[] | undefined;
  /** Only of items that pass this filter now, and are due in one of these periods. */
  filter: ItemFilter;
  due?: readonly DuePeriod[];
  kind?: readonly ChangeKind[];
  variant: Variant;
  /** The day from which `due` counts, `YYYY-MM-DD`. */
  today: string;
}

/** What a cursor is compared with. */
export interface CursorFacts {
  database_id: string;
  /** The mark of the change at its position; null: there is no such change. */
  mark: number | null;
  /** The id of the newest change of all; 0: there is none. */
  newest: number;
}

/** What was found behind a position. */
interface FoundChanges extends CursorFacts {
  /** The ids of their last changes, in their order; one more than asked for where there are more. */
  entries: number[];
  /** The last change that was looked at; there are changes behind it unless it is the newest. */
  end: number;
  end_mark: number;
}

/**
 * Finds the entries behind a position: what one import did to one item. Imports apply what they have
 * read one after the other (`lockImports`), so that no entry ever appears before one that was seen
 * already. No value is read.
 */
export function findChanges(
  connection: Connection,
  { position, limit, ids, filter, due = [], kind, variant, today }: ChangeSearch,
): Promise<FoundChanges> {
  const isOfItems = ids ? sql`release_item_id = any(${[...ids]}::uuid[])` : sql`true`;
  return queryOne(
    connection,
    sql`
      with scanned as materialized (
        select entry_id from change_entries
        where entry_id > ${position}::bigint and ${isOfItems}
        order by entry_id
        limit ${MAX_SCANNED}
      ),
      span as (
        select ${LAST_CHANGE} as newest,
          case when count(*) < ${MAX_SCANNED} then ${LAST_CHANGE} else max(entry_id) end as "end"
        from scanned
      ),
      found as (
        select entry_id
        from change_entries
        join items using (release_item_id)
        where entry_id > ${position}::bigint and entry_id <= (select "end" from span)
          and ${isOfItems}
          and ${isEntryShown(variant)}
          and ${kind ? sql`${kindsFor(variant)} && ${[...kind]}::text[]` : sql`true`}
          and ${whereFilter(filter)}
          and ${isDueWithin(due, today)}
        order by entry_id
        limit ${limit + 1}
      )
      select
        (select database_id::text from service_state) as database_id,
        ${markOf(sql`${position}::bigint`)} as mark,
        newest::float8 as newest,
        "end"::float8 as "end",
        coalesce(${markOf(sql`"end"`)}, 0) as end_mark,
        array(select entry_id::float8 from found order by entry_id) as entries
      from span
    `,
  );
}

/** The condition that a variant shows any change of an entry: what it hides is of no kind. */
function isEntryShown(variant: Variant): Sql {
  return variant.hiddenFields.length === 0 ? sql`true` : sql`cardinality(${kindsFor(variant)}) > 0`;
}

/** When the import of a change began, in milliseconds since 1970; 0: unknown. */
function markOf(changeId: Sql): Sql {
  return sql`(
    select coalesce(round(extract(epoch from started_at) * 1000), 0)::float8
    from changes
    left join import_runs using (run_id)
    where change_id = ${changeId}
  )`;
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

/** A change with its values, and the import that brought it. */
export type TracedChange = (Change & Pick<DatedChange, "day" | "kinds">) & {
  entry_id: number;
  change_id: number;
  release_item_id: string;
  /** ISO 8601, UTC; null: unknown. */
  imported_at: string | null;
  mark: number;
};

/** Reads what a variant shows of the changes of some entries, in their order. */
export function readTracedChanges(
  connection: Connection,
  entryIds: readonly number[],
  { hiddenFields }: Pick<Variant, "hiddenFields">,
): Promise<TracedChange[]> {
  return connection.query(sql`
    select entry_id::float8 as entry_id, change_id::float8 as change_id, release_item_id, kind,
      field, old_value, new_value, fields, by_source, changes.day::text as day,
      ${KINDS_OF_ENTRY} as kinds,
      ${isoTime(sql`coalesce(finished_at, started_at)`)} as imported_at,
      coalesce(round(extract(epoch from started_at) * 1000), 0)::float8 as mark
    from change_entries
    join changes using (run_id, release_item_id)
    left join import_runs using (run_id)
    where entry_id = any(${entryIds.map(String)}::bigint[])
      and (field is null or field <> all(${[...hiddenFields]}::text[]))
    order by change_id
  `);
}

/** All that stands between a position and the last change that counts, and passes one filter. */
interface AllEntries {
  database_id: string;
  /** The mark of the change at the position. */
  mark: number;
  /** The ids of the last changes of the heaviest ones, in their order. */
  entries: number[];
  /** How many entries there are in all. */
  total: number;
}

/**
 * Finds all entries behind a position, up to a change, for each of these filters, in their order. They
 * are gone through once, however many filters there are. No value is read.
 */
export function findAllEntries(
  connection: Connection,
  { position, upTo, limit, filters, variant }: {
    position: number;
    /** The id of the last change that counts. */
    upTo: number;
    limit: number;
    /** Those with `among` let through only these items. */
    filters: readonly (ChangesFilter & { among?: readonly string[] })[];
    variant: Variant;
  },
): Promise<AllEntries[]> {
  return connection.query<AllEntries>(sql`
    with news as materialized (
      select entry_id, release_item_id, product_names, tags, release_type, release_status, items.source,
        ${kindsFor(variant)} as kinds,
        array_position(${[...CHANGE_KINDS]}::text[], (${kindsFor(variant)})[1]) as weight
      from change_entries
      join items using (release_item_id)
      where entry_id > ${position}::bigint and entry_id <= ${upTo}::bigint
        and ${IS_NEWS} and ${isEntryShown(variant)}
    )
    select
      (select database_id::text from service_state) as database_id,
      coalesce(${markOf(sql`${position}::bigint`)}, 0) as mark,
      array(
        select entry_id::float8
        from (
          select * from news where ${PASSES} order by weight, entry_id limit ${limit}
        ) as heaviest
        order by entry_id
      ) as entries,
      (select count(*)::int from news where ${PASSES}) as total
    from jsonb_array_elements(${json(filters)})
      with ordinality as given (filter, place)
    order by place
  `);
}

/** The condition that a filter, `given`, has no such list, or one with the value. */
function passesList(name: keyof ChangesFilter | "among", value: Sql): Sql {
  return sql`coalesce(filter -> ${name}::text ? ${value}, true)`;
}

/** The condition that an entry, `news`, passes a filter, `given`. */
const PASSES = every([
  sql`coalesce(filter -> 'product_name' ?| news.product_names, true)`,
  sql`not exists (
    select from (
      select split_part(tag, ':', 1) as group_name,
        array_agg(substr(tag, strpos(tag, ':') + 1)) as members
      from jsonb_array_elements_text(filter -> 'tag') as tag
      group by 1
    ) as wanted
    where not coalesce(news.tags -> group_name ?| members, false)
  )`,
  passesList("release_type", sql`news.release_type`),
  passesList("release_status", sql`news.release_status`),
  passesList("source", sql`news.source`),
  passesList("among", sql`news.release_item_id::text`),
  sql`(filter -> 'kind' is null or filter -> 'kind' ?| news.kinds)`,
]);

/** The newest changes, up to this many, are scanned for the releases that they concern. */
const MAX_NEWS = 10_000;

/** Which releases changed behind a position. */
interface FoundReleases extends Pick<FoundChanges, "database_id" | "mark" | "newest" | "end_mark"> {
  /** The last changed first, up to the number that was requested. */
  ids: string[];
  total: number;
  /** How many releases, by the heaviest of what happened to them. */
  kinds: Partial<Record<ChangeKind, number>>;
  /** The earliest day of their changes, `YYYY-MM-DD`. */
  first_day: string | null;
}

/** Finds the releases of which something became behind a position, as far as a variant shows that. */
export function findChangedReleases(
  connection: Connection,
  { position, limit, variant, among }: {
    position: number;
    limit: number;
    variant: Variant;
    among: ItemFilter | readonly string[];
  },
): Promise<FoundReleases> {
  return queryOne(
    connection,
    sql`
      with behind as (
        select change_id, release_item_id, run_id, day, kind, field
        from changes
        where change_id > ${position}::bigint and ${IS_NEWS}
        order by change_id desc
        limit ${MAX_NEWS}
      ),
      ${
      netChanges(
        sql`
          select behind.* from behind join items using (release_item_id)
          where ${isAmong(among)} and ${variant.showsInactive ? sql`true` : sql`active`}
        `,
        variant,
      )
    },
      found as (
        select release_item_id, last, kinds[1] as heaviest,
          least(net.first_day, items.last_modified) as first_day
        from net
        join items using (release_item_id)
        join (
          select release_item_id, max(change_id) as last from included group by release_item_id
        ) as newest_changes using (release_item_id)
      )
      select
        (select database_id::text from service_state) as database_id,
        ${markOf(sql`${position}::bigint`)} as mark,
        newest::float8 as newest,
        coalesce(${markOf(sql`newest`)}, 0) as end_mark,
        array(select release_item_id::text from found order by last desc limit ${limit}) as ids,
        (select count(*)::int from found) as total,
        (select min(first_day)::text from found) as first_day,
        (
          select coalesce(jsonb_object_agg(heaviest, releases), '{}')
          from (select heaviest, count(*)::int as releases from found group by heaviest) as counted
        ) as kinds
      from (select ${LAST_CHANGE} as newest) as latest
    `,
  );
}
