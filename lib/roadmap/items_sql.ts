import { type Connection, queryOne } from "../database/database.ts";
import { every, type Sql, sql } from "../database/sql.ts";
import { FIELD_BOUNDARY, fold } from "../text/match_words.ts";
import { kindsFor } from "./changes/kinds_sql.ts";
import { isDueBy, isOneOfIds } from "./filter/conditions_sql.ts";
import type { ChangedFilter, ItemFilter } from "./filter/filter.ts";
import { FILTER_NAMES } from "./filter/filter_values.ts";
import { FILTER_MEANINGS } from "./filter/filters_sql.ts";
import type { Item } from "./item.ts";
import { hasWords, rankByName, rateMatch } from "./words/words_sql.ts";

/** What the items of a collection are sorted by; `relevance`: how well they meet the `q`. */
export type ItemSort = "last_modified" | "release_date" | "relevance" | "soonest";

/** The order of a collection: what it is sorted by, and which way that goes. */
export interface ItemOrder {
  sort: ItemSort | "day";
  order: "asc" | "desc";
  /** The first day, `YYYY-MM-DD`, of what comes soonest; absent: the day of the database. */
  from?: string;
}

/** The default: what was modified last comes first. */
export const NEWEST_FIRST: ItemOrder = { sort: "last_modified", order: "desc" };

/** The columns of an item; dates as text, `YYYY-MM-DD`. */
export const ITEM = sql`
  release_item_id, feature_name, release_date::text as release_date, release_type, release_status,
  product_id, product_name, product_names, tags, dates, feature_description, blog_title, blog_url,
  last_modified::text as last_modified, active, tone, language
`;

/** The columns of an item that a list shows. */
export const LISTED_ITEM = sql`
  release_item_id, feature_name, release_date::text as release_date, release_type, release_status,
  product_name, product_names, tags, dates, last_modified::text as last_modified, active, tone,
  language
`;

/**
 * The total orders of a collection: no two items are ever equal. A reversed order reverses only the
 * first key; items without a date come last either way.
 */
export function orderItems({ sort, order, from }: ItemOrder, { q, words }: ItemFilter = {}): Sql {
  const direction = order === "asc" ? sql`asc` : sql`desc`;
  switch (sort) {
    case "last_modified":
      return sql`
        items.last_modified ${direction}, items.release_date desc nulls last, release_item_id desc
      `;
    case "release_date":
      return sql`
        items.release_date ${direction} nulls last, items.last_modified desc, release_item_id desc
      `;
    case "soonest":
      return soonestFirst(from === undefined ? sql`current_date` : sql`${from}::date`);
    case "day":
      // A changelog goes by day, the newest first; inside a day by product, name and id.
      return sql`
        items.last_modified desc, lower(product_name) collate "C", lower(feature_name) collate "C",
        release_item_id
      `;
    case "relevance":
      if (q === undefined) return orderItems(NEWEST_FIRST);
      return sql`${words ? sql`${rateMatch(words)} desc` : rankItems(fold(q))}, ${
        orderItems(NEWEST_FIRST)
      }`;
  }
}

/**
 * What is planned from a day on, then what has no date, then what lies before it, latest first: quarter
 * by quarter, and in each of them what is closed last.
 */
function soonestFirst(from: Sql): Sql {
  const quarter = sql`date_trunc('quarter', items.release_date)`;
  return sql`
    case when items.release_date >= ${from} then 0 when items.release_date is null then 1 else 2 end,
    case when items.release_date >= ${from} then ${quarter} end,
    case when items.release_date < ${from} then ${quarter} end desc,
    items.tone in ('shipped', 'stopped') or not items.active,
    case when items.release_date >= ${from} then items.release_date end,
    ${orderItems({ sort: "release_date", order: "desc" })}
  `;
}

/**
 * How well an item matches folded words, 0 is best: its whole name, the start of its name, the
 * start of a word in it, within its name, its product, its description.
 */
