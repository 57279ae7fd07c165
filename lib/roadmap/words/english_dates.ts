import {
  daysBefore,
  formatQuarter,
  isCalendarDate,
  MONTHS,
  quarterDays,
} from "../../text/dates.ts";
import type { DuePeriod } from "../filter/filter_values.ts";
import type { Variant } from "../variant.ts";

/** What words ask for of a release date: its first and last day, `YYYY-MM-DD`, or when it is due. */
export interface AskedDates {
  release_date_from?: string;
  release_date_to?: string;
  due?: DuePeriod;
}

/** The words that phrases of dates are made of, by the letter that stands for one in `PHRASES`. */
const WORDS: Readonly<Record<string, string>> = {
  n: "in on during within",
  r: "for",
  b: "by until till through",
  e: "before",
  a: "after",
  s: "since from",
  t: "between",
  j: "and or to - –",
  f: "of",
  x: "the",
  l: "planned coming due scheduled expected that is are what what's whats",
  p: "early beginning start mid middle late end",
  w: "last this next past current coming previous following",
  o: "first second third fourth",
  u: "day days week weeks month months quarter quarters half halves year years",
  v: "overdue",
};
const LETTERS = new Map(
  Object.entries(WORDS).flatMap(([letter, words]) =>
    words.split(" ").map((word) => [word, letter] as const)
  ),
);
/** A month in full or as its short name; "mayor" and "marketing" are none. */
const MONTH =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/;
/** What is no word, by its letter: `2027-03-15`, `2027-03`, `2027`, another number, `Q1`, `H1`, `15th`. */
const SHAPES: readonly (readonly [letter: string, shape: RegExp])[] = [
  ["I", /^\d{4}-\d{2}-\d{2}$/],
  ["i", /^(?:(?:19|20)\d\d-(?:0[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])\/20\d\d)$/],
  ["y", /^(?:19|20)\d\d$/],
  ["z", /^\d{3,}$/],
  ["q", /^q[1-4]$/],
  ["h", /^h[12]$/],
  ["d", /^\d{1,2}(?:st|nd|rd|th)?$/],
  ["m", MONTH],
];

/** What is a period wherever it stands, and what is one behind a preposition only. */
const PERIOD = "I|i|dmf?y|mdy|mf?y|qf?y|yq|hf?y|[od]uf?y|wd?u|q";
const ANY_PERIOD = `${PERIOD}|dm|m|u?y`;
const PHRASES = [
  "l*v",
  `l*(?<how>[nrbeas])x?(?:(?<part>p)f?x?)?(?<one>${ANY_PERIOD})(?:[jb]x?(?<two>${ANY_PERIOD}))?`,
  `l*(?<how>t)(?<one>${ANY_PERIOD})j(?<two>${ANY_PERIOD})`,
  "l*nx?(?<one>du)",
  `l*(?<part>p)f?x?(?<one>${PERIOD}|m|y)`,
  `l*x?(?<one>${PERIOD})(?:[jb](?<two>${PERIOD}|m))?`,
  "^(?<one>y)$",
].map((phrase) => new RegExp(`${phrase}(?!z)`));

/** What is asked of something that has happened: its period without a year is the latest that has begun. */
const HAPPENED =
  /^(?:shipped|released|launched|delivered|changed|delayed|slipped|cancelled|removed)$/;

/** A piece of a question between blanks, and the letter of what it is; `.`: it is part of no date. */
interface Token {
  text: string;
  word: string;
  letter: string;
}

/**
 * Finds the phrase of an English question that means dates, such as `by the end of March`, `next 30 days`
 * or `H1 2027`; null: there is none. In quotation marks nothing is a date.
 *
 * ```ts
 * const { rest, release_date_to } = readEnglishDates("teams before Q2 2027", "2026-11-23")!;
 * if (rest !== "teams" || release_date_to !== "2027-03-31") throw new Error(rest);
 * ```
 */
export function readEnglishDates(
  q: string,
  today: string,
  precision: Variant["datePrecision"] = "day",
): (AskedDates & { rest: string }) | null {
  const tokens = readTokens(q);
  const letters = tokens.map(({ letter }) => letter).join("");
  for (const phrase of PHRASES) {
    const found = phrase.exec(letters);
    const asked = found && readPhrase(found, tokens, today);
    if (!asked) continue;
    const rest = tokens.toSpliced(found.index, found[0].length).map(({ text }) => text).join(" ");
    return { ...precision === "day" ? asked : toQuarters(asked), rest };
  }
  return null;
}

