import { decodeEntities } from "../../text/plain_text.ts";
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

/** The words that tell a title from others, each once and without its ending. */
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

/** How much of a name and of a title is the same. */
export interface Likeness {
  /** How much the words of the name say together: a word that nothing else has is 1. */
  rarity: number;
  /** How much of the name stands in the title, from 0 to 1. */
  ofName: number;
  /** The same of the name and the title together: their harmonic mean. */
  ofBoth: number;
}

/** How alike names and titles are, by their words: the rarer a word, the more it counts. */
export class TitleComparison {
  readonly #counts = new Map<string, number>();

  /** Counts the words of all titles and names that are compared. */
  constructor(private readonly titles: readonly (readonly string[])[]) {
    for (const word of titles.flat()) this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
  }

  /** In the title the words of the release's products are expected, too. */
  compare(
    { words, products }: { words: readonly string[]; products: readonly string[] },
    title: readonly string[],
  ): Likeness {
    const sum = (some: readonly string[]) =>
      some.reduce((total, word) => total + this.#weightOf(word), 0);
    const rarity = sum(words);
    const ofName = sum(words.filter((word) => title.includes(word))) / rarity || 0;
    const expected = title.filter((word) => words.includes(word) || products.includes(word));
    const ofTitle = sum(expected) / sum(title) || 0;
    return { rarity, ofName, ofBoth: 2 * ofName * ofTitle / (ofName + ofTitle) || 0 };
  }

  #weightOf(word: string): number {
    const total = this.titles.length;
    return Math.log(1 + total / (this.#counts.get(word) ?? 1)) / Math.log(1 + total);
  }
}
