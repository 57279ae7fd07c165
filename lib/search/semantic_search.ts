import { getLogger } from "@logtape/logtape";
import type { Database } from "../database/database.ts";
import type { DataVersion } from "../database/data_version.ts";
import { findSearchableSet, type SearchableSet } from "./embedding_sets_sql.ts";
import type { ItemFilter } from "../roadmap/filter/filter.ts";
import type { ItemOrder } from "../roadmap/items_sql.ts";
import * as nearest from "./nearest_sql.ts";
import { findSimilar } from "./related_sql.ts";
import { Selection, type Selections } from "../roadmap/selections.ts";
import type { Item, ListedItem } from "../roadmap/item.ts";
import { AsyncCache } from "../work/async_cache.ts";
import { EmbeddingError } from "./embedding_error.ts";
import type { EmbeddingService } from "./embedding_service.ts";
import { NearSample } from "./near_sample.ts";
import { QuestionRefused } from "./question_refused.ts";
import type { QuestionVectors } from "./question_vectors.ts";

const log = getLogger(["roadcast", "semantic"]);

/** A long outage of the service must not fill the log. */
const WARN_EVERY_MS = 60_000;

/** The query, and how many results are needed. */
export interface Search {
  filter: ItemFilter & { q: string };
  /** Absent: nearest first. */
  order?: ItemOrder;
  /** Items from the first up to, not including, this place are needed; Infinity: all. */
  end: number;
  /** Whom a new question is counted for; null: no limits hold. */
  client: string | null;
}

/** The result of a search by meaning. */
export interface Found {
  /** Null: search by meaning is not possible at the moment. */
  selection: Selection | null;
  /**
   * The client that is over its limit; others may get other results. Absent: everyone gets these.
   */
  onlyFor?: string;
}

/** Finds items by meaning, if that is possible at the moment. */
export class SemanticSearch {
  readonly #states = new AsyncCache<{ set: SearchableSet | null }>({ max: 2 });
  readonly #sample: NearSample;
  readonly #warnedAt = new Map<string, number>();

  constructor(
    private readonly parts: {
      database: Database;
      dataVersion: DataVersion;
      selections: Selections;
      service: EmbeddingService;
      vectors: QuestionVectors;
      minSimilarity: number;
      clock: () => Date;
    },
  ) {
    this.#sample = new NearSample(parts.database, parts.dataVersion);
  }

  /** The service that makes the vectors. */
  get service(): EmbeddingService {
    return this.parts.service;
  }

  /** What became of new questions, in this process. */
  get questionCounts(): QuestionVectors["counts"] {
    return this.parts.vectors.counts;
  }

  /** Finds items by meaning. */
  async select(search: Search): Promise<Found> {
    try {
      const set = await this.#currentSet();
      if (!set || set.embedded === 0) return { selection: null };
      const question = await this.#questionOf(search, set);
      return { selection: await this.#select(search, question) };
    } catch (error) {
      if (error instanceof QuestionRefused) return this.#withoutAsking(error);
      const reason = reasonOf(error);
      if (reason === null) throw error;
      this.warn(reason);
      return { selection: null };
    }
  }

  /** Clients over their limit are counted, not logged: their lines would hide others. */
  #withoutAsking({ refusal, message, client }: QuestionRefused): Found {
    if (client !== null) return { selection: null, onlyFor: client };
    this.warn(message, refusal);
    return { selection: null };
  }

  /**
   * The items that are nearest to words, however far they are, with their similarity; null: no item
   * has a vector yet. No limits hold.
   *
   * @throws {EmbeddingError} where the service fails
   */
  async measure(filter: Search["filter"]): Promise<nearest.NearItem[] | null> {
    const set = await this.#currentSet();
    if (!set || set.embedded === 0) return null;
    const question = await this.#questionOf({ filter, client: null }, set);
    return await nearest.searchExact(this.parts.database, { ...question, minSimilarity: -1 });
  }

  /** The active items most similar in meaning to this one; none if it has no vector. */
  async findSimilar(item: Item, limit: number): Promise<ListedItem[]> {
    const set = await this.#currentSet();
    return set ? await findSimilar(this.parts.database, item, { set, limit }) : [];
  }

