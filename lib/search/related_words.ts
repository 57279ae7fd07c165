import type { CachedRead } from "../database/data_version.ts";
import type { Connection } from "../database/database.ts";
import type { ItemFilter } from "../roadmap/filter/filter.ts";
import type { Vocabulary } from "../roadmap/words/vocabulary.ts";
import { rankWords } from "../roadmap/words/rank_words_sql.ts";
import { scoreRanks } from "./score_ranks.ts";
import { type NearTerm, rankNear } from "./related_words_sql.ts";
import { type Term, type WordForms, writeTerm } from "../roadmap/words/words_sql.ts";
import { readFile } from "node:fs/promises";

/** A longer question says enough by its own words. */
const MAX_WORDS = 8;
/** Words that are less similar are not related; of those that are, the nearest stems. */
const MIN_SIMILARITY = 0.5;
const MAX_STEMS = 20;
/** How much of a question an item has to answer, where some word of it stands somewhere, or none. */
const LEAST = { known: 0.2, unknown: 0.36 };
/** The most items that are found by related words, and by any word. */
const MAX_RELATED = 20;
const MAX_ANY_WORD = 1_000;
/** What has any word counts a third of what has related ones. */
const ANY_WORD = 0.3;
/** How fast a word counts less the less it is like that of the question, and a rare term more. */
const NEARNESS = 2.5;
const RARENESS = 0.7;

/** A stem that is near to a word in meaning, in all its forms. */
interface NearStem {
  forms: readonly string[];
  similarity: number;
}

/** The words of the roadmap that have vectors, with their stems. */
interface Known {
  stems: ReadonlyMap<string, string>;
  formsOf: ReadonlyMap<string, readonly string[]>;
}

/** A question that no item answers with every word. */
interface OpenQuestion {
  /** What has any of its words passes this filter. */
  filter: ItemFilter & { q: string };
  terms: readonly Term[];
  /** Some of its words stand somewhere. */
  isKnown: boolean;
}

/** Finds items by words that mean something like those of a question, without any service. */
export class RelatedWords {
  readonly #known = new WeakMap<Vocabulary, Known>();
  #vectors: Promise<WordVectors> | undefined;

  constructor(
    private readonly database: Connection,
    private readonly vocabulary: CachedRead<Vocabulary>,
  ) {}

  /** The ids of what has any word or a related one, best first; null: related words find nothing. */
  async find({ filter, terms, isKnown }: OpenQuestion): Promise<string[] | null> {
    if (filter.q.trim().split(/\s+/).length > MAX_WORDS) return null;
    const near = await this.#nearTerms(terms);
    if (near.length === terms.length) return null;
    const least = isKnown ? LEAST.known : LEAST.unknown;
    const related = await rankNear(this.database, filter, {
      terms: near,
      least,
      limit: MAX_RELATED,
    });
    if (!related.some(({ isNear }) => isNear)) return null;
    const worded = isKnown ? await rankWords(this.database, filter, MAX_ANY_WORD) : { ids: [] };
    const ids = related.map(({ release_item_id }) => release_item_id);
    const scores = scoreRanks([ids, 1], [worded.ids, ANY_WORD]);
    return [...scores.keys()].sort((a, b) => scores.get(b)! - scores.get(a)!);
  }

  /** The terms, and the stems that are near to them in meaning. */
  async #nearTerms(terms: readonly Term[]): Promise<NearTerm[]> {
    const all = terms.reduce((sum, { weight }) => sum + weight ** RARENESS, 0);
    const near = terms.map(async (term, place) => {
      const count = (value: number, words: Omit<Term, "weight">): NearTerm => ({
        term: place,
        part: term.weight ** RARENESS / all,
        value,
        query: writeTerm(words),
        inName: writeTerm(words, { inName: true }),
      });
      const [word, ...more] = term.words;
      const related = word && more.length === 0 ? await this.#findNear(word) : [];
      return [
        count(1, term),
        ...related.map(({ forms, similarity }) =>
          count(similarity ** NEARNESS, { words: [{ forms, beginning: null }] })
        ),
      ];
    });
    return (await Promise.all(near)).flat();
  }

  async #findNear({ forms, beginning }: WordForms): Promise<NearStem[]> {
    // They are read when the first question needs them.
    const vectors = await (this.#vectors ??= WordVectors.read());
    const words = [...forms, ...beginning === null ? [] : [beginning]];
    const word = vectors.pick(words) ??
      vectors.pick(words.map((plural) => plural.replace(/s$/, "")));
    if (word === undefined) return [];
    const { stems, formsOf } = this.#knownIn(await this.vocabulary.read(), vectors);
    const similar = vectors.findNear(word, [...stems.keys()], MIN_SIMILARITY)
      .filter((found) => stems.get(found.word) !== stems.get(word))
      .sort((a, b) => b.similarity - a.similarity);
    const byStem = Map.groupBy(similar, (found) => stems.get(found.word)!);
    return [...byStem].slice(0, MAX_STEMS).map(([stem, [first]]) => ({
      forms: formsOf.get(stem)!,
      similarity: first!.similarity,
    }));
  }

  #knownIn(vocabulary: Vocabulary, vectors: WordVectors): Known {
    const found = this.#known.get(vocabulary);
    if (found) return found;
    const stems = new Map(vectors.words.flatMap((word) => {
      const stem = vocabulary.stemOf(word);
      return stem === undefined ? [] : [[word, stem]];
    }));
    const formsOf = Map.groupBy(stems.keys(), (word) => stems.get(word)!);
    const known = { stems, formsOf };
    this.#known.set(vocabulary, known);
    return known;
  }
}

/** How many numbers the vector of a word has, and what they were multiplied by. */
export const DIMENSIONS = 100;
export const SCALE = 200;

/** English words with vectors that are close where words mean the like (tools/word_vectors.ts). */
class WordVectors {
  readonly #places: ReadonlyMap<string, number>;
  readonly #numbers: Int8Array;

  private constructor(words: readonly string[], numbers: Int8Array) {
    this.#places = new Map(words.map((word, place) => [word, place]));
    this.#numbers = numbers;
  }

  /** Reads the vectors that ship with the service, some 2 MB. */
  static async read(): Promise<WordVectors> {
    const bytes = await readFile(new URL("./word_vectors.bin", import.meta.url));
    const end = bytes.indexOf(0);
    const words = new TextDecoder().decode(bytes.subarray(0, end)).split("\n");
    return new WordVectors(words, new Int8Array(bytes.subarray(end + 1)));
  }

  /** All words, the most frequent first. */
  get words(): string[] {
    return [...this.#places.keys()];
  }

  /** The most frequent one of some words that has a vector; absent: none has. */
  pick(words: readonly string[]): string | undefined {
    const places = words.map((word) => this.#places.get(word)).filter((place) =>
      place !== undefined
    );
    const first = Math.min(...places);
    return words.find((word) => this.#places.get(word) === first);
  }

  /** Of some words that have vectors, those that are at least that similar to one, with how much (cosine). */
  findNear(
    word: string,
    others: readonly string[],
    least: number,
  ): { word: string; similarity: number }[] {
    const [numbers, own] = [this.#numbers, this.#places.get(word)! * DIMENSIONS];
    return others.flatMap((other) => {
      const place = this.#places.get(other)! * DIMENSIONS;
      let sum = 0;
      for (let at = 0; at < DIMENSIONS; at++) sum += numbers[own + at]! * numbers[place + at]!;
      const similarity = sum / SCALE ** 2;
      return similarity < least ? [] : { word: other, similarity };
    });
  }
}
