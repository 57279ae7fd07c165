import { ExpectedError } from "../expected_error.ts";
import { type Connection, type Database, queryOne } from "../database/database.ts";
import { raiseDataVersion } from "../database/data_version.ts";
import { keepClaim, LEASE_SECONDS } from "../database/leases/keep_claim.ts";
import * as schedules from "../database/leases/schedules_sql.ts";
import { Sql, sql } from "../database/sql.ts";

/** What PostgreSQL may take to build an index; it is never more than the vectors need. */
const INDEX_MEMORY = "1GB";
/** The name of the lease of embedding. */
const SCHEDULE = "embedding";

/** The vectors that one model made in one length; they lie in a table of their own. */
export interface EmbeddingSet {
  set_id: number;
  model: string;
  dimensions: number;
  /** The similarity from which an item matches a query, as measured; null: not measured yet. */
  min_similarity: number | null;
}

/** The database cannot hold vectors; the message says why. */
export class PgvectorMissing extends ExpectedError {}

/** The table of a set. */
export function tableOf({ set_id }: Pick<EmbeddingSet, "set_id">): Sql {
  return new Sql([`embeddings_${Number(set_id)}`], []);
}

/**
 * The type of a set's vectors, which a parameter is cast to. 16-bit numbers take half the room and
 * are compared in half the time, and an index takes 4,000 of them, where it takes 2,000 of 32 bits.
 */
export function vectorTypeOf({ dimensions }: Pick<EmbeddingSet, "dimensions">): Sql {
  return new Sql([`halfvec(${Number(dimensions)})`], []);
}

/** The condition that an item has no vector of its current text. */
export function lacksVector(set: EmbeddingSet): Sql {
  return sql`not exists (
    select from ${tableOf(set)} as embedded where embedded.text_hash = items.text_hash
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
  return await database.transaction(async (connection) => {
    const set = await queryOne<EmbeddingSet>(
      connection,
      sql`
        insert into embedding_sets (model, dimensions) values (${model}, ${dimensions})
        on conflict (model, dimensions) do update set retired_at = null
        returning set_id, model, dimensions, min_similarity
      `,
    );
    if (!await hasVectors(connection, set)) await createTable(connection, set);
    return set;
  });
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

/** Dropping the extension takes the column with it; a restored database may hold another length. */
async function hasVectors(connection: Connection, set: EmbeddingSet): Promise<boolean> {
  const { exists } = await queryOne<{ exists: boolean }>(
    connection,
    sql`
      select exists (
        select from pg_attribute
        where attrelid = to_regclass(${tableOf(set).compile().text})
          and attname = 'embedding' and not attisdropped
          and format_type(atttypid, atttypmod) = ${vectorTypeOf(set).compile().text}
      ) as exists
    `,
  );
  return exists;
}

async function createTable(connection: Connection, set: EmbeddingSet): Promise<void> {
  await connection.query(sql`drop table if exists ${tableOf(set)}`);
  await connection.query(sql`
    create table ${tableOf(set)} (
      text_hash bytea primary key,
      embedding ${vectorTypeOf(set)} not null,
      created_at timestamptz not null default now()
    )
  `);
  // Vectors stored in the row are compared three times as fast as those stored out of line (TOAST).
  // PostgreSQL would then move the hash of such a long row out of line, which every join reads.
  await connection.query(sql`
    alter table ${tableOf(set)}
    alter column embedding set storage plain,
    alter column text_hash set storage plain
  `);
  await connection.query(sql`
    update embedding_sets set completed_at = null where set_id = ${set.set_id}
  `);
}

/** Builds the index of nearest neighbours; searches go on meanwhile, and compare every vector. */
export async function indexVectors(database: Database, set: EmbeddingSet): Promise<void> {
  await database.transaction(async (connection) => {
    await connection.script(`set local maintenance_work_mem = '${INDEX_MEMORY}'`);
    await connection.query(sql`
      create index if not exists ${nearestIndexOf(set)}
      on ${tableOf(set)} using hnsw (embedding halfvec_cosine_ops)
    `);
  });
}

function nearestIndexOf({ set_id }: EmbeddingSet): Sql {
  return new Sql([`embeddings_${Number(set_id)}_nearest`], []);
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

/** Drops the sets that were retired a day ago. */
export async function dropRetiredSets(database: Database): Promise<void> {
  await database.transaction(async (connection) => {
    const retired = await connection.query<{ set_id: number }>(sql`
      delete from embedding_sets where retired_at < now() - interval '1 day' returning set_id
    `);
    for (const set of retired) {
      await connection.query(sql`drop table if exists ${tableOf(set)}`);
    }
  });
}

/** A set as searches see it. */
export interface SearchableSet extends EmbeddingSet {
  /** How many texts have a vector. */
  embedded: number;
  is_indexed: boolean;
}

/** The set to search: the one completed last, or else the newest; null where there is none. */
export async function findSearchableSet(connection: Connection): Promise<SearchableSet | null> {
  const [set] = await connection.query<EmbeddingSet>(sql`
    select set_id, model, dimensions, min_similarity
    from embedding_sets
    where to_regclass('embeddings_' || set_id) is not null
    order by completed_at desc nulls last, set_id desc
    limit 1
  `);
  if (!set) return null;
  const state = await queryOne<Omit<SearchableSet, keyof EmbeddingSet>>(
    connection,
    sql`
      select
        (select count(*)::int from ${tableOf(set)}) as embedded,
        to_regclass(${nearestIndexOf(set).compile().text}) is not null as is_indexed
    `,
  );
  return { ...set, ...state };
}