/** Where only quarters are shown, a month is its quarter. */
export function toQuarters(
  { release_date_from: from, release_date_to: to, ...due }: AskedDates,
): AskedDates {
  const quarter = (day: string) => quarterDays(formatQuarter(day))!;
  return {
    ...due,
    ...from && { release_date_from: quarter(from).first },
    ...to && { release_date_to: quarter(to).last },
  };
}

/** `Q1/2027`, `2027q1` and `Q1'27` are two words each. */
function readTokens(q: string): Token[] {
  const divided = q
    .replace(/(?<!\S)(\(?)(q[1-4]|h[12])(?:['’](?=\d\d(?!\d))|[/-]?(?=\d{4}))(\d+)/gi, (
      _,
      bracket,
      part,
      year,
    ) => `${bracket}${part} ${year.length === 2 ? `20${year}` : year}`)
    .replace(/(?<!\S)(\(?20\d\d)[/-]?(q[1-4]|h[12])(?![\p{L}\p{N}])/giu, "$1 $2")
    .replace(/(?<!\S)mid-(?=\S)/gi, "mid ");
  let quotes = 0;
  return divided.split(/\s+/).filter((text) => text !== "").map((text) => {
    const isQuoted = quotes % 2 === 1 || /^["“”„]/.test(text);
    quotes += text.match(/["“”„]/g)?.length ?? 0;
    const word = bare(text.toLowerCase());
    const [shape] = SHAPES.find(([, shape]) => shape.test(word)) ?? [];
    return { text, word, letter: isQuoted ? "." : LETTERS.get(word) ?? shape ?? "." };
  });
}

/** A word without brackets and punctuation around it. */
function bare(text: string): string {
  let end = text.length;
  while (end > 0 && "])?!,.;:".includes(text[end - 1]!)) end--;
  return text.slice(0, end).replace(/^[([]+/, "");
}

/** The first and the last day of a period. */
interface Days {
  first: string;
  last: string;
}

function readPhrase(
  { index, groups = {}, 0: phrase }: RegExpExecArray,
  tokens: readonly Token[],
  today: string,
): AskedDates | null {
  if (phrase.endsWith("v")) return { due: "overdue" };
  const { how, part, one = "", two } = groups;
  const own = tokens.slice(index, index + phrase.length);
  const after = own.length - (two?.length ?? 0);
  const isPast = wordOf(own, "s") === "since" || tokens.some(({ word }) => HAPPENED.test(word));
  const end = two === undefined ? null : readPeriod(own.slice(after), { today, isPast });
  const at = phrase.slice(0, after).lastIndexOf(one);
  // "March and May 2027": both are of that year.
  const year = two && !one.includes("y") && two.includes("y") ? end?.first.slice(0, 4) : undefined;
  const readIn = (year?: string) =>
    readPeriod(own.slice(at, at + one.length), { today, isPast, year });
  let given = readIn(year);
  // "November to January 2027" begins in the year before.
  if (given && end && given.first > end.last) {
    given = readIn(String(Number(end.first.slice(0, 4)) - 1));
  }
  if (given === null || (two !== undefined && end === null)) return null;
  const { first, last } = part && one === "y" ? partOf(given, wordOf(own, "p")) : given;
  const range = { release_date_from: first, release_date_to: end?.last ?? last };
  if (end !== null) return range;
  switch (how) {
    case "b":
      return { release_date_to: last };
    case "e":
      return { release_date_to: daysBefore(first, 1) };
    case "a":
      return { release_date_from: daysBefore(last, -1) };
    case "s":
      return { release_date_from: first };
    default:
      return range;
  }
}

/** The days of a period; without a year it is the next one that has not ended, or the last that began. */
function readPeriod(
  tokens: readonly Token[],
  { today, isPast, year: ofYear }: { today: string; isPast: boolean; year?: string | undefined },
): Days | null {
  const word = (letters: string) => wordOf(tokens, letters);
  const number = (letters: string) => Number.parseInt(word(letters).replace(/^\D/, ""));
  const letters = tokens.map(({ letter }) => letter).join("");
  const [now, thisYear] = [monthOf(today), Number(today.slice(0, 4))];
  if (letters === "I") {
    return isCalendarDate(word("I")) ? { first: word("I"), last: word("I") } : null;
  }
  if (letters === "i") {
    const parts = word("i").split(/[-/]/).map(Number);
    return monthsFrom(Math.max(...parts) * 12 + Math.min(...parts) - 1, 1);
  }
  if (letters.includes("w") || letters === "du") return relativeDays(tokens, today);
  const given = letters.includes("y") ? number("y") : ofYear ? Number(ofYear) : undefined;
  const within = (place: number, count: number) => {
    const begins = thisYear * 12 + place;
    const nearest = isPast ? begins > now ? -1 : 0 : begins + count <= now ? 1 : 0;
    const year = given ?? thisYear + nearest;
    return monthsFrom(year * 12 + place, count);
  };
  if (letters.includes("m")) {
    const month = within(MONTHS.findIndex((name) => word("m").startsWith(name.toLowerCase())), 1);
    if (!letters.includes("d")) return month;
    const day = `${month.first.slice(0, 8)}${String(number("d")).padStart(2, "0")}`;
    return isCalendarDate(day) ? { first: day, last: day } : null;
  }
  if (letters.includes("q")) return within((number("q") - 1) * 3, 3);
  if (letters.includes("h")) return within((number("h") - 1) * 6, 6);
  if (!/[od]/.test(letters)) return within(0, 12);
  const [unit, which] = [MONTHS_OF[unitOf(word("u"))] ?? 0, numberOf(word("od"))];
  return unit > 1 && which <= 12 / unit ? within((which - 1) * unit, unit) : null;
}

const MONTHS_OF: Readonly<Record<string, number>> = { month: 1, quarter: 3, half: 6, year: 12 };
const STEPS: Readonly<Record<string, number>> = { last: -1, past: -1, previous: -1, this: 0 };

/** `next quarter`, `this week`, `next 30 days`, `within 3 months`. */
function relativeDays(tokens: readonly Token[], today: string): Days | null {
  const [which, unit] = [wordOf(tokens, "w"), unitOf(wordOf(tokens, "u"))];
  const step = which === "current" ? 0 : STEPS[which] ?? 1;
  const count = wordOf(tokens, "d") === "" ? 0 : Number.parseInt(wordOf(tokens, "d"));
  const months = MONTHS_OF[unit];
  if (count > 0) {
    const ahead = step < 0 ? -count : count;
    const days = unit === "week" ? ahead * 7 : ahead;
    const end = months === undefined
      ? daysBefore(today, -days)
      : monthsFrom(monthOf(today) + ahead * months, 1)[ahead < 0 ? "first" : "last"];
    return ahead < 0 ? { first: end, last: today } : { first: today, last: end };
  }
  if (months !== undefined) {
    return monthsFrom((Math.floor(monthOf(today) / months) + step) * months, months);
  }
  if (unit !== "week") return null;
  const weekday = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7;
  const monday = daysBefore(today, weekday - step * 7);
  return { first: monday, last: daysBefore(monday, -6) };
}

/** The quarters of a year that it is early, in the middle or late in. */
function partOf({ first }: Days, part: string): Days {
  const january = monthOf(first);
  if (/^(?:late|end)$/.test(part)) return monthsFrom(january + 9, 3);
  return part.startsWith("mid") ? monthsFrom(january + 3, 6) : monthsFrom(january, 3);
}

function wordOf(tokens: readonly Token[], letters: string): string {
  return tokens.find(({ letter }) => letters.includes(letter))?.word ?? "";
}

function unitOf(word: string): string {
  return word.startsWith("hal") ? "half" : word.replace(/s$/, "");
}

function numberOf(word: string): number {
  return WORDS["o"]!.split(" ").indexOf(word) + 1 || Number.parseInt(word);
}

/** A number that grows by one from month to month. */
function monthOf(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
}

/** The days of some months, from one with such a number on. */
function monthsFrom(place: number, count: number): Days {
  const firstOf = (month: number) =>
    `${String(Math.floor(month / 12)).padStart(4, "0")}-${
      String(month % 12 + 1).padStart(2, "0")
    }-01`;
  return { first: firstOf(place), last: daysBefore(firstOf(place + count), 1) };
}
