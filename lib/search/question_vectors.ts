import { BrokenCircuitError, circuitBreaker, ConsecutiveBreaker, handleAll } from "cockatiel";
import { createHash } from "node:crypto";
import type { Database } from "../database/database.ts";
import * as remembered from "./question_embeddings_sql.ts";
import { fold } from "../text/fold.ts";
import { KeptValues } from "../async_cache.ts";
import { EmbeddingError, type EmbeddingModel, type EmbeddingService } from "./embedding_service.ts";

/** What a search waits for the service at most. */
const PATIENCE = { timeout: 3_000, maxRetries: 0 };
/** After so many failures in a row the service is left alone for so long. */
const FAILURES = 3;
const REST_MS = 30_000;
/** Vectors in memory; one of 1,536 numbers takes 6 kB. */
const MAX_IN_MEMORY = 1_000;
const PRUNE_AFTER = 100;

/**
 * Turns questions into vectors. Each is asked for once: the vector is remembered in this process
 * and in the database, and callers that want the same one at once share one call.
 */
export class QuestionVectors {
  readonly #memory = new KeptValues<Float32Array>({ max: MAX_IN_MEMORY });
  readonly #breaker = circuitBreaker(handleAll, {
    breaker: new ConsecutiveBreaker(FAILURES),
    halfOpenAfter: REST_MS,
  });
  #stored = 0;

  constructor(private readonly database: Database, private readonly service: EmbeddingService) {}

  /**
   * The vector of a question, of the given model.
   *
   * @throws {EmbeddingError} where the service fails, is slow, or is left alone after failures
   */
  get(question: string, { model, dimensions }: EmbeddingModel): Promise<Float32Array> {
    const words = foldQuestion(question);
    const key = JSON.stringify([model, dimensions, words]);
    return this.#memory.get(key, () => this.#find(key, words, { model, dimensions }));
  }

  async #find(key: string, words: string, model: EmbeddingModel): Promise<Float32Array> {
    const hash = createHash("sha256").update(key).digest();
    const known = await remembered.readQuestionEmbedding(this.database, hash);
    if (known) return known;
    const vector = await this.#ask(words, model);
    await remembered.storeQuestionEmbedding(this.database, hash, vector);
    if (++this.#stored % PRUNE_AFTER === 0) {
      await remembered.pruneQuestionEmbeddings(this.database);
    }
    return vector;
  }

  async #ask(words: string, model: EmbeddingModel): Promise<Float32Array> {
    try {
      const [vector] = await this.#breaker.execute(() =>
        this.service.embed([words], model, PATIENCE)
      );
      return vector!;
    } catch (error) {
      if (!(error instanceof BrokenCircuitError)) throw error;
      throw new EmbeddingError(
        `The embedding service at ${this.service.origin} failed ${FAILURES} times in a row, ` +
          `it is asked again after ${REST_MS / 1000} s`,
      );
    }
  }
}

/** The same question in any case and with any blanks has one vector, whoever asks it first. */
function foldQuestion(question: string): string {
  return fold(question).trim().replace(/\s+/g, " ");
}
