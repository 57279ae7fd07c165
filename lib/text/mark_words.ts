/** A piece of a text; `hit`: the reader looked for it. */
export interface Piece {
  text: string;
  hit: boolean;
}

/** What a reader looked for, as it stands in texts. */
export interface Marks {
  /** A text in any case; absent: words. */
  text?: string;
  /** Plain words (`plainWord`), spellings and other forms that were found in their place included. */
  words: readonly string[];
  /** Plain beginnings of words. */
  beginnings: readonly string[];
}

const WORD = /([\p{L}\p{N}]+)/u;

/** Letters with a stroke, and ligatures, which have no accent that could be taken off. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ł: "l",
  ø: "o",
  đ: "d",
  ð: "d",
  ħ: "h",
  ŧ: "t",
  ı: "i",
  ŋ: "n",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  þ: "th",
};

/**
 * A word in lower case and without accents.
 *
 * ```ts
 * if (plainWord("Éclair") !== "eclair") throw new Error(plainWord("Éclair"));
 * if (plainWord("Łódź") !== "lodz") throw new Error(plainWord("Łódź"));
 * ```
 */
export function plainWord(word: string): string {
  return word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()
    .replace(/[łøđðħŧıŋßæœþ]/g, (letter) => PLAIN_LETTERS[letter]!);
}

/** Marks for the words of a question of which no more is known; an unfinished one may go on. */
export function marksOf(question: string): Marks {
  const beginnings = question.split(WORD).filter((_, place) => place % 2 === 1)
    .map(plainWord).filter((word) => word.length > 2);
  return { words: [], beginnings };
}

/**
 * Cuts a text where what was looked for stands.
 *
 * ```ts
 * const pieces = markWords("Sign-in with passkeys", { words: ["sign"], beginnings: ["pass"] });
 * const hits = pieces.filter(({ hit }) => hit).map(({ text }) => text);
 * if (hits.join() !== "Sign,passkeys") throw new Error(hits.join());
 * ```
 */
export function markWords(text: string, marks: Marks | undefined): Piece[] {
  if (!marks) return [{ text, hit: false }];
  const isHit = (piece: string, place: number) =>
    place % 2 === 1 && (marks.text !== undefined || isMarked(plainWord(piece), marks));
  // Splitting by a group leaves what it matches at the odd places.
  return text.split(marks.text === undefined ? WORD : literal(marks.text))
    .map((text, place) => ({ text, hit: isHit(text, place) }))
    .filter(({ text }) => text !== "");
}

function literal(text: string): RegExp {
  return new RegExp(`(${text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")})`, "iu");
}

function isMarked(word: string, { words, beginnings }: Marks): boolean {
  return words.includes(word) || beginnings.some((beginning) => word.startsWith(beginning));
}

/**
 * Where in a text most of what was looked for stands together, within a length; -1: it is nowhere.
 *
 * ```ts
 * const marks = { words: ["a", "b"], beginnings: [] };
 * if (bestPassage("a - - - - - - - - a b", marks, 5) !== 18) throw new Error();
 * ```
 */
export function bestPassage(text: string, marks: Marks, length: number): number {
  let place = 0;
  const hits: { start: number; end: number; word: string }[] = [];
  for (const { text: piece, hit } of markWords(text, marks)) {
    if (hit) hits.push({ start: place, end: place + piece.length, word: plainWord(piece) });
    place += piece.length;
  }
  let best = { start: -1, words: 0 };
  let last = 0;
  const inside = new Map<string, number>();
  for (const { start, word } of hits) {
    while (last < hits.length && hits[last]!.end <= start + length) {
      const added = hits[last++]!.word;
      inside.set(added, (inside.get(added) ?? 0) + 1);
    }
    if (inside.size > best.words) best = { start, words: inside.size };
    const left = (inside.get(word) ?? 1) - 1;
    if (left === 0) inside.delete(word);
    else inside.set(word, left);
  }
  return hits.length > 0 && best.start < 0 ? hits[0]!.start : best.start;
}
