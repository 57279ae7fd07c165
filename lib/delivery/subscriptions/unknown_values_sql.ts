import { type Connection, queryOne } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";
import { FILTER_MEANINGS } from "../../roadmap/filter/filters_sql.ts";

/** Where the values of a release come from, by the names of the lists in the API. */
const LISTS = {
  products: FILTER_MEANINGS.product_name.values,
  types: FILTER_MEANINGS.release_type.values,
  statuses: FILTER_MEANINGS.release_status.values,
  sources: FILTER_MEANINGS.source.values,
  tags: FILTER_MEANINGS.tag.values,
};

/** Values that no release has; a list without such values is left out. */
export type UnknownValues = Partial<Record<keyof typeof LISTS | "date_name", string[]>>;

/** The values that no active release has now; null where every one has. */
export async function findUnknown(
  connection: Connection,
  lists: Required<UnknownValues>,
): Promise<UnknownValues | null> {
  const unknownIn = Object.entries(LISTS).map(([name, values]) =>
    sql`
      ${name}::text, (
        select jsonb_agg(given) from unnest(${lists[name as keyof typeof LISTS]}::text[]) as given
        where given not in (select value from items, lateral ${values} where active)
      ),
    `
  ).reduce((all, one) => sql`${all} ${one}`);
  const { unknown } = await queryOne<{ unknown: UnknownValues }>(
    connection,
    sql`
      select jsonb_strip_nulls(jsonb_build_object(
        ${unknownIn}
        'date_name', (
          select jsonb_agg(given) from unnest(${lists.date_name}::text[]) as given
          where not exists (
            select 1 from items, jsonb_object_keys(dates) as name
            where active and dates <> '{}' and lower(name) = lower(given)
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
