import type { Connection } from "../../database/database.ts";
import { type Term, writeTerm } from "./term.ts";
import { countMatches } from "./words_sql.ts";

/** A term that is not weighed yet. */
export type Words = Omit<Term, "weight">;

/** How many items have the words of terms, as far as that was read. */
export class MatchCounts {
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor(
    private readonly connection: Connection,
    private readonly scope: { include_inactive?: boolean },
  ) {}

  /** Reads the counts of several terms at once. */
  async read(terms: readonly Words[]): Promise<void> {
    const queries = [...new Set(terms.map((words) => writeTerm(words)))]
      .filter((query) => !this.#counts.has(query));
    if (queries.length === 0) return;
    const { total, counts } = await countMatches(this.connection, queries, this.scope);
    this.#total = total;
    queries.forEach((query, place) => this.#counts.set(query, counts[place]!));
  }

  /** How many items have the words of a term that was read. */
  of(words: Words): number {
    return this.#counts.get(writeTerm(words)) ?? 0;
  }

  /** How much a term says: the fewer items have it, the more. */
  weigh(words: Words): number {
    return Math.log(1 + this.#total / Math.max(this.of(words), 1));
  }
}
