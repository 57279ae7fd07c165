import english from "../../../messages/questions/en.json" with { type: "json" };
import { LANGUAGES, monthsIn } from "../../text/languages.ts";
import { digitOf } from "../../text/match_words.ts";
import { language } from "../../text/messages.ts";

const FOLDER = new URL("../../../messages/questions/", import.meta.url);

/** What may be said in a question: ways to say it with `|` between them; `*` is any ending. */
export type Concept = Exclude<keyof typeof english, "months" | "numbers" | "relative" | "examples">;

/** A file of `messages/questions/`: what a language lacks, nobody says there. */
export type Questions = Readonly<Partial<Record<Concept | "months" | "numbers", string>>> & {
  /** Words that name a period by themselves, by a unit and how many of them it lies ahead. */
  readonly relative?: Readonly<Record<string, string>>;
  /** Questions, and what they mean on 23 November 2026. */
  readonly examples: Readonly<Record<string, string>>;
};

/** The words of a language in which a question asks for dates or changes. */
export interface AskedWords {
  /** Its words stand between blanks. */
  readonly isSpaced: boolean;
  /** The ways in which something is said, folded and in lower case. */
  of(...concepts: Concept[]): string[];
  /** The names of months, as the language has them and as people write them. */
  readonly months: readonly (readonly [name: string, month: number])[];
  /** The words for numbers of days, weeks and so on. */
  readonly numbers: readonly (readonly [name: string, value: number])[];
  /** The ways to name a period by a unit and its distance. */
  readonly relative: readonly (readonly [way: string, unit: string, step: number])[];
}

/** Reads the questions of a language from its file. */
export function readQuestions(tag: string): Questions {
  if (!(LANGUAGES as readonly string[]).includes(tag) || tag === "en") return english;
  return JSON.parse(Deno.readTextFileSync(new URL(`${tag}.json`, FOLDER)));
}

/** What reads questions in the language that is spoken, then in English; each is made once. */
export function askedIn<Reader>(make: (words: AskedWords) => Reader): () => Reader[] {
  const made = new Map<string, Reader>();
  return () =>
    [...new Set([language().tag, "en"])].map((tag) => {
      const reader = made.get(tag) ?? make(readWords(tag));
      made.set(tag, reader);
      return reader;
    });
}

function readWords(tag: string): AskedWords {
  const questions = readQuestions(tag);
  const ways = (text = "") => text.split("|").filter((way) => way !== "").flatMap(spell);
  const counted = (text = "") =>
    ways(text).map((entry) => {
      const end = entry.lastIndexOf(" ");
      return [entry.slice(0, end), Number(entry.slice(end))] as const;
    });
  return {
    isSpaced: !/[\p{Script=Han}]/u.test(questions.year ?? ""),
    of: (...concepts) => concepts.flatMap((concept) => ways(questions[concept])),
    months: [
      ...nameMonths(tag),
      ...counted(questions.months),
    ],
    numbers: counted(questions.numbers),
    relative: Object.entries(questions.relative ?? {}).flatMap(([meaning, text]) => {
      const [unit, step] = meaning.split(" ");
      return ways(text).map((way) => [way, unit!, Number(step)] as const);
    }),
  };
}

/** A way as people type it: also with ae for ä where a keyboard has none. */
function spell(way: string): string[] {
  const typed = way.replace(/[äöü]/gi, (letter) => `${foldAsked(letter)}e`).replaceAll("ß", "ss");
  return [...new Set([way, typed])].map((one) => foldAsked(withoutMarks(one)).toLowerCase());
}

/** A text without marks of direction, which what is copied in Arabic has, and without its vowel signs. */
export function withoutMarks(text: string): string {
  return text.replace(/[\p{Bidi_Control}\u0640\u064b-\u065f\u0670]/gu, "");
}

/**
 * An expression for one of some ways, the longest that fits; `#` is a number. Behind a way that ends
 * with a letter stands `edge`.
 */
export function anyOf(ways: Iterable<string>, edge = ""): string {
  const escaped = [...new Set(ways)].sort((a, b) => b.length - a.length).map((way) =>
    way.replace(/[\\^$.+?()[\]{}|]/g, "\\$&").replaceAll("*", String.raw`\p{L}*`) +
    (/[\p{L}\p{N}*]$/u.test(way) ? edge : "")
  );
  return `(?:${escaped.join("|") || "(?!)"})`.replaceAll("#", String.raw`\d{1,2}`);
}

/** The months in full and in short, alone and beside a day: some languages inflect them there. */
function nameMonths(tag: string): [name: string, month: number][] {
  return (["long", "short"] as const).flatMap((month) => {
    const beside = monthsIn(tag, { month, day: "numeric" })
      .map((parts) => parts.filter(({ type }) => type === "month"));
    return [...monthsIn(tag, { month }).entries(), ...beside.entries()];
  }).flatMap(([place, parts]) => {
    const name = parts.map(({ value }) => value).join("").replace(/\.$/, "");
    const ways = Number.isNaN(Number(name)) ? spell(name) : [];
    return ways.map((way): [string, number] => [way, place + 1]);
  });
}

/**
 * A text as it is compared, no shorter or longer: without accents, as people type them or not, and
 * with our digits and apostrophes.
 *
 * ```ts
 * const folded = foldAsked("Décembre ٢٠٢٧, d’ici");
 * if (folded !== "Decembre 2027, d'ici") throw new Error(folded);
 * ```
 */
export function foldAsked(text: string): string {
  return text.normalize("NFC").replace(/[^\x20-\x7e]/gu, (character) => {
    if (/\s/u.test(character)) return " ".repeat(character.length);
    if (/[‘’ʼ]/.test(character)) return "'";
    if (/\p{Nd}/u.test(character)) return digitOf(character).padStart(character.length, "0");
    // Of the letters of the languages, the only one that has no accent by Unicode.
    if (/ł/i.test(character)) return character === "ł" ? "l" : "L";
    const [base = "", ...marks] = character.normalize("NFD");
    const isLetter = base.length === character.length &&
      marks.every((mark) => /\p{Mn}/u.test(mark));
    return isLetter ? base : character;
  });
}
