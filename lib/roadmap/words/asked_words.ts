import { language, say, type Spoken } from "../../text/messages.ts";
import type { Key } from "../../text/message_keys.ts";

/** What stands for a number of days and for a year in what is said. */
const DAYS = "#";
const YEAR = "@";

/** What texts stand for that a question may have, in lower case and folded. */
export type Meanings<Meaning> = ReadonlyMap<string, Meaning>;

/** The words of a language in which a question asks for dates or changes. */
export interface AskedWords {
  /** Its words stand between blanks, and what belongs to a date before it. */
  readonly isSpaced: boolean;
  /** The ways in which something is said. */
  of(...keys: Key[]): string[];
  /** By each of the ways, what is meant. */
  meanings<Meaning>(meant: { [key in Key]?: Meaning }): Meanings<Meaning>;
  readonly months: Meanings<number>;
  readonly quarters: Meanings<string>;
}

/** What reads questions in the language that is spoken; made once of its words. */
export function askedIn<Reader>(make: (words: AskedWords) => Reader): () => Reader {
  const made = new WeakMap<Spoken, { reader: Reader }>();
  return () => {
    const spoken = language();
    const { reader } = made.get(spoken) ?? { reader: make(readWords()) };
    made.set(spoken, { reader });
    return reader;
  };
}

function readWords(): AskedWords {
  const { tag } = language();
  const list = (key: Key, values = {}) =>
    say(key, values).split("|").map((way) => foldAsked(way).toLowerCase());
  const of = (...keys: Key[]) => keys.flatMap((key) => list(key, { days: DAYS, year: YEAR }));
  return {
    isSpaced: !/\p{Script=Han}/u.test(say("asked.year", { year: YEAR })),
    of,
    meanings: (meant) =>
      new Map(
        (Object.keys(meant) as Key[]).flatMap((key) => of(key).map((way) => [way, meant[key]!])),
      ),
    months: new Map([
      ...MONTHS.flatMap((month) => nameMonth(tag, month).map((name) => [name, month] as const)),
      ...list("asked.months").map((entry) => {
        const end = entry.lastIndexOf(" ");
        return [entry.slice(0, end), Number(entry.slice(end))] as const;
      }),
    ]),
    quarters: new Map(
      [..."1234"].flatMap((quarter) =>
        list("asked.quarter", { quarter }).map((way) => [way, quarter])
      ),
    ),
  };
}

/** An expression that matches one of some ways, the longest that fits. */
export function anyOf(ways: Iterable<string>, year = String.raw`[1-9]\d{3}`): string {
  const escaped = [...ways].sort((a, b) => b.length - a.length)
    .map((way) => way.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return `(?:${escaped.join("|")})`.replaceAll(DAYS, String.raw`\d{1,2}`).replaceAll(YEAR, year);
}

const MONTHS = Array.from({ length: 12 }, (_, place) => place + 1);

/** A month in full and in short, alone and beside a day: some languages inflect it there. */
function nameMonth(tag: string, month: number): string[] {
  const moment = Date.UTC(2026, month - 1, 6);
  return (["long", "short"] as const).flatMap((width) => {
    const options = { month: width, timeZone: "UTC" } as const;
    const beside = new Intl.DateTimeFormat(tag, { ...options, day: "numeric" })
      .formatToParts(moment).find(({ type }) => type === "month")!.value;
    const alone = new Intl.DateTimeFormat(tag, options).format(moment);
    return [alone, ...Number.isNaN(Number(beside)) ? [beside] : []];
  }).map((name) => foldAsked(name).toLowerCase().replace(/\.$/, ""));
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
    if (/\p{Nd}/u.test(character)) return digitOf(character);
    // Of the letters of the languages, the only one that has no accent by Unicode.
    if (/ł/i.test(character)) return character === "ł" ? "l" : "L";
    const [base = "", ...marks] = character.normalize("NFD");
    const isLetter = base.length === character.length &&
      marks.every((mark) => /\p{Mn}/u.test(mark));
    return isLetter ? base : character;
  });
}

/** The ten digits of a script stand in a row. */
function digitOf(digit: string): string {
  const isDigit = (point: number) => /\p{Nd}/u.test(String.fromCodePoint(point));
  let value = 0;
  while (value < 9 && isDigit(digit.codePointAt(0)! - value - 1)) value++;
  return String(value).padStart(digit.length, "0");
}
