import type { Connection } from "../database/database.ts";
import { sql } from "../database/sql.ts";

/** The most stored queries; a vector of 1,536 numbers takes 6 kB. */
const MAX_QUESTIONS = 5_000;

/** The stored vector of a query; null if there is none. */
export async function readQuestionEmbedding(
  connection: Connection,
  questionHash: Uint8Array,
): Promise<Float32Array | null> {
  const [row] = await connection.query<{ embedding: Uint8Array }>(sql`
    select embedding from question_embeddings where question_hash = ${questionHash}
  `);
  return row ? new Float32Array(new Uint8Array(row.embedding).buffer) : null;
}

/** Notes that a stored vector is in use: those not used for longest are deleted first. */
export async function noteUse(connection: Connection, questionHash: Uint8Array): Promise<void> {
  await connection.query(sql`
    update question_embeddings set used_at = now() where question_hash = ${questionHash}
  `);
}

/** Stores the vector of a query. */
export async function storeQuestionEmbedding(
  connection: Connection,
  questionHash: Uint8Array,
  vector: Float32Array,
): Promise<void> {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  await connection.query(sql`
    insert into question_embeddings (question_hash, embedding) values (${questionHash}, ${bytes})
    on conflict (question_hash) do update set used_at = now()
  `);
}

/** Deletes the least recently used queries if there are too many. */
export async function pruneQuestionEmbeddings(connection: Connection): Promise<void> {
  await connection.query(sql`
    delete from question_embeddings
    where question_hash in (
      select question_hash from question_embeddings
      order by used_at desc, question_hash
      offset ${MAX_QUESTIONS}
    )
  `);
}
