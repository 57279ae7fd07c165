import { tidyText } from "./tidy_text.ts";
import ar from "./words/ar.json" with { type: "json" };
import bg from "./words/bg.json" with { type: "json" };
import cs from "./words/cs.json" with { type: "json" };
import da from "./words/da.json" with { type: "json" };
import de from "./words/de.json" with { type: "json" };
import el from "./words/el.json" with { type: "json" };
import en from "./words/en.json" with { type: "json" };
import es from "./words/es.json" with { type: "json" };
import fi from "./words/fi.json" with { type: "json" };
import fr from "./words/fr.json" with { type: "json" };
import he from "./words/he.json" with { type: "json" };
import hr from "./words/hr.json" with { type: "json" };
import hu from "./words/hu.json" with { type: "json" };
import id from "./words/id.json" with { type: "json" };
import it from "./words/it.json" with { type: "json" };
import ja from "./words/ja.json" with { type: "json" };
import ko from "./words/ko.json" with { type: "json" };
import nb from "./words/nb.json" with { type: "json" };
import nl from "./words/nl.json" with { type: "json" };
import pl from "./words/pl.json" with { type: "json" };
import pt from "./words/pt.json" with { type: "json" };
import ro from "./words/ro.json" with { type: "json" };
import ru from "./words/ru.json" with { type: "json" };
import sk from "./words/sk.json" with { type: "json" };
import sl from "./words/sl.json" with { type: "json" };
import sv from "./words/sv.json" with { type: "json" };
import th from "./words/th.json" with { type: "json" };
import tools from "./words/tools.json" with { type: "json" };
import tr from "./words/tr.json" with { type: "json" };
import uk from "./words/uk.json" with { type: "json" };
import vi from "./words/vi.json" with { type: "json" };
import zh from "./words/zh.json" with { type: "json" };

/**
 * What tools and people call columns, and the words of their values: a file for each language with
 * the same concepts, and one for the names that tools give in English whatever the language is.
 */
const FILES = {
  ...{ ar, bg, cs, da, de, el, en, es, fi, fr, he, hr, hu, id, it, ja, ko, nb, nl, pl, pt, ro, ru },
  ...{ sk, sl, sv, th, tools, tr, uk, vi, zh },
};

/** What a name of a column or a value may mean. */
export type Concept = keyof typeof en | keyof typeof tools;

/** The languages of the lexicon. */
export const LANGUAGES = Object.keys(FILES).filter((name) => name !== "tools");

/** Letters that are no letters with an accent. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: "ss", ł: "l", ı: "i", ø: "o", đ: "d", æ: "ae", œ: "oe" },
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");

/** Marks that any letter may have; the vowels of Thai and Hindi are marks as well, and stay. */
const ACCENT = /(?=\p{Mn})\p{Script=Inherited}/gu;

/**
 * A text without accents, in lower case: a month may be written "März", "marz" or "MÄRZ".
 *
 * ```ts
 * if (foldWord("Février") !== "fevrier" || foldWord("Łódź") !== "lodz") throw new Error();
 * ```
 */
export function foldWord(text: string): string {
  return text.normalize("NFD").replace(ACCENT, "").normalize("NFC").toLowerCase()
    .replace(LETTER, (letter) => LETTERS[letter]!).replaceAll("\u0307", "");
}

/** The normalised names of columns are asked for with each row. */
const PLAIN = new Map<string, string>();
const MAX_PLAIN_NAMES = 5_000;

/**
 * The normalised name of a column: without case, accents, spaces and punctuation.
 *
 * ```ts
 * if (plainName(" Fix Version/s") !== plainName("fixVersion_s")) throw new Error();
 * if (plainName("Öffentlich") !== "offentlich") throw new Error();
 * ```
 */
export function plainName(name: string): string {
  const known = PLAIN.get(name);
  if (known !== undefined) return known;
  const parts = name.replace(/(\p{Ll})(?=\p{Lu})/gu, "$1 ");
  const plain = toPlain(parts);
  if (PLAIN.size < MAX_PLAIN_NAMES) PLAIN.set(name, plain);
  return plain;
}

function toPlain(text: string): string {
  if (/^[a-z\d]+(?: [a-z\d]+)*$/.test(text)) return text;
  const shown = text.normalize("NFKC").replace(/\p{Cf}/gu, "");
  return foldWord(shown).replace(/[^\p{L}\p{M}\p{N}]+/gu, " ").trim();
}

/** A value to be compared; signs such as a tick have nothing else. */
function keyOf(text: string): string {
  return plainName(text) || foldWord(tidyText(text.replaceAll("\ufe0f", "")));
}

/** What each phrase of the lexicon means; read when the first name is looked up. */
let meanings: ReadonlyMap<string, ReadonlySet<Concept>> | undefined;
const lexicon = () => meanings ??= readFiles();

function readFiles(): Map<string, Set<Concept>> {
  const found = new Map<string, Set<Concept>>();
  for (const words of Object.values(FILES)) {
    for (const [concept, phrases] of Object.entries(words)) {
      for (const phrase of phrases.split("|")) {
        const key = toPlain(phrase) || keyOf(phrase);
        const meanings = found.get(key) ?? new Set();
        found.set(key, meanings.add(concept as Concept));
      }
    }
  }
  return found;
}

