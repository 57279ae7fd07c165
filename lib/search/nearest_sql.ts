import type { Connection } from "../database/database.ts";
import { type EmbeddingSet, vectorTypeOf } from "./embedding_sets_sql.ts";
import { formatVector } from "./embeddings_sql.ts";
import type { ItemFilter } from "../roadmap/filter/filter.ts";
import { type ItemOrder, orderItems, whereFilter } from "../roadmap/items_sql.ts";
import { sql } from "../database/sql.ts";

/** The most items that a search by meaning finds. */
export const MAX_NEAREST = 1_000;

/** The query of a search by meaning. */
export interface Question {
  set: EmbeddingSet;
  vector: Float32Array;
  /** Cosine similarity, -1 to 1 */
  minSimilarity: number;
  /** Its `q` plays no part. */
  filter: ItemFilter & { q: string };
}

/** An item that is near to a question. */
export interface NearItem {
  release_item_id: string;
  /** Cosine similarity, -1 to 1 */
  similarity: number;
}

/** The nearest items, by comparing every vector that the filter leaves. */
export function searchNearest(
  connection: Connection,
  { set, vector, minSimilarity, filter }: Question,
): Promise<NearItem[]> {
  return connection.query(sql`
    -- The vector of the question is read from its text once, and not for every row.
    with queried as materialized (
      select ${formatVector(vector)}::text::${vectorTypeOf(set)} as vector
    ),
    compared as materialized (
      select release_item_id, embedding <=> (select vector from queried) as distance
      from items
      join embeddings using (text_hash)
      where set_id = ${set.set_id} and ${whereFilter({ ...filter, q: undefined, words: undefined })}
    )
    select release_item_id, 1 - distance as similarity
    from compared
    where distance <= ${1 - minSimilarity}::float8
    order by distance, release_item_id
    limit ${MAX_NEAREST}
  `);
}

/** Puts items into one of the orders of a collection. */
export async function sortIds(
  connection: Connection,
  ids: readonly string[],
  order: ItemOrder,
): Promise<string[]> {
  const items = await connection.query<{ release_item_id: string }>(sql`
    select release_item_id
    from items
    where release_item_id = any(${ids}::uuid[])
    order by ${orderItems(order)}
  `);
  return items.map(({ release_item_id }) => release_item_id);
}
