import {
  BrokenCircuitError,
  bulkhead,
  BulkheadRejectedError,
  circuitBreaker,
  ConsecutiveBreaker,
  handleWhen,
} from "cockatiel";
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
  readonly #bulkhead = bulkhead(MAX_CALLS, MAX_WAITING);
  readonly #breaker = circuitBreaker(handleWhen(isFailure), {
    breaker: new ConsecutiveBreaker(FAILURES),
    halfOpenAfter: REST_MS,
  });

  /**
   * Makes a call, unless too many run or the service is left alone.
   *
   * @throws {QuestionRefused} where the call is not made
   */
  async run<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    const came = performance.now();
    try {
      return await this.#bulkhead.execute(() => {
        if (performance.now() - came > MAX_WAIT_MS) throw tooManyAtOnce();
        return this.#breaker.execute(call);
      });
    } catch (error) {
      if (error instanceof BulkheadRejectedError) throw tooManyAtOnce();
      if (error instanceof BrokenCircuitError) throw isOpen();
      throw error;
    }
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

function isOpen(): QuestionRefused {
  return new QuestionRefused(
    "left_alone",
    `The embedding service failed ${FAILURES} times in a row, next try after ` +
      `${REST_MS / 1000} s`,
  );
}
