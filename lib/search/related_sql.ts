import type { Item, ListedItem } from "../roadmap/item.ts";
import type { Connection } from "../database/database.ts";
import { type EmbeddingSet, tableOf } from "./embedding_sets_sql.ts";
import { LISTED_ITEM, NEWEST_FIRST, orderItems } from "../roadmap/items_sql.ts";
import { sql } from "../database/sql.ts";

/** Active items of the same product as this one, newest first. */
export function findOfSameProduct(
  connection: Connection,
  item: Item,
  limit: number,
): Promise<ListedItem[]> {
  return connection.query(sql`
    select ${LISTED_ITEM}
    from items
    where active
      and product_name = ${item.product_name}
      and release_item_id <> ${item.release_item_id}::uuid
    order by ${orderItems(NEWEST_FIRST)}
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
      join ${tableOf(set)} using (text_hash)
      where release_item_id = ${item.release_item_id}::uuid
    )
    select ${LISTED_ITEM}
    from items
    join ${tableOf(set)} using (text_hash)
    where active
      and release_item_id <> ${item.release_item_id}::uuid
      and exists (select from own)
    order by embedding <=> (select embedding from own)
    limit ${limit}
  `);
}
