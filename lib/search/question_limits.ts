import type { Config } from "../config/config.ts";
import { EmbeddingError } from "./embedding_error.ts";
import {
  type CountStore,
  openRequestCounter,
  type RequestCounter,
} from "../http/clients/request_counts_sql.ts";

/** Why a new query is not sent to the embedding service. */
export const REFUSALS = ["over_limit", "over_budget", "too_many_at_once", "left_alone"] as const;

export type Refusal = (typeof REFUSALS)[number];

/** A new query is not sent to the embedding service, to leave capacity for others. */
export class QuestionRefused extends Error {
  override name = "QuestionRefused";

  constructor(readonly refusal: Refusal, message: string) {
    super(message);
  }
}

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
    if (this.#running === MAX_CALLS) {
      throw new QuestionRefused(
        "too_many_at_once",
        `The embedding service gets at most ${MAX_CALLS} queries at once`,
      );
    }
    if (Date.now() < this.#restUntil) {
      throw new QuestionRefused(
        "left_alone",
        `The embedding service failed ${FAILURES} times in a row, next try after ` +
          `${REST_MS / 1000} s`,
      );
    }
    // After a rest one call alone shows whether the service works again.
    if (this.#failures >= FAILURES) this.#restUntil = Date.now() + REST_MS;
    this.#running++;
    try {
      const answer = await call();
      this.#noteSuccess();
      return answer;
    } catch (error) {
      // A service that rejects a text is working.
      const isFailure = error instanceof EmbeddingError && error.refusesInput !== "certainly";
      if (isFailure && ++this.#failures >= FAILURES) this.#restUntil = Date.now() + REST_MS;
      if (isFailure) throw error;
      if (error instanceof QuestionRefused) this.#restUntil = 0; // nothing was asked
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
}

const HOUR = 3600;
/** Under this key the questions of all clients are counted. */
const ALL = "all";

/** Counts the questions that are put to the embedding service, over all processes of a database. */
export class QuestionLimits {
  readonly #ofClient: RequestCounter;
  readonly #ofAll: RequestCounter;

  constructor(
    store: CountStore,
    private readonly bounds: Pick<Config, "QUESTION_LIMIT" | "QUESTION_BUDGET">,
  ) {
    const open = (kind: string, limit: number) =>
      openRequestCounter(store, { kind, limit, seconds: HOUR });
    this.#ofClient = open("question", bounds.QUESTION_LIMIT);
    this.#ofAll = open("questions", bounds.QUESTION_BUDGET);
  }

  /**
   * Counts a query that is about to be sent. While the budget is used up nothing is counted for
   * clients, who would otherwise have to wait longer than others.
   *
   * @throws {QuestionRefused} where it would be one too many
   */
  async count(client: string): Promise<void> {
    const { QUESTION_LIMIT, QUESTION_BUDGET } = this.bounds;
    const overBudget = () =>
      new QuestionRefused(
        "over_budget",
        `QUESTION_BUDGET reached: ${QUESTION_BUDGET} new queries within an hour`,
      );
    if (await this.#ofAll.check(ALL) !== null) throw overBudget();
    if (await this.#ofClient.count(client) !== null) {
      throw new QuestionRefused(
        "over_limit",
        `QUESTION_LIMIT reached: a client sent more than ${QUESTION_LIMIT} new queries within an hour`,
      );
    }
    if (await this.#ofAll.count(ALL) !== null) throw overBudget();
  }
}
