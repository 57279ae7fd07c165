import {
  type CountStore,
  openRequestCounter,
  type RequestCounter,
} from "../http/clients/request_counts_sql.ts";
import { QuestionRefused } from "./question_refused.ts";

const HOUR = 3600;
/** Under this key the questions of all clients are counted. */
const ALL = "all";

/** How many new questions may go to the embedding service within an hour; 0: none. */
interface QuestionBounds {
  QUESTION_LIMIT: number;
  QUESTION_BUDGET: number;
}

/** Counts the questions that are put to the embedding service, over all processes of a database. */
export class QuestionLimits {
  readonly #ofClient: RequestCounter;
  readonly #ofAll: RequestCounter;

  constructor(store: CountStore, private readonly bounds: QuestionBounds) {
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
    if (await this.#ofAll.check(ALL) !== null) throw this.#overBudget();
    if (await this.#ofClient.count(client) !== null) throw this.#overLimit();
    if (await this.#ofAll.count(ALL) !== null) throw this.#overBudget();
  }

  #overLimit(): QuestionRefused {
    const { QUESTION_LIMIT } = this.bounds;
    return new QuestionRefused(
      "over_limit",
      `QUESTION_LIMIT reached: a client sent more than ${QUESTION_LIMIT} new queries within an hour`,
    );
  }

  #overBudget(): QuestionRefused {
    const { QUESTION_BUDGET } = this.bounds;
    return new QuestionRefused(
      "over_budget",
      `QUESTION_BUDGET reached: ${QUESTION_BUDGET} new queries within an hour`,
    );
  }
}
