import { fold } from "../text/fold.ts";
import type { Item } from "./item.ts";
import { type Connection, queryOne } from "../database/database.ts";
import { every, type Sql, sql } from "../database/sql.ts";

/** What narrows a collection; an absent filter lets everything through. */
export interface ItemFilters {
  product_name?: string;
  release_type?: string;
  release_status?: string;
  /** `YYYY-MM-DD`: modified on this day or later */
  modified_since?: string;
  /** Words to look for, in any case; not empty. */
  q?: string;
  /** Removed items as well. */
  include_inactive: boolean;
}

export type ItemSort = "last_modified" | "release_date";

/** The columns of an item; dates as text, `YYYY-MM-DD`. */
export const ITEM = sql`
  release_item_id, feature_name, release_date::text as release_date, release_type, release_status,
  product_id, product_name, feature_description, blog_title, blog_url,
  last_modified::text as last_modified, active
`;

/** The total orders of a collection: no two items ever stand level. */
export const ITEM_ORDER: Readonly<Record<ItemSort, Sql>> = {
  last_modified:
    sql`items.last_modified desc, items.release_date desc nulls last, release_item_id desc`,
  release_date:
    sql`items.release_date desc nulls last, items.last_modified desc, release_item_id desc`,
};

/** The ids of all items that pass the filters, in order, 16 bytes each. */
export async function selectIds(
  connection: Connection,
  filters: ItemFilters,
  sort: ItemSort,
): Promise<Uint8Array> {
  const [row] = await connection.query<{ ids: Uint8Array | null }>(sql`
    select string_agg(uuid_send(release_item_id), ''::bytea order by ${ITEM_ORDER[sort]}) as ids
    from items
    where ${passes(filters)}
  `);
  return row?.ids ?? new Uint8Array();
}

/** The items with these ids, in no order; an id without an item is passed over. */
export function readItems(connection: Connection, ids: readonly string[]): Promise<Item[]> {
  return connection.query(sql`
    select ${ITEM} from items where release_item_id = any(${ids}::uuid[])
  `);
}

/** Tells whether nothing was ever imported. */
export async function isDatabaseEmpty(connection: Connection): Promise<boolean> {
  const { empty } = await queryOne<{ empty: boolean }>(
    connection,
    sql`select not exists (select from items) as empty`,
  );
  return empty;
}

/** How many items there are, removed ones included. */
export async function countItems(connection: Connection): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    connection,
    sql`select count(*)::int as count from items`,
  );
  return count;
}

/** The distinct values of the active items, sorted by code point. */
export interface FilterOptions {
  product_names: string[];
  release_types: string[];
  release_statuses: string[];
}

/** What the filters of a collection can be set to. */
export async function readFilterOptions(connection: Connection): Promise<FilterOptions> {
  const [options] = await connection.query<FilterOptions>(sql`
    select
      array(
        select distinct product_name collate "C" from items where active order by 1
      ) as product_names,
      array(
        select distinct release_type collate "C" from items where active order by 1
      ) as release_types,
      array(
        select distinct release_status collate "C" from items where active order by 1
      ) as release_statuses
  `);
  return options!;
}

/** The conditions that an item meets to pass the filters. */
export function passes(filters: ItemFilters): Sql {
  const { product_name, release_type, release_status, modified_since, q } = filters;
  return every([
    filters.include_inactive ? sql`true` : sql`active`,
    product_name === undefined ? sql`true` : sql`product_name = ${product_name}`,
    release_type === undefined ? sql`true` : sql`release_type = ${release_type}`,
    release_status === undefined ? sql`true` : sql`release_status = ${release_status}`,
    modified_since === undefined ? sql`true` : sql`last_modified >= ${modified_since}::date`,
    q === undefined ? sql`true` : sql`search_text like ${likePattern(q)}`,
  ]);
}

/**
 * The pattern of LIKE that finds a text as it stands, in any case: `%`, `_` and `\` are themselves.
 *
 * ```ts
 * if (likePattern("50 %") !== "%50 \\%%") throw new Error(likePattern("50 %"));
 * ```
 */
export function likePattern(text: string): string {
  return `%${fold(text).replace(/[\\%_]/g, "\\$&")}%`;
}
