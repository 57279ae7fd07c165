import { EmbeddingError } from "./embedding_error.ts";
import { QuestionRefused } from "./question_refused.ts";

/** A question that waits for the service holds one of the ten places in which responses are built. */
const MAX_CALLS = 4;
/** After this many failures in a row the service is not called for this long. */
const FAILURES = 3;
const REST_MS = 30_000;

/** Limits concurrent calls of the embedding service, and pauses them after failures in a row. */
export class QuestionCalls {
  #running = 0;
  #failures = 0;
  #restUntil = 0;

  /**
   * Makes a call, unless too many run or the service is left alone.
   *
   * @throws {QuestionRefused} where the call is not made
   */
  async run<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    if (this.#running === MAX_CALLS) throw tooManyAtOnce();
    if (Date.now() < this.#restUntil) throw isResting();
    // After a rest one call alone shows whether the service works again.
    if (this.#failures >= FAILURES) this.#restUntil = Date.now() + REST_MS;
    this.#running++;
    try {
      const answer = await call();
      this.#noteSuccess();
      return answer;
    } catch (error) {
      if (isFailure(error)) this.#noteFailure();
      else if (error instanceof QuestionRefused) this.#restUntil = 0; // nothing was asked
      else this.#noteSuccess();
      throw error;
    } finally {
      this.#running--;
    }
  }

  #noteSuccess(): void {
    this.#failures = 0;
    this.#restUntil = 0;
  }

  #noteFailure(): void {
    if (++this.#failures >= FAILURES) this.#restUntil = Date.now() + REST_MS;
  }
}

/** A service that rejects a text is working. */
function isFailure(error: unknown): boolean {
  return error instanceof EmbeddingError && error.refusesInput !== "certainly";
}

function tooManyAtOnce(): QuestionRefused {
  return new QuestionRefused(
    "too_many_at_once",
    `The embedding service gets at most ${MAX_CALLS} queries at once`,
  );
}

function isResting(): QuestionRefused {
  return new QuestionRefused(
    "left_alone",
    `The embedding service failed ${FAILURES} times in a row, next try after ` +
      `${REST_MS / 1000} s`,
  );
}