function rankItems(words: string): Sql {
  const wordThatBegins = `(^|[^[:alnum:]])${words.replace(/[^\p{L}\p{N}\s]/gu, "\\$&")}`;
  return sql`
    case
      when starts_with(search_text, ${`${words}${FIELD_BOUNDARY}`}) then 0
      when starts_with(search_text, ${words}) then 1
      when split_part(search_text, ${FIELD_BOUNDARY}, 1) ~ ${wordThatBegins} then 2
      when strpos(split_part(search_text, ${FIELD_BOUNDARY}, 1), ${words}) > 0 then 3
      when strpos(split_part(search_text, ${FIELD_BOUNDARY}, 3), ${words}) > 0 then 4
      else 5
    end
  `;
}

/** Where a question stands, as of `rankByName`. */
export function rankNames({ q, words }: ItemFilter & { q: string }): Sql {
  return words ? rankByName(words) : sql`(array[0, 1, 1, 1, 3, 3])[1 + ${rankItems(fold(q))}]`;
}

/** The ids of all items that pass the filters, in order, 16 bytes each. */
export async function selectIds(
  connection: Connection,
  filter: ItemFilter,
  order: ItemOrder,
): Promise<Uint8Array> {
  const [row] = await connection.query<{ ids: Uint8Array | null }>(sql`
    select string_agg(uuid_send(release_item_id), ''::bytea order by ${
    orderItems(order, filter)
  }) as ids
    from items
    where ${whereFilter(filter)}
  `);
  return row?.ids ?? new Uint8Array();
}

/** How many items pass the filter. */
export async function countFiltered(connection: Connection, filter: ItemFilter): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    connection,
    sql`select count(*)::int as count from items where ${whereFilter(filter)}`,
  );
  return count;
}

/** How many of some items pass each of these filters. */
export async function countEach(
  connection: Connection,
  among: ItemFilter | readonly string[],
  filters: readonly ItemFilter[],
): Promise<number[]> {
  if (filters.length === 0) return [];
  const each = filters.map((filter) => sql`count(*) filter (where ${whereFilter(filter)})`)
    .reduce((all, one) => sql`${all}, ${one}`);
  const { counts } = await queryOne<{ counts: number[] }>(
    connection,
    sql`select array[${each}]::int[] as counts from items where ${isAmong(among)}`,
  );
  return counts;
}

/** Whether any item passes each of these filters; none passes null. */
export async function haveItems(
  connection: Connection,
  filters: readonly (ItemFilter | null)[],
): Promise<boolean[]> {
  const exist = filters.map((filter) =>
    filter ? sql`exists (select from items where ${whereFilter(filter)})` : sql`false`
  ).reduce((all, one) => sql`${all}, ${one}`);
  const { found } = await queryOne<{ found: boolean[] }>(
    connection,
    sql`select array[${exist}] as found`,
  );
  return found;
}

/** The items with these ids, in no order, as of a day; an id without an item is passed over. */
export function readItems(
  connection: Connection,
  ids: readonly string[],
  day?: string,
  dateName?: string,
): Promise<Item[]> {
  return connection.query(sql`
    select ${ITEM}, ${movedFrom(day, dateName)} as moved_from
    from items
    where release_item_id = any(${ids}::uuid[])
  `);
}

/** Whether nothing was ever imported. */
export async function isDatabaseEmpty(connection: Connection): Promise<boolean> {
  const { empty } = await queryOne<{ empty: boolean }>(
    connection,
    sql`select not exists (select from items) as empty`,
  );
  return empty;
}

/** How many items there are, removed ones included. */
export function countItems(connection: Connection): Promise<number> {
  return countFiltered(connection, { include_inactive: true });
}

