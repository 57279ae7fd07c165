/**
 * Normalising takes time quadratic in the number of combining marks on one letter; no language has
 * more than 30 (UAX #15, section 13), after which the Combining Grapheme Joiner breaks them up.
 */
const MAX_MARKS = 30;
const JOINER = "\u034f";

/** Stands between the fields of a search text; no folded text holds it. */
export const FIELD_BOUNDARY = "\u001f";

/** Signs that differ from those of a keyboard, and invisible ones, which nobody types. */
const INVISIBLE = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+/g;
const BLANK = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;
const HYPHEN = /[\u2010-\u2015\u2212]/g;
const APOSTROPHE = /[\u2018\u2019\u201b\u02bc\uff07]/g;
const QUOTATION_MARK = /[\u201c-\u201f\uff02]/g;

/** Arabic vowel signs, and the kashida, which only makes a word longer. */
const ARABIC_SIGNS = /[\u0640\u064b-\u065f\u0670]+/g;
/** Letters of Arabic and Persian that are typed for one another: of alef, yeh, heh and kaf. */
const ARABIC_LETTERS: Readonly<Record<string, string>> = {
  آ: "ا",
  أ: "ا",
  إ: "ا",
  ٱ: "ا",
  ى: "ي",
  ی: "ي",
  ے: "ي",
  ة: "ه",
  ہ: "ه",
  ۀ: "ه",
  ک: "ك",
};
const ARABIC_LETTER = /[آأإٱىیےةہۀک]/g;

/** Nothing of it has another spelling. */
const ASCII = /^[\t\n\r\x20-\x7f]*$/;

/**
 * Folds a text so that two texts which differ in case or spelling only become the same, in every
 * script: the full case folding of Unicode by way of the upper case (`ß` is `ss`, `ς` is `σ`), of
 * what NFKC makes one: full and half width, ligatures. It starts from the lower case, since `ẞ` is
 * its own upper case. All four Turkish letters are `i`. Arabic loses its vowel signs and kashida, and
 * has one alef, yeh, heh and kaf (as in Lucene's ArabicNormalizer and PersianNormalizer).
 * Typographic blanks, hyphens, apostrophes and quotation marks become those of a keyboard, soft
 * hyphens, marks of direction and blanks without width go. Accents stay. The database has the same
 * rule for tags (`one_spelling`).
 *
 * ```ts
 * if (fold("ÉTÉ") !== fold("e\u0301te\u0301")) throw new Error();
 * if (fold("ΟΔΟΣ") !== fold("οδος")) throw new Error();
 * if (fold("STRAẞE") !== fold("straße")) throw new Error();
 * if (fold("Don’t re\u00adfresh") !== fold("don't refresh")) throw new Error();
 * if (fold("İSTANBUL") !== fold("istanbul")) throw new Error();
 * if (fold("ﾚﾎﾟｰﾄ Ｅｘｃｅｌ") !== fold("レポート Excel")) throw new Error();
 * if (fold("كِتـــاب أمان") !== fold("كتاب امان")) throw new Error();
 * ```
 */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.replace(/\p{M}+/gu, breakUp).normalize("NFKC")
    .replace(ARABIC_SIGNS, "").replace(ARABIC_LETTER, (letter) => ARABIC_LETTERS[letter]!)
    .replace(INVISIBLE, "").normalize("NFC")
    .toLowerCase().toUpperCase().toLowerCase()
    .replace(BLANK, " ").replace(HYPHEN, "-").replace(APOSTROPHE, "'").replace(QUOTATION_MARK, '"')
    .replaceAll("i\u0307", "i").replaceAll("ς", "σ").replaceAll(FIELD_BOUNDARY, " ")
    .normalize("NFC");
}

function breakUp(marks: string): string {
  if (marks.length <= MAX_MARKS) return marks;
  return marks.match(new RegExp(`.{1,${MAX_MARKS}}`, "gsu"))!.join(JOINER);
}

