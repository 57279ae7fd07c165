import type { Connection, Database } from "../database/database.ts";
import { type SearchableSet, tableOf, vectorTypeOf } from "./embedding_sets_sql.ts";
import { formatVector } from "./embeddings_sql.ts";
import type { ItemFilter } from "../roadmap/filter/filter.ts";
import { type ItemOrder, orderItems, whereFilter } from "../roadmap/items_sql.ts";
import { type Sql, sql } from "../database/sql.ts";

/** The most items that a search by meaning finds. */
export const MAX_NEAREST = 1_000;
/** Comparing this many vectors one by one takes 10 to 50 ms; the index is for more. */
export const INDEXED_FROM = 20_000;

/** Few rows are looked up by hash; the planner overestimates the cost. */
const INDEX_SETTINGS = `
  set local hnsw.iterative_scan = relaxed_order;
  set local hnsw.ef_search = ${MAX_NEAREST};
  set local enable_seqscan = off;
  set local enable_hashjoin = off;
  set local enable_mergejoin = off;
`;

/** Vectors are large: to read all of them in turn is cheaper than to look each one up. */
const EXACT_SETTINGS = "set local random_page_cost = 4";

/** The query of a search by meaning. */
export interface Question {
  set: SearchableSet;
  vector: Float32Array;
  /** Cosine similarity, -1 to 1 */
  minSimilarity: number;
  /** Its `q` plays no part. */
  filter: ItemFilter & { q: string };
  /** How many items the filter leaves. */
  left: number;
}

/** An item that is near to a question. */
export interface NearItem {
  release_item_id: string;
  /** Cosine similarity, -1 to 1 */
  similarity: number;
}

/** The vector of the query, read from its text once and not for every row. */
function queried({ set, vector }: Question): Sql {
  return sql`queried as materialized (
    select ${formatVector(vector)}::text::${vectorTypeOf(set)} as vector
  )`;
}

const DISTANCE = sql`(embedding <=> (select vector from queried))`;

/** The nearest items: from the index where comparing every vector would take long, else exact. */
export async function searchNearest(database: Database, question: Question): Promise<NearItem[]> {
  const { set, left, minSimilarity } = question;
  if (!set.is_indexed || left < INDEXED_FROM) return await searchExact(database, question);
  const items = await searchIndex(database, question);
  // The index gives up where the filters keep few of the items that are near.
  if (items.length < MAX_NEAREST) return await searchExact(database, question);
  return items.filter(({ similarity }) => similarity >= minSimilarity);
}

/** The nearest items by comparing every vector that the filters leave: exact. */
export async function searchExact(database: Database, question: Question): Promise<NearItem[]> {
  const { set, left, minSimilarity } = question;
  const distances = sql`select text_hash, ${DISTANCE} as distance from ${tableOf(set)}`;
  const leavesLittle = left * 5 < set.embedded;
  // The planner takes looking up a vector for each item for dearer than it is; that is the right
  // thing to do only where the filters leave little.
  const measured = leavesLittle
    ? sql`
      cross join lateral (
        select distance from (${distances}) as measured
        where measured.text_hash = items.text_hash
        offset 0
      ) as measured
    `
    : sql`join (${distances}) as measured using (text_hash)`;
  const statement = sql`
    with ${queried(question)}, compared as materialized (
      select release_item_id, distance
      from items
      ${measured}
      where ${whereFilter(withoutWords(question))}
    )
    select release_item_id, 1 - distance as similarity
    from compared
    where distance <= ${1 - minSimilarity}::float8
    order by distance, release_item_id
    limit ${MAX_NEAREST}
  `;
  if (leavesLittle) return await database.query(statement);
  return await database.transaction(async (connection) => {
    // Sent together, to save round trips to the database.
    const settled = connection.script(EXACT_SETTINGS);
    const [items] = await Promise.all([connection.query<NearItem>(statement), settled]);
    return items;
  });
}

/** The nearest items from the index, however far: fast, and very nearly exact. */
async function searchIndex(database: Database, question: Question): Promise<NearItem[]> {
  return await database.transaction(async (connection) => {
    // Sent together, to save round trips to the database.
    const settled = connection.script(INDEX_SETTINGS);
    const found = connection.query<NearItem>(sql`
      with ${queried(question)}, nearest as materialized (
        select release_item_id, ${DISTANCE} as distance
        from ${tableOf(question.set)}
        join items using (text_hash)
        where ${whereFilter(withoutWords(question))}
        order by ${DISTANCE}
        limit ${MAX_NEAREST}
      )
      select release_item_id, 1 - distance as similarity
      from nearest
      order by distance, release_item_id
    `);
    const [items] = await Promise.all([found, settled]);
    return items;
  });
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

function withoutWords({ filter }: Question): ItemFilter {
  return { ...filter, q: undefined, words: undefined };
}
