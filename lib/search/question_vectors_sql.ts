import { createHash } from "node:crypto";
import { type Database, DatabaseReadOnly } from "../database/database.ts";
import { sql } from "../database/sql.ts";
import { fold } from "../text/match_words.ts";
import { AsyncCache } from "../work/async.ts";
import { EmbeddingError } from "./embedding_error.ts";
import type { EmbeddingModel, EmbeddingService } from "./embedding_service.ts";
import {
  QuestionCalls,
  type QuestionLimits,
  QuestionRefused,
  type Refusal,
  REFUSALS,
} from "./question_limits.ts";

const REQUEST_OPTIONS = { timeout: 3_000, maxRetries: 0 };
/** The part of a query that is sent: more would cost more and hardly change its meaning. */
const MAX_WORDS = 100;
const MAX_CHARACTERS = 500;
/** Vectors in memory; one of 1,536 numbers takes 6 kB. */
const MAX_IN_MEMORY = 1_000;
/** For this long a query that the service rejects is not sent again; a vector is read again. */
const IN_MEMORY_MS = 3_600_000;
/** The most in the database, and after how many new ones the least recently used are deleted. */
const MAX_STORED = 5_000;
const PRUNE_AFTER = 100;

/** The model that makes the vector, and for whom. */
interface Asking extends EmbeddingModel {
  /** Whom a new question is counted for; null: no limits hold. */
  client: string | null;
}

/**
 * Turns queries into vectors. Each is requested once: the vector is cached in this process and in
 * the database, and concurrent callers share one call.
 */
export class QuestionVectors {
  /** What became of new questions. */
  readonly counts: Record<Refusal | "asked", number> = {
    asked: 0,
    ...Object.fromEntries(REFUSALS.map((refusal) => [refusal, 0])) as Record<Refusal, number>,
  };
  readonly #memory = new AsyncCache<Float32Array | EmbeddingError>({
    max: MAX_IN_MEMORY,
    ttl: IN_MEMORY_MS,
  });
  readonly #calls = new QuestionCalls();
  #stored = 0;

  constructor(
    private readonly database: Database,
    private readonly service: EmbeddingService,
    private readonly limits: QuestionLimits,
  ) {}

  /**
   * The vector of a question, of the given model.
   *
   * @throws {EmbeddingError} where the service fails, is slow, or refuses the question
   * @throws {QuestionRefused} where the question is new and may not be sent to the service just now
   */
  async get(question: string, { model, dimensions, client }: Asking): Promise<Float32Array> {
    const words = shorten(question);
    const key = JSON.stringify([model, dimensions, words]);
    const found = await this.#memory.get(
      key,
      () => this.#find(key, words, { model, dimensions, client }).catch(returnRejection),
    );
    if (found instanceof EmbeddingError) throw found;
    return found;
  }

  async #find(key: string, words: string, asking: Asking): Promise<Float32Array> {
    const hash = createHash("sha256").update(key).digest();
    const { database } = this;
    const [known] = await database.query<{ embedding: Uint8Array }>(sql`
      select embedding from question_embeddings where question_hash = ${hash}
    `);
    if (known) {
      await database.query(sql`
        update question_embeddings set used_at = now() where question_hash = ${hash}
      `).catch(ignoreReadOnly);
      return new Float32Array(new Uint8Array(known.embedding).buffer);
    }
    const vector = await this.#ask(words, asking);
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    await database.query(sql`
      insert into question_embeddings (question_hash, embedding) values (${hash}, ${bytes})
      on conflict (question_hash) do update set used_at = now()
    `);
    if (++this.#stored % PRUNE_AFTER === 0) {
      await database.query(sql`
        delete from question_embeddings
        where question_hash in (
          select question_hash from question_embeddings
          order by used_at desc, question_hash
          offset ${MAX_STORED}
        )
      `);
    }
    return vector;
  }

  async #ask(words: string, { client, ...model }: Asking): Promise<Float32Array> {
    const call = async () => {
      this.counts.asked++;
      const [vector] = await this.service.embed([words], model, REQUEST_OPTIONS);
      if (!vector) throw this.service.zeroVector();
      return vector;
    };
    try {
      if (client === null) return await call();
      return await this.#calls.run(async () => {
        await this.limits.count(client);
        return await call();
      });
    } catch (error) {
      if (error instanceof QuestionRefused) this.counts[error.refusal]++;
      if (error instanceof DatabaseReadOnly) throw new EmbeddingError(error.message);
      throw error;
    }
  }
}

/** What the service says of the words, it says again; any other failure may pass. */
function returnRejection(error: unknown): EmbeddingError {
  if (error instanceof EmbeddingError && error.refusesInput === "certainly") return error;
  throw error;
}

/** A database that takes no changes, a standby for example, can be searched all the same. */
function ignoreReadOnly(error: unknown): void {
  if (!(error instanceof DatabaseReadOnly)) throw error;
}

/** A query has one vector whatever its case and spacing. */
function shorten(question: string): string {
  const words = fold(question).trim().split(/\s+/, MAX_WORDS).join(" ");
  return [...words].slice(0, MAX_CHARACTERS).join("").trim();
}
