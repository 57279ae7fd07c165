import { scoreRanks } from "./score_ranks.ts";
import { getLogger } from "@logtape/logtape";
import type { CachedRead, DataCache } from "../database/data_version.ts";
import type { Database } from "../database/database.ts";
import {
  findSet,
  type NearItem,
  type Question,
  type SearchableSet,
  searchNearest,
} from "./embeddings_sql.ts";
import { type RankedByWords, rankWords } from "../roadmap/words/rank_words_sql.ts";
import { findSimilar } from "./related_sql.ts";
import { Selection, type Selections } from "../roadmap/releases.ts";
import type { Item, ListedItem } from "../roadmap/item.ts";
import { EmbeddingError } from "./embedding_error.ts";
import type { EmbeddingService } from "./embedding_service.ts";
import { QuestionRefused } from "./question_limits.ts";
import type { QuestionVectors } from "./question_vectors_sql.ts";

const log = getLogger(["roadcast", "semantic"]);

/** A long outage of the service must not fill the log. */
const WARN_EVERY_MS = 60_000;
/** The most items that are found with only some of the words, the best ones. */
const MAX_ANY_WORD = 20;

/** The similarity from which an item matches, until it is measured. */
const DEFAULT_SIMILARITY = 0.2;

interface Search {
  /** A question as it was read as words. */
  filter: Question["filter"];
  /** Whom a new question is counted for; null: no limits hold. */
  client: string | null;
}

/** Finds items by meaning and words, if meaning can be searched at the moment. */
export class SemanticSearch {
  readonly #set: CachedRead<SearchableSet | null>;
  readonly #warnedAt = new Map<string, number>();

  constructor(
    private readonly parts: {
      database: Database;
      dataCache: DataCache;
      selections: Selections;
      service: EmbeddingService;
      vectors: QuestionVectors;
      /** Null: the measured one of the model is used. */
      minSimilarity: number | null;
      clock: () => Date;
    },
  ) {
    const { database, dataCache, service } = parts;
    this.#set = dataCache.reader("vectors", () => findSet(database, service));
  }

  get service(): EmbeddingService {
    return this.parts.service;
  }

  /** No minimum similarity is set, so it is measured. */
  get usesMeasured(): boolean {
    return this.parts.minSimilarity === null;
  }

  /** What became of new questions, in this process. */
  get questionCounts(): QuestionVectors["counts"] {
    return this.parts.vectors.counts;
  }

