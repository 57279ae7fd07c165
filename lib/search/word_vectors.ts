import { readFile } from "node:fs/promises";

/** How many numbers the vector of a word has, and what they were multiplied by. */
export const DIMENSIONS = 100;
export const SCALE = 200;

/** English words with vectors that are close where words mean the like (tools/word_vectors.ts). */
export class WordVectors {
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
