import { LRUCache } from "lru-cache";
import {
  type CountStore,
  openRequestCounter,
  type RequestCounter,
} from "../http/request_counts_sql.ts";
import { QuestionRefused } from "./question_refused.ts";

const HOUR = 3600;
/** Under this key the questions of all clients are counted. */
const ALL = "all";
/** Clients over their limit whom a process knows without asking the database. */
const MAX_KNOWN = 10_000;

/** How many new questions may go to the embedding service within an hour; 0: none. */
export interface QuestionBounds {
  questionLimit: number;
  questionBudget: number;
}

/** Counts the questions that are put to the embedding service, over all processes of a database. */
export class QuestionLimits {
  readonly #ofClient: RequestCounter;
  readonly #ofAll: RequestCounter;
  readonly #overLimit = new LRUCache<string, true>({ max: MAX_KNOWN });

  constructor(store: CountStore, private readonly bounds: QuestionBounds) {
    const open = (kind: string, limit: number) =>
      openRequestCounter(store, { kind, limit, seconds: HOUR });
    this.#ofClient = open("question", bounds.questionLimit);
    this.#ofAll = open("questions", bounds.questionBudget);
  }

  /**
   * Counts a query that is about to be sent. While the budget is used up nothing is counted for
   * clients, who would otherwise have to wait longer than others.
   *
   * @throws {QuestionRefused} where it would be one too many
   */
  async count(client: string): Promise<void> {
    if (this.#overLimit.has(client)) throw this.#overLimitOf(client);
    if (await this.#ofAll.check(ALL) !== null) throw this.#overBudget();
    const seconds = await this.#ofClient.count(client);
    if (seconds !== null) {
      this.#overLimit.set(client, true, { ttl: seconds * 1000 });
      throw this.#overLimitOf(client);
    }
    if (await this.#ofAll.count(ALL) !== null) throw this.#overBudget();
  }

  #overLimitOf(client: string): QuestionRefused {
    const { questionLimit } = this.bounds;
    return new QuestionRefused(
      "over_limit",
      `QUESTION_LIMIT reached: a client sent more than ${questionLimit} new queries within an hour`,
      client,
    );
  }

  #overBudget(): QuestionRefused {
    const { questionBudget } = this.bounds;
    return new QuestionRefused(
      "over_budget",
      `QUESTION_BUDGET reached: ${questionBudget} new queries within an hour`,
      null,
    );
  }
}
