import { decodeEntities } from "../../text/decode_entities.ts";
import { fold } from "../../text/fold.ts";
import { withoutPhase } from "./phase.ts";

/** Words that say nothing of what is announced. */
const COMMON = new Set(
  ("a an and are as at available be by can for from has have how in into introducing is it its " +
    "microsoft more new now of on or our support supported supports that the their this to use " +
    "using via we what whats will with within without you your announcing announcement unlock " +
    "enable enables enabling improved improvements enhanced enhancements").split(" "),
);

/** A title or a name as it is compared as a whole: without its phase, case and punctuation. */
export function nameOf(title: string): string {
  return allWordsOf(title).join(" ");
}

/** The words that distinguish a title, each once and without its ending. */
export function wordsOf(title: string): string[] {
  return [...new Set(allWordsOf(title).filter((word) => !COMMON.has(word)).map(stem))];
}

function allWordsOf(title: string): string[] {
  return fold(withoutPhase(decodeEntities(title))).replace(/['’]/g, "").match(/[\p{L}\p{N}]+/gu) ??
    [];
}

/** `policies` and `policy`, `branching` and `branch` become the same; it need be no word. */
function stem(word: string): string {
  if (word.length <= 3) return word;
  return word.replace(/ies$/, "y").replace(/(?<=[^s])s$/, "")
    .replace(/(?<=\p{L}{3})(?:ing|ed)$/u, "").replace(/(?<=\p{L}{3})e$/u, "");
}

/** Titles with less of a name are no near misses either. */
const MIN_OF_NAME = 0.25;

/** How much of a name and of a title is the same. */
export interface Likeness {
  /** How much the words of the name say together: a word that nothing else has is 1. */
  rarity: number;
  /** How much of the name stands in the title, from 0 to 1. */
  ofName: number;
  /** The same of the name and the title together: their harmonic mean. */
  ofBoth: number;
}

/** Compares names with titles by their words: the rarer a word, the more it counts. */
export class TitleIndex {
  readonly #weights = new Map<string, number>();
  /** The places of the titles that have a word. */
  readonly #places: ReadonlyMap<string, readonly { place: number }[]>;
  readonly #sums: readonly number[];

  constructor(names: readonly (readonly string[])[], titles: readonly (readonly string[])[]) {
    const total = names.length + titles.length;
    const counts = new Map<string, number>();
    for (const word of [...names, ...titles].flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, count] of counts) {
      this.#weights.set(word, Math.log(1 + total / count) / Math.log(1 + total));
    }
    const places = titles.flatMap((words, place) => words.map((word) => ({ word, place })));
    this.#places = Map.groupBy(places, ({ word }) => word);
    this.#sums = titles.map((words) => this.#sumOf(words));
  }

  /**
   * The titles that have words of a name, by their places. The words of the products of the release
   * are expected in a title, too.
   */
  compare(words: readonly string[], products: readonly string[]): Map<number, Likeness> {
    const shared = new Float64Array(this.#sums.length);
    const expected = new Float64Array(this.#sums.length);
    this.#addTo(shared, words);
    this.#addTo(expected, new Set([...words, ...products]));
    const rarity = this.#sumOf(words);
    const found = new Map<number, Likeness>();
    for (const [place, weight] of shared.entries()) {
      const ofName = weight / rarity;
      if (ofName < MIN_OF_NAME || weight === 0) continue;
      const ofTitle = expected[place]! / this.#sums[place]!;
      found.set(place, { rarity, ofName, ofBoth: 2 * ofName * ofTitle / (ofName + ofTitle) });
    }
    return found;
  }

  #addTo(sums: Float64Array, words: Iterable<string>): void {
    for (const word of words) {
      const weight = this.#weightOf(word);
      for (const { place } of this.#places.get(word) ?? []) sums[place]! += weight;
    }
  }

  #sumOf(words: readonly string[]): number {
    return words.reduce((total, word) => total + this.#weightOf(word), 0);
  }

  #weightOf(word: string): number {
    return this.#weights.get(word) ?? 1;
  }
}