  /** Logs why search by meaning is not possible, at most once a minute for each kind. */
  warn(reason: string, kind = "failed"): void {
    const now = this.parts.clock().getTime();
    if (now - (this.#warnedAt.get(kind) ?? -Infinity) < WARN_EVERY_MS) return;
    this.#warnedAt.set(kind, now);
    log.warn("Semantic search falls back to substring search: {reason}", { reason });
  }

  /** What is searched, read once for each state of the data. */
  async #currentSet(): Promise<SearchableSet | null> {
    const { database, dataVersion: { current } } = this.parts;
    const { set } = await this.#states.get(
      String(current),
      async () => ({ set: await findSearchableSet(database) }),
    );
    return set;
  }

  async #questionOf(
    { filter, client }: Pick<Search, "filter" | "client">,
    set: SearchableSet,
  ): Promise<nearest.Question> {
    const { selections, vectors, minSimilarity } = this.parts;
    const [vector, left] = await Promise.all([
      vectors.get(filter.q, { ...set, client }),
      selections.select({ ...filter, q: undefined }),
    ]);
    return { set, vector, filter, left: left.count, minSimilarity };
  }

  async #select(search: Search, question: nearest.Question): Promise<Selection> {
    const { selections } = this.parts;
    const { filter, order, end } = search;
    const key = ["nearest", question.set.set_id, filter];
    const begin = order === undefined && end < Infinity
      ? await this.#selectBegin(key, search, question)
      : null;
    if (begin && end <= begin.known) return begin;
    const all = await selections.keep([...key, "all"], () => this.#findAll(search, question));
    const ids = () => all.slice(0, all.count);
    if (order) {
      const sort = () => nearest.sortIds(this.parts.database, ids(), order);
      return await selections.keep([...key, order], async () => Selection.of(await sort()));
    }
    if (!begin) return all;
    // What the first pages showed stays in its place.
    return await selections.keep([...key, "rest"], () => {
      const inOrder = new Set([...begin.slice(0, begin.known), ...ids()]);
      return Promise.resolve(Selection.of([...inOrder].slice(0, begin.count)));
    });
  }

  /**
   * Items that contain the words and have no vector yet come first: their similarity is unknown.
   */
  async #findAll(search: Search, question: nearest.Question): Promise<Selection> {
    const literal = await this.#findLiterally(search, question);
    const exact = await nearest.searchExact(this.parts.database, question);
    return Selection.of([
      ...new Set([...literal, ...exact.map(({ release_item_id }) => release_item_id)]),
    ]);
  }

  /** The first items from the index, if comparing everything would take long; else null. */
  async #selectBegin(
    key: unknown[],
    search: Search,
    question: nearest.Question,
  ): Promise<Selection | null> {
    const { selections, database } = this.parts;
    if (!question.set.is_indexed || question.left < nearest.INDEXED_FROM) return null;
    const begin = await selections.keep([...key, "begin"], async () => {
      const isPlenty = await this.#sample.prepare(question);
      const items = await nearest.searchIndex(database, question, isPlenty);
      if (!items) return Selection.of([]);
      const literal = await this.#findLiterally(search, question);
      const ids = [...literal, ...items.map(({ release_item_id }) => release_item_id)];
      return Selection.of(ids, literal.length + nearest.MAX_NEAREST);
    });
    return begin.known > 0 ? begin : null;
  }

  async #findLiterally({ filter }: Search, { set }: nearest.Question): Promise<string[]> {
    return set.is_partial ? await nearest.findLiterally(this.parts.database, set, filter) : [];
  }
}

/** Why vectors cannot be had or compared; null: the error is about something else. */
function reasonOf(error: unknown): string | null {
  if (error instanceof EmbeddingError) return error.message;
  const { code, message } = error as { code?: string; message?: string };
  // undefined_table, undefined_column, undefined_object, undefined_function: no table of vectors, or
  // no pgvector any more.
  return ["42P01", "42703", "42704", "42883"].includes(code ?? "") ? String(message) : null;
}
