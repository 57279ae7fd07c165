import type { Item, ListedItem } from "../roadmap/item.ts";
import type { Connection } from "../database/database.ts";
import type { EmbeddingSet } from "./embeddings_sql.ts";
import { hasProduct } from "../roadmap/filter/conditions_sql.ts";
import { LISTED_ITEM, NEWEST_FIRST, orderItems } from "../roadmap/items_sql.ts";
import { sql } from "../database/sql.ts";

export type NamedItem = Pick<Item, "release_item_id" | "feature_name" | "language">;

/** Active items that share a product with this one, newest first. */
export function findOfSameProduct(
  connection: Connection,
  item: Item,
  limit: number,
): Promise<ListedItem[]> {
  return connection.query(sql`
    select ${LISTED_ITEM}
    from items
    where active
      and ${hasProduct(item.product_names)}
      and release_item_id <> ${item.release_item_id}::uuid
    order by ${orderItems(NEWEST_FIRST)}
    limit ${limit}
  `);
}

/** Names with less in common than that say nothing; 1 is the same name. */
const MIN_NAME_SIMILARITY = 0.5;

/** Active items of the same products whose names have most in common with that of this one. */
export function findOfSimilarName(
  connection: Connection,
  item: Item,
  limit: number,
): Promise<NamedItem[]> {
  const similarity = sql`similarity(lower(feature_name), lower(${item.feature_name}))`;
  return connection.query(sql`
    select release_item_id, feature_name, language
    from items
    where active
      and ${hasProduct(item.product_names)}
      and release_item_id <> ${item.release_item_id}::uuid
      and ${similarity} >= ${MIN_NAME_SIMILARITY}::real
    order by ${similarity} desc, release_item_id
    limit ${limit}
  `);
}

/** The active items most similar in meaning to this one; none if it has no vector. */
export function findSimilar(
  connection: Connection,
  item: Item,
  { set, limit }: { set: EmbeddingSet; limit: number },
): Promise<ListedItem[]> {
  return connection.query(sql`
    with own as (
      select embedding
      from items
      join embeddings using (text_hash)
      where set_id = ${set.set_id} and release_item_id = ${item.release_item_id}::uuid
    )
    select ${LISTED_ITEM}
    from items
    join embeddings using (text_hash)
    where set_id = ${set.set_id}
      and active
      and release_item_id <> ${item.release_item_id}::uuid
      and exists (select from own)
    order by embedding <=> (select embedding from own)
    limit ${limit}
  `);
}
