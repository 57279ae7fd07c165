import { ExpectedError } from "../expected_error.ts";
import { type Connection, type Database, queryOne } from "../database/database.ts";
import { raiseDataVersion } from "../database/data_version.ts";
import { Sql, sql } from "../database/sql.ts";
import type { ItemFilter } from "../roadmap/filter/filter.ts";
import { whereFilter } from "../roadmap/items_sql.ts";

/** The vectors that one model made in one length. */
export interface EmbeddingSet {
  set_id: number;
  model: string;
  dimensions: number;
  /** The similarity from which an item matches a query, as measured; null: not measured yet. */
  min_similarity: number | null;
}

/** The database cannot hold vectors; the message says why. */
export class PgvectorMissing extends ExpectedError {}

/**
 * The type of a set's vectors, which a parameter is cast to. 16-bit numbers take half the room and
 * are compared in half the time.
 */
function vectorTypeOf({ dimensions }: Pick<EmbeddingSet, "dimensions">): Sql {
  return new Sql([`halfvec(${Number(dimensions)})`], []);
}

/** The condition that an item has no vector of its current text. */
function lacksVector(set: EmbeddingSet): Sql {
  return sql`not exists (
    select from embeddings
    where set_id = ${set.set_id} and embeddings.text_hash = items.text_hash
  )`;
}

/**
 * Finds the set of a model and a length, or makes it; drops those of models replaced a day ago.
 *
 * @throws {PgvectorMissing} where the database has no pgvector that is new enough
 */
export async function prepareSet(
  database: Database,
  { model, dimensions }: { model: string; dimensions: number },
): Promise<EmbeddingSet> {
  // Until then one may turn back to a model that was replaced.
  await database.query(sql`
    delete from embedding_sets where retired_at < now() - interval '1 day'
  `);
  await requirePgvector(database);
  await database.script("select make_embeddings()");
  return await queryOne(
    database,
    sql`
      with retired as (
        update embedding_sets set retired_at = now()
        where (model, dimensions) <> (${model}, ${dimensions}::int) and retired_at is null
      )
      insert into embedding_sets (model, dimensions) values (${model}, ${dimensions})
      on conflict (model, dimensions) do update set retired_at = null
      returning set_id, model, dimensions, min_similarity
    `,
  );
}

async function requirePgvector(database: Database): Promise<void> {
  try {
    await database.script("create extension if not exists vector");
  } catch (error) {
    const { code } = error as { code?: string };
    // feature_not_supported, undefined_file, insufficient_privilege
    if (!["0A000", "58P01", "42501"].includes(code ?? "")) throw error;
    throw new PgvectorMissing(
      `The database has no pgvector (${(error as Error).message}): install it, and let an ` +
        `administrator run "create extension vector" in this database`,
    );
  }
  const { is_new } = await queryOne<{ is_new: boolean }>(
    database,
    sql`
      select string_to_array(extversion, '.')::int[] >= array[0, 8] as is_new
      from pg_extension where extname = 'vector'
    `,
  );
  if (!is_new) {
    throw new PgvectorMissing(
      'The pgvector of the database is older than 0.8: update it, and run "alter extension vector update"',
    );
  }
}

/** A set as searches see it. */
export interface SearchableSet extends EmbeddingSet {
  embedded: number;
}

/** The vectors of a model, however many there are yet; null: there are none. */
export async function findSet(
  connection: Connection,
  { model, dimensions }: { model: string; dimensions: number },
): Promise<SearchableSet | null> {
  const [set] = await connection.query<EmbeddingSet>(sql`
    select set_id, model, dimensions, min_similarity
    from embedding_sets
    where model = ${model} and dimensions = ${dimensions} and to_regclass('embeddings') is not null
  `);
  if (!set) return null;
  const { embedded } = await queryOne<{ embedded: number }>(
    connection,
    sql`select count(*)::int as embedded from embeddings where set_id = ${set.set_id}`,
  );
  return { ...set, embedded };
}

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
  { embeddings, announce }: {
    embeddings: readonly { text_hash: string; vector: Float32Array }[];
    announce: boolean;
  },
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
    if (announce) await raiseDataVersion(connection);
  });
}

/** Notifies every process of the vectors that were stored. */
export async function announceEmbeddings(database: Database): Promise<void> {
  await database.transaction(raiseDataVersion);
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

/** The most items that a search by meaning finds. */
const MAX_NEAREST = 1_000;

/** The query of a search by meaning. */
export interface Question {
  set: EmbeddingSet;
  vector: Float32Array;
  minSimilarity: number;
  /** Its `q` plays no part. */
  filter: ItemFilter & { q: string };
}

/** An item that is near to a question. */
export interface NearItem {
  release_item_id: string;
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