const NOTHING: ReadonlySet<Concept> = new Set();

/** What a whole text means, such as "Due date", "nein" or "非公開". */
export function meaningsOf(text: string): ReadonlySet<Concept> {
  return lexicon().get(keyOf(text)) ?? NOTHING;
}

/** Whether a whole text means something. */
export function means(text: string, concept: Concept): boolean {
  return meaningsOf(text).has(concept);
}

/** The first phrase of a concept in a language; empty: only the names of tools have it. */
export function phraseIn(language: string, concept: Concept): string {
  const words: Partial<Record<Concept, string>> = FILES[language as keyof typeof FILES];
  return words[concept]?.split("|")[0] ?? "";
}

/** The phrases of a concept in all languages, normalised. */
export function phrasesOf(concept: Concept): string[] {
  return [...lexicon()].filter(([, meanings]) => meanings.has(concept)).map(([phrase]) => phrase);
}

/** Languages that write several words as one: "Aufgabenname", "forfallodatum". */
const JOINING = [de, nl, sv, da, nb, fi, hu];
/** Shorter ends of words mean nothing by themselves. */
const SHORTEST_PART = 4;
let parts: ReadonlyMap<string, ReadonlySet<Concept>> | undefined;
const compoundParts = () => parts ??= readParts();

function readParts(): Map<string, ReadonlySet<Concept>> {
  const keys = JOINING.flatMap((words) => Object.values(words))
    .flatMap((phrases) => phrases.split("|")).map(toPlain)
    .filter((key) => key.length >= SHORTEST_PART && !key.includes(" "));
  return new Map(keys.map((key) => [key, lexicon().get(key) ?? NOTHING]));
}
/** Scripts that put no blanks between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
/** The most words of a phrase, and the most letters of one without blanks. */
const LONGEST = { words: 5, letters: 12 };
/** How much a word counts, and a part of a word. */
const WORD = 1;
const PART = 0.5;

/** What the words of a name mean, and how much each counts. */
export type Hints = ReadonlyMap<Concept, number>;

const HINTS = new Map<string, Hints>();

/**
 * What a name says by its words, by the parts of a compound, and by what stands in a text without
 * blanks; of two phrases in the same place the longer counts.
 *
 * ```ts
 * if (!hintsOf("Forecast go live").has("planned_end")) throw new Error();
 * if (!hintsOf("Anfangstermin").has("start") || !hintsOf("最后修改日期").has("changed")) throw new Error();
 * if (hintsOf("End of life").has("end")) throw new Error();
 * ```
 */
export function hintsOf(name: string): Hints {
  const known = HINTS.get(name);
  if (known) return known;
  const hints = new Map<Concept, number>();
  const add = (meanings: ReadonlySet<Concept>, weight: number) => {
    for (const one of meanings) hints.set(one, Math.max(weight, hints.get(one) ?? 0));
  };
  const words = plainName(name).split(" ");
  for (let at = 0; at < words.length;) {
    const [length, meanings] = phraseAt(words, at, LONGEST.words, " ");
    if (length > 0) add(meanings, WORD);
    else if (UNSPACED.test(words[at]!)) addInside(words[at]!, add);
    else addCompound(words[at]!, add);
    at += Math.max(1, length);
  }
  if (HINTS.size < MAX_PLAIN_NAMES) HINTS.set(name, hints);
  return hints;
}

type Add = (meanings: ReadonlySet<Concept>, weight: number) => void;

/** The longest phrase that begins at a place, and what it means. */
function phraseAt(
  letters: readonly string[],
  at: number,
  longest: number,
  joint: string,
): [length: number, meanings: ReadonlySet<Concept>] {
  for (let length = Math.min(longest, letters.length - at); length > 0; length--) {
    const meanings = lexicon().get(letters.slice(at, at + length).join(joint));
    if (meanings) return [length, meanings];
  }
  return [0, NOTHING];
}

function addInside(text: string, add: Add): void {
  const letters = [...text];
  for (let at = 0; at < letters.length;) {
    const [length, meanings] = phraseAt(letters, at, LONGEST.letters, "");
    // A letter alone is a part of another word, but for what denies it.
    if (length > 1 || meanings.has("not")) add(meanings, WORD);
    at += Math.max(1, length);
  }
}

/** A compound is what its end says, and its beginning says what of. */
function addCompound(word: string, add: Add): void {
  for (let cut = SHORTEST_PART - 1; cut <= word.length - SHORTEST_PART; cut++) {
    const end = compoundParts().get(word.slice(cut));
    if (end === undefined) continue;
    add(end, PART);
    for (const start of [word.slice(0, cut), word.slice(0, cut).replace(/e?[ns]$/, "")]) {
      add(compoundParts().get(start) ?? NOTHING, PART);
    }
    return;
  }
  for (let cut = word.length - SHORTEST_PART; cut >= SHORTEST_PART; cut--) {
    const start = compoundParts().get(word.slice(0, cut));
    if (start !== undefined) return add(start, PART);
  }
}