/** The conditions of the filter. */
export function whereFilter(filter: ItemFilter): Sql {
  const { words, changed, ...given } = filter;
  const values = { ...given, include_inactive: filter.include_inactive ?? false };
  const conditions = FILTER_NAMES.flatMap((name) => {
    const value = values[name];
    if (value === undefined || name === "q" && words) return [];
    if (name === "due") return [isDueBy(values.due!, values.date_name)];
    // Each value is one of its own parameter.
    return [(FILTER_MEANINGS[name].condition as (value: unknown) => Sql)(value)];
  });
  return every([
    ...conditions,
    words ? hasWords(words) : sql`true`,
    changed === undefined ? sql`true` : hasChanges(changed),
  ]);
}

/** The condition that an item has one of some ids, or passes a filter. */
export function isAmong(among: ItemFilter | readonly string[]): Sql {
  return Array.isArray(among) ? isOneOfIds(among) : whereFilter(among as ItemFilter);
}

/** Of the day of the last change; an item may be first seen after that. */
const IS_OF_LAST_DAY = sql`(
  entry.day = items.last_modified
  or entry.day > items.last_modified and 'added' = any(kinds_by_day)
)`;

function hasChanges({ day, kinds, precision }: ChangedFilter): Sql {
  return sql`exists (
    select from change_entries as entry
    where entry.release_item_id = items.release_item_id
      and ${day === undefined ? IS_OF_LAST_DAY : sql`entry.day = ${day}::date`}
      and ${
    kinds ? sql`${kindsFor({ datePrecision: precision })} && ${[...kinds]}::text[]` : sql`true`
  }
  )`;
}

/** Those of some items that pass a filter, in their order or in one of a collection. */
export async function narrowIds(
  connection: Connection,
  ids: readonly string[],
  filter: ItemFilter,
  order?: ItemOrder,
): Promise<string[]> {
  const items = await connection.query<{ release_item_id: string }>(sql`
    select release_item_id
    from unnest(${[...ids]}::uuid[]) with ordinality as found (release_item_id, place)
    join items using (release_item_id)
    where ${whereFilter(filter)}
    order by ${order ? orderItems(order) : sql`place`}
  `);
  return items.map(({ release_item_id }) => release_item_id);
}

/** Of these items, in the same order, the id and the day of the last change (`YYYY-MM-DD`). */
export function readModifiedDays(
  connection: Connection,
  ids: readonly string[],
): Promise<{ release_item_id: string; last_modified: string }[]> {
  return connection.query(sql`
    select release_item_id, last_modified::text as last_modified
    from unnest(${ids}::uuid[]) with ordinality as wanted (release_item_id, position)
    join items using (release_item_id)
    order by position
  `);
}

/**
 * The planned day (`YYYY-MM-DD`) that an item had before its date last moved; null: it never did.
 *
 * @param day only moves that were seen by this day count; absent: all
 * @param dateName the name of the date that is asked by; absent: the release date
 */
export function movedFrom(day?: string, dateName?: string): Sql {
  const isKnown = day === undefined
    ? sql`true`
    : sql`run_id in (select run_id from import_runs where as_of <= ${day}::date)`;
  if (dateName !== undefined) {
    const [before, after] = [sql`old_value`, sql`new_value`].map((dates) =>
      dayNamed(dateName, sql`${dates}::jsonb`)
    );
    return sql`(
      select (array_agg((${before})::text order by change_id desc))[1]
      from changes
      where changes.release_item_id = items.release_item_id
        and field = 'dates' and ${before} <> ${after} and ${isKnown}
    )`;
  }
  return sql`(
    select (array_agg(old_value order by change_id desc))[1]
    from changes
    where changes.release_item_id = items.release_item_id
      and field = 'release_date' and old_value is not null and new_value is not null
      and ${isKnown}
  )`;
}

/** The day of a name, in any case, among named dates; null: none. Most ask by the name as it is. */
export function dayNamed(name: string, dates: Sql): Sql {
  return sql`coalesce(
    ${dates} ->> ${name}::text, lower((${dates})::text)::jsonb ->> lower(${name}::text)
  )::date`;
}
