import { type Connection, type Database, queryOne } from "../database/database.ts";
import { type EmbeddingSet, lacksVector, vectorTypeOf } from "./embedding_sets_sql.ts";
import { raiseDataVersion } from "../database/data_version.ts";
import { sql } from "../database/sql.ts";

/** How many vectors are compared with unrelated ones; in the order of hashes, they are random. */
const NOISE_SAMPLE = 1_000;

/** A text that has no vector yet, and one of the items it belongs to. */
export interface UnembeddedItem {
  release_item_id: string;
  feature_name: string;
  product_name: string;
  feature_description: string | null;
  /** In hexadecimal digits. */
  text_hash: string;
}

/** A vector, and the hash of the text (in hexadecimal digits) that it was made from. */
export interface Embedding {
  text_hash: string;
  vector: Float32Array;
}

/** How many different texts of items have no vector in a set. */
export async function countUnembedded(connection: Connection, set: EmbeddingSet): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    connection,
    sql`select count(distinct text_hash)::int as count from items where ${lacksVector(set)}`,
  );
  return count;
}

/** The next different texts without a vector, in the order of their hashes. */
export function readUnembedded(
  connection: Connection,
  set: EmbeddingSet,
  page: { after: string; limit: number },
): Promise<UnembeddedItem[]> {
  return connection.query(sql`
    select distinct on (items.text_hash)
      release_item_id, feature_name, product_name, feature_description,
      encode(items.text_hash, 'hex') as text_hash
    from items
    where items.text_hash > decode(${page.after}, 'hex') and ${lacksVector(set)}
    order by items.text_hash, release_item_id
    limit ${page.limit}
  `);
}

/** Stores vectors, and notifies every process now or at the end of the run. */
export async function storeEmbeddings(
  database: Database,
  set: EmbeddingSet,
  { embeddings, announce }: { embeddings: readonly Embedding[]; announce: boolean },
): Promise<void> {
  await database.transaction(async (connection) => {
    await connection.query(sql`
      insert into embeddings (set_id, text_hash, embedding)
      select ${set.set_id}::int, decode(text_hash, 'hex'), embedding::${vectorTypeOf(set)}
      from unnest(
        ${embeddings.map(({ text_hash }) => text_hash)}::text[],
        ${embeddings.map(({ vector }) => formatVector(vector))}::text[]
      ) as made (text_hash, embedding)
      on conflict do nothing
    `);
    await connection.query(sql`
      update embedding_sets set has_news = ${!announce} where set_id = ${set.set_id}
    `);
    if (announce) await raiseDataVersion(connection);
  });
}

/** The similarity to any stored vector that nine in ten of these do not exceed; null: none is stored. */
export async function readNoise(
  connection: Connection,
  set: EmbeddingSet,
  vectors: readonly Float32Array[],
): Promise<number | null> {
  const { noise } = await queryOne<{ noise: number | null }>(
    connection,
    sql`
      with sample as (
        select embedding from embeddings
        where set_id = ${set.set_id}
        order by text_hash
        limit ${NOISE_SAMPLE}
      ), nearest as (
        select max(1 - (embedding <=> vector)) as similarity
        from unnest(${vectors.map(formatVector)}::text[]) as texts (text)
        cross join lateral (select text::${vectorTypeOf(set)} as vector offset 0) as unrelated
        cross join sample
        group by text
      )
      select percentile_disc(0.9) within group (order by similarity) as noise from nearest
    `,
  );
  return noise;
}

/** Stores the similarity from which an item matches, and notifies every process. */
export async function storeMinSimilarity(
  database: Database,
  set: EmbeddingSet,
  similarity: number,
): Promise<void> {
  await database.transaction(async (connection) => {
    const changed = await connection.query(sql`
      update embedding_sets set min_similarity = ${similarity}
      where set_id = ${set.set_id} and min_similarity is distinct from ${similarity}
      returning 1
    `);
    if (changed.length > 0) await raiseDataVersion(connection);
  });
}

/** Deletes vectors of texts that no item has had for a month. */
export async function dropForgotten(connection: Connection, set: EmbeddingSet): Promise<void> {
  await connection.query(sql`
    delete from embeddings
    where set_id = ${set.set_id} and created_at < now() - interval '30 days'
      and not exists (select from items where items.text_hash = embeddings.text_hash)
  `);
}

/**
 * A vector as pgvector reads it.
 *
 * ```ts
 * if (formatVector(Float32Array.of(0.5, -1)) !== "[0.5,-1]") throw new Error();
 * ```
 */
export function formatVector(vector: Float32Array): string {
  return `[${vector.join(",")}]`;
}
