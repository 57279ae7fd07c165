import { type Connection, queryOne } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";

/** Values that no release has; a list without such values is left out. */
export interface UnknownValues {
  products?: string[];
  types?: string[];
  statuses?: string[];
  tags?: string[];
  sources?: string[];
  date_name?: string[];
}

/** The values that no active release has now; null where every one has. */
export async function findUnknown(
  connection: Connection,
  lists: Required<UnknownValues>,
): Promise<UnknownValues | null> {
  const { unknown } = await queryOne<{ unknown: UnknownValues }>(
    connection,
    sql`
      select jsonb_strip_nulls(jsonb_build_object(
        'products', (
          select jsonb_agg(value) from unnest(${lists.products}::text[]) as value
          where not exists (
            select 1 from items where active and product_names && array[value]
          )
        ),
        'types', (
          select jsonb_agg(value) from unnest(${lists.types}::text[]) as value
          where value not in (select release_type from items where active)
        ),
        'statuses', (
          select jsonb_agg(value) from unnest(${lists.statuses}::text[]) as value
          where value not in (select release_status from items where active)
        ),
        'sources', (
          select jsonb_agg(value) from unnest(${lists.sources}::text[]) as value
          where value not in (select source from items where active)
        ),
        'tags', (
          select jsonb_agg(value) from unnest(${lists.tags}::text[]) as value
          where not exists (
            select 1 from items
            where active
              and tags->split_part(value, ':', 1) ? substr(value, strpos(value, ':') + 1)
          )
        ),
        'date_name', (
          select jsonb_agg(value) from unnest(${lists.date_name}::text[]) as value
          where not exists (
            select 1 from items, jsonb_object_keys(dates) as name
            where active and dates <> '{}' and lower(name) = lower(value)
          )
        )
      )) as unknown
    `,
  );
  return Object.keys(unknown).length > 0 ? unknown : null;
}

/** Of some words, the shortest name of a product that has each, whatever its case. */
export async function findProductsWith(
  connection: Connection,
  words: readonly string[],
): Promise<Map<string, string>> {
  if (words.length === 0) return new Map();
  const rows = await connection.query<{ word: string; product: string }>(sql`
    select distinct on (word) word, product
    from unnest(${[...words]}::text[]) as word
    join (
      select distinct unnest(product_names) as product from items where active
    ) as products on position(lower(word) in lower(product)) > 0
    order by word, length(product), product
  `);
  return new Map(rows.map(({ word, product }) => [word, product]));
}

/** The ids of these that no release has, removed ones included. */
export async function findUnknownReleases(
  connection: Connection,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await connection.query<{ id: string }>(sql`
    select id::text as id from unnest(${[...ids]}::uuid[]) as id
    where not exists (select 1 from items where release_item_id = id)
  `);
  return rows.map(({ id }) => id);
}
