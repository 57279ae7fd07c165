import { type Connection, queryOne } from "../../database/database.ts";
import { every, type Sql, sql } from "../../database/sql.ts";
import type { ItemFilter } from "../filter/filter.ts";
import type { DatedChange, ListedItem } from "../item.ts";
import { LISTED_ITEM, whereFilter } from "../items_sql.ts";
import type { Variant } from "../variant.ts";
import { kindsFor } from "../filter/conditions_sql.ts";
import { changeUpTo, IS_NEWS, isShownBy, KINDS_OF_ENTRY } from "./changes_sql.ts";
import { type ChangeKind, heaviestKind } from "./kinds.ts";

/** The most characters of a value that are compared. */
const COMPARED_LENGTH = 4_000;
/** The most releases that a line about a new source names. */
const MAX_NAMES = 20;

/** A place between entries: behind this one, in the order of the changelog. */
export interface EntryPlace {
  /** `YYYY-MM-DD` */
  day: string;
  entry_id: number;
}

/** Which entries a changelog shows. */
export interface EntrySearch {
  variant: Variant;
  /** Of releases as they are now. */
  filter: ItemFilter;
  /** Absent: of any kind. */
  kind?: readonly ChangeKind[];
  /** Of these days, `YYYY-MM-DD`, both included. */
  from?: string;
  to?: string;
  /** Those after this change. */
  after?: number;
}

/** What one import changed of one release. */
export interface ChangelogEntry extends EntryPlace {
  run_id: number;
  kinds: ChangeKind[];
  /** As it is now. */
  item: ListedItem;
  /** In the order of fields; long values are shortened. */
  changes: DatedChange[];
}

/** The first import of a source. */
export interface Introduction {
  run_id: number;
  source: string;
  /** No source was read before it. */
  is_first: boolean;
  /** `YYYY-MM-DD` */
  day: string;
  /** How many of its releases pass the filter, and the first ones. */
  count: number;
  items: { release_item_id: string; feature_name: string; language: string | null }[];
}

/** Reads entries from a place on, the newest day first; inside a day the last change first. */
export function readEntries(
  connection: Connection,
  search: EntrySearch,
  { before, limit }: { before?: EntryPlace; limit: number },
): Promise<ChangelogEntry[]> {
  const isOlder = before === undefined
    ? sql`true`
    : sql`(day, entry_id) < (${before.day}::date, ${String(before.entry_id)}::bigint)`;
  return connection.query(sql`
    with listed as (
      select entry_id, run_id, release_item_id, day, ${kindsFor(search.variant)} as kinds,
        ${KINDS_OF_ENTRY} as kinds_of_changes
      from change_entries
      join items using (release_item_id)
      where ${isWanted(search)} and ${isOlder}
      order by day desc, entry_id desc
      limit ${limit}
    )
    select entry_id::float8 as entry_id, run_id, listed.day::text as day, kinds,
      (select to_jsonb(item) from (select ${LISTED_ITEM}) as item) as item,
      (
        select coalesce(jsonb_agg(${changeUpTo(COMPARED_LENGTH)} order by change_id), '[]')
        from (
          select changes.*, kinds_of_changes as kinds
          from changes
          where changes.run_id = listed.run_id
            and changes.release_item_id = listed.release_item_id
            and ${isShownBy(search.variant)}
        ) as own
      ) as changes
    from listed
    join items using (release_item_id)
    order by listed.day desc, entry_id desc
  `);
}

/** How many entries there are, in all and of each kind, whatever kind is asked for. */
export async function countEntries(
  connection: Connection,
  { kind: _, ...search }: EntrySearch,
): Promise<{ total: number; kinds: Partial<Record<ChangeKind, number>> }> {
  return await queryOne(
    connection,
    sql`
      with counted as (
        select ${kindsFor(search.variant)} as kinds, count(*)::int as count
        from change_entries
        join items using (release_item_id)
        where ${isWanted(search)}
        group by 1
      )
      select
        (select coalesce(sum(count), 0)::int from counted) as total,
        (
          select coalesce(jsonb_object_agg(kind, count), '{}')
          from (
            select kind, sum(count)::int as count
            from counted cross join unnest(kinds) as kind
            group by kind
          ) as by_kind
        ) as kinds
    `,
  );
}

