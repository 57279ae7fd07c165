import { STATUS_WORDS, type WordClass } from "./status_words.ts";

/** Longer than any status. */
const MAX_STATUS = 500;
/** The letters of scripts that write no blanks between words; Korean may write some. */
const JOINED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u;
const BETWEEN_JOINED = new RegExp(`(?<=${JOINED.source}) (?=${JOINED.source})`, "gu");
/** Letters that Unicode does not take apart. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  ø: "o",
  ł: "l",
  æ: "ae",
  đ: "d",
  ı: "i",
};

/** Words in lower case without accents; each in its script, all scripts alike. */
function wordsOf(text: string): string[] {
  // Marks that a text goes on and on with would be put in order for minutes.
  const plain = text.slice(0, MAX_STATUS).normalize("NFKD").replace(/[\p{Mn}\p{Cf}\u0640]/gu, "")
    .normalize("NFC").replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[%٪]/g, " percent ")
    .toLowerCase().replace(/[ßøłæđı]/g, (letter) => LETTERS[letter]!);
  const words = plain.replace(/[^\p{L}\p{N}*]+/gu, " ").trim().replace(BETWEEN_JOINED, "");
  return words.split(" ").filter((word) => word !== "")
    .map((word) => word.replace(/^ال(?=..)/, "")); // the article of Arabic is part of the word
}

/** Phrases by their words: what a phrase says that ends here, and how it may go on. */
interface Phrases {
  says?: WordClass;
  exact: Map<string, Phrases>;
  /** By the beginning of a word. */
  begins: Map<string, Phrases>;
}

/** The words of each class, as they are looked up. */
interface Lexicon {
  phrases: Phrases;
  /** Of scripts without blanks: parts of a text, the longest of which counts. */
  parts: ReadonlyMap<string, WordClass>;
  longest: number;
}

/** Reads lists of words: the first class that has a word counts. */
export function parsePhrases(lists: Partial<Readonly<Record<WordClass, string>>>): Lexicon {
  const root: Phrases = { exact: new Map(), begins: new Map() };
  const parts = new Map<string, WordClass>();
  for (const [says, list] of Object.entries(lists) as [WordClass, string][]) {
    for (const phrase of list.split(",")) {
      const words = wordsOf(phrase);
      if (words.length === 1 && JOINED.test(words[0]!)) {
        if (!parts.has(words[0]!)) parts.set(words[0]!, says);
        continue;
      }
      let at = root;
      for (const word of words) {
        const next = word.endsWith("*") ? at.begins : at.exact;
        const key = word.replace(/\*$/, "");
        if (!next.has(key)) next.set(key, { exact: new Map(), begins: new Map() });
        at = next.get(key)!;
      }
      if (at !== root) at.says ??= says;
    }
  }
  return {
    phrases: root,
    parts,
    longest: Math.max(0, ...[...parts.keys()].map((part) => part.length)),
  };
}

const LEXICON = parsePhrases(STATUS_WORDS);

/** The longest phrase at a place: how many words it has, and what it says. */
function longestPhrase(
  at: Phrases,
  words: readonly string[],
  place: number,
): { length: number; says: WordClass } | null {
  const word = words[place];
  if (word !== undefined) {
    const nexts = [at.exact.get(word)];
    for (let length = word.length; length >= 0; length--) {
      nexts.push(at.begins.get(word.slice(0, length)));
    }
    let best: { length: number; says: WordClass } | null = null;
    for (const next of nexts) {
      const found = next && longestPhrase(next, words, place + 1);
      if (found && found.length + 1 > (best?.length ?? 0)) {
        best = { ...found, length: found.length + 1 };
      }
    }
    if (best) return best;
  }
  return at.says ? { length: 0, says: at.says } : null;
}

/** A number of all: `2 of 5`. */
const OF_ALL = /\b(\d{1,3}) (?:out of|of|von|sur|de|di|su|van|z|из|من) (\d{1,3})(?!\d)/giu;
/** The same as `2/5`, which may be a day, only where it begins or is in brackets. */
const OF_ALL_SHORT = /(?:^[^\p{L}\p{N}]{0,9}|[([] ?)(\d{1,3}) ?\/ ?(\d{1,3})(?!\d)/gu;

/** A share that is below one is below 100 percent, and above none is above 0. */
function toPercent(all: string, ...numbers: string[]): string {
  const [part = 0, whole = 0] = numbers.slice(0, 2).map(Number);
  if (whole === 0 || part > whole) return all;
  const percent = Math.floor(part / whole * 100);
  return ` ${part === 0 ? 0 : Math.max(1, percent)} percent `;
}

/** What the words of a status say, in their order; a number and a single letter say nothing. */
export function classesOf(
  status: string,
  { phrases, parts, longest }: Lexicon = LEXICON,
): { classes: (WordClass | "other" | "share")[]; percent: number | null } {
  const text = status.replaceAll("*", " ").replace(/\s+/g, " ");
  const words = wordsOf(text.replace(OF_ALL, toPercent).replace(OF_ALL_SHORT, toPercent));
  const classes: (WordClass | "other" | "share")[] = [];
  let percent: number | null = null;
  for (let place = 0; place < words.length;) {
    const word = words[place]!;
    if (/^\d{1,3}$/.test(word) && words[place + 1] === "percent") {
      percent ??= Number(word);
      classes.push("share");
      place += 2;
      continue;
    }
    const found = longestPhrase(phrases, words, place);
    if (found) {
      classes.push(found.says);
      place += found.length;
      continue;
    }
    if (JOINED.test(word)) classes.push(...partsOf(word, parts, longest));
    else classes.push(classOfOther(word));
    place++;
  }
  return { classes, percent };
}

function classOfOther(word: string): WordClass | "other" {
  if (/^20\d\d$/.test(word)) return "period";
  return /^(?:v?\d+[a-z]?|.)$/u.test(word) ? "neutral" : "other";
}

/** The parts of a text without blanks. */
function partsOf(
  word: string,
  parts: ReadonlyMap<string, WordClass>,
  longest: number,
): (WordClass | "other")[] {
  const found: (WordClass | "other")[] = [];
  for (let at = 0; at < word.length;) {
    let length = Math.min(longest, word.length - at);
    while (length > 0 && !parts.has(word.slice(at, at + length))) length--;
    if (length > 0) found.push(parts.get(word.slice(at, at + length))!);
    else if (found.at(-1) !== "other") found.push("other");
    at += Math.max(1, length);
  }
  return found;
}

/** Whether a text has one of these phrases. */
export function hasPhrase(text: string, lexicon: Lexicon): boolean {
  return classesOf(text, lexicon).classes.includes("stop");
}
