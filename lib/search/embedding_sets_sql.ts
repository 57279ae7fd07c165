import { ExpectedError } from "../expected_error.ts";
import { type Connection, type Database, queryOne } from "../database/database.ts";
import { raiseDataVersion } from "../database/data_version.ts";
import { keepClaim, LEASE_SECONDS } from "../database/leases.ts";
import * as schedules from "../database/leases.ts";
import { Sql, sql } from "../database/sql.ts";

/** The name of the lease of embedding. */
const SCHEDULE = "embedding";

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
export function vectorTypeOf({ dimensions }: Pick<EmbeddingSet, "dimensions">): Sql {
  return new Sql([`halfvec(${Number(dimensions)})`], []);
}

/** The condition that an item has no vector of its current text. */
export function lacksVector(set: EmbeddingSet): Sql {
  return sql`not exists (
    select from embeddings
    where set_id = ${set.set_id} and embeddings.text_hash = items.text_hash
  )`;
}

/** Does the work unless another process is doing it; null: another one is, or was killed just now. */
export async function withEmbeddingLease<Result>(
  database: Database,
  work: () => Promise<Result>,
): Promise<Result | null> {
  const claim = { holder: crypto.randomUUID(), seconds: LEASE_SECONDS };
  await schedules.addSchedule(database, SCHEDULE);
  if (!await schedules.claimWork(database, SCHEDULE, { ...claim, maxPause: 0 })) return null;
  try {
    using _kept = keepClaim(database, SCHEDULE, claim);
    return await work();
  } finally {
    const { holder } = claim;
    await schedules.releaseWork(database, SCHEDULE, { holder, seconds: 0, failures: 0 });
  }
}

/**
 * Finds the set of a model and a length, or makes it.
 *
 * @throws {PgvectorMissing} where the database has no pgvector that is new enough
 */
export async function prepareSet(
  database: Database,
  { model, dimensions }: { model: string; dimensions: number },
): Promise<EmbeddingSet> {
  await requirePgvector(database);
  await database.script("select make_embeddings()");
  return await queryOne(
    database,
    sql`
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

/**
 * Makes searches use this set, and notifies every process if that is new; other sets are kept for a
 * while and then dropped.
 */
export async function completeSet(database: Database, set: EmbeddingSet): Promise<void> {
  await database.transaction(async (connection) => {
    const completed = await connection.query(sql`
      update embedding_sets set completed_at = now(), has_news = false
      where set_id = ${set.set_id} and (
        has_news
        or completed_at is null
        or completed_at < (select max(completed_at) from embedding_sets)
      )
      returning 1
    `);
    await connection.query(sql`
      update embedding_sets set retired_at = now()
      where set_id <> ${set.set_id} and retired_at is null
    `);
    if (completed.length > 0) await raiseDataVersion(connection);
  });
}

/** Drops the sets that were retired a day ago, and their vectors. */
export async function dropRetiredSets(database: Database): Promise<void> {
  await database.query(sql`
    delete from embedding_sets where retired_at < now() - interval '1 day'
  `);
}

/** A set as searches see it. */
export interface SearchableSet extends EmbeddingSet {
  /** How many texts have a vector. */
  embedded: number;
}

/** The set to search: the one completed last, or else the newest; null where there is none. */
export async function findSearchableSet(connection: Connection): Promise<SearchableSet | null> {
  const [set] = await connection.query<EmbeddingSet>(sql`
    select set_id, model, dimensions, min_similarity
    from embedding_sets
    where to_regclass('embeddings') is not null
    order by completed_at desc nulls last, set_id desc
    limit 1
  `);
  return set ? { ...set, embedded: await countEmbedded(connection, set) } : null;
}

/** How many texts have a vector. */
export async function countEmbedded(connection: Connection, set: EmbeddingSet): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    connection,
    sql`select count(*)::int as count from embeddings where set_id = ${set.set_id}`,
  );
  return count;
}