/** How many entries there are by the heaviest kind of each. */
export async function countByHeaviest(
  connection: Connection,
  search: EntrySearch,
): Promise<Partial<Record<ChangeKind, number>>> {
  const counted = await connection.query<{ kinds: ChangeKind[]; count: number }>(sql`
    select ${kindsFor(search.variant)} as kinds, count(*)::int as count
    from change_entries
    join items using (release_item_id)
    where ${isWanted(search)}
    group by 1
  `);
  const byKind = Map.groupBy(counted, ({ kinds }) => heaviestKind(kinds));
  return Object.fromEntries(
    [...byKind].map(([kind, some]) => [kind, some.reduce((sum, { count }) => sum + count, 0)]),
  );
}

/** The months that have entries, the newest first. */
export function listMonths(
  connection: Connection,
  search: EntrySearch,
): Promise<{ month: string; count: number }[]> {
  return connection.query(sql`
    select to_char(day, 'YYYY-MM') as month, count(*)::int as count
    from change_entries
    join items using (release_item_id)
    where ${isWanted(search)}
    group by 1
    order by 1 desc
  `);
}

/** The nearest days with entries, or with the first import of a source, before and after a day. */
export function findDaysBeside(
  connection: Connection,
  variant: Variant,
  day: string,
): Promise<{ before: string | null; after: string | null }> {
  const isShown = isWanted({ variant, filter: { include_inactive: true } });
  const nearest = (which: Sql) =>
    sql`(
      select day from change_entries join items using (release_item_id)
      where ${isShown} and ${which}
      limit 1
    )`;
  const introduced = sql`
    from import_runs
    where not is_news and exists (
      select from change_entries where change_entries.run_id = import_runs.run_id
    )
  `;
  return queryOne(
    connection,
    sql`
      select
        greatest(
          ${nearest(sql`day < ${day}::date order by day desc`)},
          (select max(as_of) ${introduced} and as_of < ${day}::date)
        )::text as before,
        least(
          ${nearest(sql`day > ${day}::date order by day`)},
          (select min(as_of) ${introduced} and as_of > ${day}::date)
        )::text as after
    `,
  );
}

/** The first imports of sources within some days that brought releases which pass a filter. */
export function readIntroductions(
  connection: Connection,
  { filter, from, to }: Pick<EntrySearch, "filter" | "from" | "to">,
): Promise<Introduction[]> {
  return connection.query(sql`
    select run_id, source_name as source, as_of::text as day, count, items,
      source_name = (select source_name from import_runs order by run_id limit 1) as is_first
    from import_runs
    cross join lateral (
      select count(*)::int as count,
        coalesce(
          jsonb_agg(
            jsonb_build_object(
              'release_item_id', release_item_id,
              'feature_name', feature_name,
              'language', language
            )
            order by place
          ) filter (where place <= ${MAX_NAMES}),
          '[]'
        ) as items
      from (
        select release_item_id, feature_name, language,
          row_number() over (order by lower(feature_name) collate "C", release_item_id) as place
        from change_entries
        join items using (release_item_id)
        where change_entries.run_id = import_runs.run_id and ${whereFilter(filter)}
      ) as brought
    ) as brought
    where not is_news and count > 0 and ${isWithin(sql`as_of`, { from, to })}
    order by as_of desc, run_id desc
  `);
}

function isWanted({ variant, filter, kind, from, to, after }: EntrySearch): Sql {
  return every([
    whereFilter(filter),
    sql`cardinality(${kindsFor(variant)}) > 0`,
    IS_NEWS,
    isWithin(sql`day`, { from, to }),
    kind ? sql`${kindsFor(variant)} && ${[...kind]}::text[]` : sql`true`,
    after === undefined ? sql`true` : sql`entry_id > ${String(after)}::bigint`,
  ]);
}

function isWithin(day: Sql, { from, to }: Pick<EntrySearch, "from" | "to">): Sql {
  return every([
    from === undefined ? sql`true` : sql`${day} >= ${from}::date`,
    to === undefined ? sql`true` : sql`${day} <= ${to}::date`,
  ]);
}