  /**
   * Finds items by meaning and words, best match first; null: that is not possible at the moment.
   * `isPrivate`: the client is over its limit, and others may get other results.
   */
  async select(
    { filter, client }: Search,
  ): Promise<{ ids: readonly string[] | null; isPrivate?: boolean }> {
    try {
      const set = await this.#set.read();
      if (!set || set.embedded === 0) return { ids: null };
      const question = await this.#questionOf({ filter, client }, set);
      const key = ["nearest", set.set_id, question.filter];
      const found = await this.parts.selections.keep(key, () => this.#find(question));
      return { ids: found.slice(0, found.count) };
    } catch (error) {
      // Clients over their limit are counted, not logged: their lines would hide others.
      if (error instanceof QuestionRefused && error.refusal === "over_limit") {
        return { ids: null, isPrivate: true };
      }
      const reason = reasonOf(error);
      if (reason === null) throw error;
      this.warn(reason, error instanceof QuestionRefused ? error.refusal : undefined);
      return { ids: null };
    }
  }

  /**
   * The items that are nearest to words, however far they are, with their similarity, and from which
   * similarity on they match; null: no item has a vector yet. No limits hold.
   *
   * @throws {EmbeddingError} where the service fails
   */
  async measure(
    filter: Search["filter"],
  ): Promise<{ near: NearItem[]; minSimilarities: MinSimilarities } | null> {
    const set = await this.#set.read();
    if (!set || set.embedded === 0) return null;
    const question = await this.#questionOf({ filter, client: null }, set);
    const near = await searchNearest(this.parts.database, {
      ...question,
      minSimilarity: -1,
    });
    return { near, minSimilarities: this.#minSimilaritiesOf(set) };
  }

  /** The active items most similar in meaning to this one; none if it has no vector. */
  async findSimilar(item: Item, limit: number): Promise<ListedItem[]> {
    const set = await this.#set.read();
    return set ? await findSimilar(this.parts.database, item, { set, limit }) : [];
  }

  /** Logs why search by meaning is not possible, at most once a minute for each kind. */
  warn(reason: string, kind = "failed"): void {
    const now = this.parts.clock().getTime();
    if (now - (this.#warnedAt.get(kind) ?? -Infinity) < WARN_EVERY_MS) return;
    this.#warnedAt.set(kind, now);
    log.warn("Semantic search falls back to search by words: {reason}", { reason });
  }

  async #questionOf(
    { filter, client }: Search,
    set: SearchableSet,
  ): Promise<Question> {
    const vector = await this.parts.vectors.get(filter.q, { ...set, client });
    const minSimilarity = chooseMinSimilarity(this.#minSimilaritiesOf(set));
    return { set, vector, filter, minSimilarity };
  }

  #minSimilaritiesOf({ min_similarity }: SearchableSet): MinSimilarities {
    return { set: this.parts.minSimilarity, measured: min_similarity };
  }

  /** What is near enough or has every word; where none has every word, some that have any. */
  async #find(question: Question): Promise<Selection> {
    const { database } = this.parts;
    const { filter } = question;
    const [near, worded] = await Promise.all([
      searchNearest(database, question),
      rankWords(database, filter, filter.words?.any ? MAX_ANY_WORD : undefined),
    ]);
    return Selection.of(fuseRanks(worded, near.map(({ release_item_id }) => release_item_id)));
  }
}

/** Why vectors cannot be had or compared; null: the error is about something else. */
function reasonOf(error: unknown): string | null {
  if (error instanceof EmbeddingError || error instanceof QuestionRefused) return error.message;
  const { code, message } = error as { code?: string; message?: string };
  // undefined_table, undefined_column, undefined_object, undefined_function: no table of vectors, or
  // no pgvector any more.
  return ["42P01", "42703", "42704", "42883"].includes(code ?? "") ? String(message) : null;
}

/**
 * Puts what words and meaning have found into one order, by reciprocal rank: the items whose name
 * holds the question as it stands come first, then those with every word in their name.
 *
 * ```ts
 * const ids = fuseRanks({ ids: ["a", "b"], spelt: 0, inName: 1 }, ["c", "b"]);
 * if (ids.join() !== "a,b,c") throw new Error(ids.join());
 * ```
 */
export function fuseRanks(
  { ids, spelt, inName }: RankedByWords,
  near: readonly string[],
): string[] {
  const scores = scoreRanks([ids, 1], [near, 1]);
  const byScore = (a: string, b: string) => scores.get(b)! - scores.get(a)!;
  const first = new Set([...ids.slice(0, spelt), ...ids.slice(spelt, inName).sort(byScore)]);
  const rest = [...scores.keys()].filter((id) => !first.has(id)).sort(byScore);
  return [...first, ...rest];
}

/** The minimum that was set and the one that was measured; null: there is none. */
interface MinSimilarities {
  /** SEMANTIC_MIN_SIMILARITY */
  set: number | null;
  measured: number | null;
}

/** The similarity from which an item matches a query. */
export function chooseMinSimilarity({ set, measured }: MinSimilarities): number {
  return set ?? measured ?? DEFAULT_SIMILARITY;
}

/**
 * The similarity from which an item matches, and where it comes from.
 *
 * ```ts
 * const text = describeMinSimilarity({ set: 0.2, measured: 0.31 });
 * if (text !== "0.2 (SEMANTIC_MIN_SIMILARITY; measured: 0.31)") throw new Error(text);
 * ```
 */
export function describeMinSimilarity({ set, measured }: MinSimilarities): string {
  if (set !== null) return `${set} (SEMANTIC_MIN_SIMILARITY; measured: ${measured ?? "not yet"})`;
  return measured === null ? `${DEFAULT_SIMILARITY} (not measured yet)` : `${measured} (measured)`;
}
