import { EmbeddingError } from "./embedding_error.ts";
import { QuestionRefused } from "./question_refused.ts";

const MAX_CALLS = 32;
const MAX_WAITING = 96;
/** A query that waits longer than this is not sent. */
const MAX_WAIT_MS = 3_000;
/** After this many failures in a row the service is not called for this long. */
const FAILURES = 3;
const REST_MS = 30_000;

/** Limits concurrent calls of the embedding service, and pauses them after failures in a row. */
export class QuestionCalls {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #failures = 0;
  #restUntil = 0;

  /**
   * Makes a call, unless too many run or the service is left alone.
   *
   * @throws {QuestionRefused} where the call is not made
   */
  async run<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    const came = performance.now();
    await this.#enter();
    try {
      if (performance.now() - came > MAX_WAIT_MS) throw tooManyAtOnce();
      return await this.#try(call);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  /** Takes a place, or waits for that of another call. */
  async #enter(): Promise<void> {
    if (this.#running < MAX_CALLS) {
      this.#running++;
      return;
    }
    if (this.#waiting.length === MAX_WAITING) throw tooManyAtOnce();
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async #try<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    if (Date.now() < this.#restUntil) throw isResting();
    // After a rest one call alone shows whether the service works again.
    if (this.#failures >= FAILURES) this.#restUntil = Date.now() + REST_MS;
    try {
      const answer = await call();
      this.#noteSuccess();
      return answer;
    } catch (error) {
      if (isFailure(error)) this.#noteFailure();
      else if (error instanceof QuestionRefused) this.#restUntil = 0; // nothing was asked
      else this.#noteSuccess();
      throw error;
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