/** The words of a query, trimmed of everything that folds to a blank; may be empty. */
export function trimWords(text: string): string {
  return text.replaceAll(FIELD_BOUNDARY, " ").trim();
}

/**
 * How many letters have to be inserted, deleted, replaced or swapped with their neighbour to make one
 * word another (optimal string alignment).
 *
 * ```ts
 * if (editDistance("fabirc", "fabric") !== 1) throw new Error();
 * if (editDistance("wharehouse", "warehouse") !== 1) throw new Error();
 * ```
 */
export function editDistance(one: string, other: string): number {
  const [a, b] = [[...one], [...other]];
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, place) => place);
  a.forEach((letter, i) => {
    const row = [i + 1];
    b.forEach((wanted, j) => {
      const replaced = last[j]! + (letter === wanted ? 0 : 1);
      const isSwapped = i > 0 && j > 0 && letter === b[j - 1] && a[i - 1] === wanted;
      const swapped = isSwapped ? before[j - 1]! + 1 : Infinity;
      row.push(Math.min(row[j]! + 1, last[j + 1]! + 1, replaced, swapped));
    });
    [before, last] = [last, row];
  });
  return last[b.length]!;
}

/** A piece of a text; `hit`: the reader looked for it. */
interface Piece {
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

const WORD = /([\p{L}\p{N}][\p{L}\p{N}\p{M}]*)/u;

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

const STRUCK = /[łøđðħŧıŋßæœþ]/g;

/** A folded text without accents, as the database finds words (`plain_letters`). */
export function plainLetters(folded: string): string {
  return ASCII.test(folded) ? folded : folded.normalize("NFD").replace(/[\u0300-\u036f]+/g, "")
    .replace(STRUCK, (letter) => PLAIN_LETTERS[letter]!);
}

/**
 * A word in lower case, in one spelling and without accents.
 *
 * ```ts
 * if (plainWord("Éclair") !== "eclair") throw new Error(plainWord("Éclair"));
 * if (plainWord("Łódź") !== "lodz") throw new Error(plainWord("Łódź"));
 * ```
 */
export function plainWord(word: string): string {
  return plainLetters(fold(word));
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
  const isMarked = marks.text === undefined ? wordMarker(marks) : () => true;
  const isHit = (piece: string, place: number) => place % 2 === 1 && isMarked(piece);
  // Splitting by a group leaves what it matches at the odd places.
  return text.split(marks.text === undefined ? WORD : literal(marks.text))
    .map((text, place) => ({ text, hit: isHit(text, place) }))
    .filter(({ text }) => text !== "");
}

function literal(text: string): RegExp {
  return new RegExp(`(${text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")})`, "iu");
}

/** Tells which words of a text are marked. */
function wordMarker({ words, beginnings }: Marks): (word: string) => boolean {
  const whole = new Set(words.map(roughly));
  const begun = beginnings.map(roughly);
  return (word) => {
    const shown = roughly(word);
    return whole.has(shown) || begun.some((beginning) => shown.startsWith(beginning));
  };
}

/**
 * A word as it is compared to be marked. Pages bring this along, so it is rougher than `plainWord`:
 * it takes no letters of Arabic and Persian for one another, but for those that differ by a sign.
 */
function roughly(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  return word.normalize("NFKD").replace(/[\p{M}\u0640]/gu, "").toLowerCase()
    .replace(STRUCK, (letter) => PLAIN_LETTERS[letter]!);
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

/**
 * A digit of any script as one of ours: the ten of each script stand in a row.
 *
 * ```ts
 * if ([..."٢०７𝟡𝟘"].map(digitOf).join("") !== "20790") throw new Error();
 * ```
 */
export function digitOf(digit: string): string {
  const isDigit = (point: number) => /\p{Nd}/u.test(String.fromCodePoint(point));
  // Of the letters of mathematics, one row of digits begins where another ends.
  const point = digit.normalize("NFKC").codePointAt(0)!;
  let value = 0;
  while (value < 9 && isDigit(point - value - 1)) value++;
  return String(value);
}
