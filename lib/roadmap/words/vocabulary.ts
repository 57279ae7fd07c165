/** A word that an item has or had, with its stems in English and in the language that is spoken. */
export interface KnownWord {
  word: string;
  /** Empty: a stop word. */
  stem: string;
  /** Empty: there is none, or English is spoken. */
  ownStem: string;
}

/** Half of a word is no shorter. */
const MIN_HALF = 2;

/** All words without digits that an item has or had: what a question may stand for. */
export class Vocabulary {
  readonly #words: ReadonlyMap<string, KnownWord>;
  readonly #byStem: ReadonlyMap<string, readonly string[]>;
  readonly #byOwnStem: ReadonlyMap<string, readonly string[]>;
  #byLetter: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(words: readonly KnownWord[]) {
    this.#words = new Map(words.map((known) => [known.word, known]));
    this.#byStem = groupBy(words, ({ stem }) => stem);
    this.#byOwnStem = groupBy(words, ({ ownStem }) => ownStem);
  }

  has(word: string): boolean {
    return this.#words.has(word);
  }

  /** The stem in English; undefined: the word is unknown, or a stop word. */
  stemOf(word: string): string | undefined {
    return this.#words.get(word)?.stem || undefined;
  }

  /** The words of the same stem, itself first; of a word that is unknown, those of the given stems. */
  formsOf(
    word: string,
    { stem, ownStem }: Omit<KnownWord, "word"> = this.#words.get(word)!,
  ): string[] {
    const same = [...this.#byStem.get(stem) ?? [], ...this.#byOwnStem.get(ownStem) ?? []];
    return [...new Set([word, ...same])];
  }

  /** The words of a stem in English. */
  wordsOf(stem: string): readonly string[] {
    return this.#byStem.get(stem) ?? [];
  }

  /** Where a word can be divided into two that are known: each as `power bi`. */
  halvesOf(word: string): string[] {
    const letters = [...word];
    if (/[0-9]/.test(word)) return [];
    return letters.flatMap((_, at) => {
      if (at < MIN_HALF || at > letters.length - MIN_HALF) return [];
      const [first, second] = [letters.slice(0, at).join(""), letters.slice(at).join("")];
      return this.has(first) && this.has(second) ? [`${first} ${second}`] : [];
    });
  }

  /** The words that begin with one of the first two letters of a word, in almost its length. */
  nearTo(word: string): string[] {
    this.#byLetter ??= Map.groupBy(this.#words.keys(), ([letter = ""]) => letter);
    const letters = [...word];
    return [...new Set(letters.slice(0, 2))].flatMap((letter) => this.#byLetter!.get(letter) ?? [])
      .filter((other) => Math.abs([...other].length - letters.length) <= 2);
  }
}

/** Words by what they share; nothing is shared by those that have none of it. */
function groupBy(
  words: readonly KnownWord[],
  keyOf: (word: KnownWord) => string,
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const known of words) {
    const key = keyOf(known);
    const group = groups.get(key);
    if (group) group.push(known.word);
    else if (key !== "") groups.set(key, [known.word]);
  }
  return groups;
}
