import {
  daysBefore,
  formatQuarter,
  isCalendarDate,
  monthAt,
  placeOfMonth,
  quarterDays,
} from "../../text/dates.ts";
import type { DuePeriod } from "../filter/filter_values.ts";
import type { Variant } from "../variant.ts";
import { askedIn, withoutMarks } from "./asked_words.ts";
import { type DateNames, makeTokenizer, type Token } from "./question_tokens.ts";

/** What words ask for of a date: its name, its first and last day, `YYYY-MM-DD`, or when it is due. */
export interface AskedDates {
  /** Absent: the release date. */
  date_name?: string;
  release_date_from?: string;
  release_date_to?: string;
  due?: DuePeriod;
}

/** A year, also as `year 2027`, `2027年` and `2027 r.`; what its letters are says question_tokens.ts. */
const YEAR = "(?:Yf?x?y|yY?)";
const QUARTER = "(?:q|x?oQ|xdQ|Qx?[od])";
/** A middle that is counted is a half: “prima metà”. */
const HALF = "(?:h|x?o[Hp]|xdH|Hx?[od])";
/** What is a period wherever it stands, and what is one behind a preposition only. */
const PERIOD = [
  "I|i",
  `[od]x?f?mf?x?${YEAR}|m[od]${YEAR}|${YEAR}m[od]D?|mf?x?${YEAR}|${YEAR}f?m`,
  `(?:${QUARTER}|${HALF}|dQ|dH)f?x?${YEAR}|${YEAR}f?(?:${QUARTER}|${HALF})`,
  "R|w[DKMQHY]|wd[DKMQHY]w?|dw[DKMQHY]|d[DKMQHY]w|[DKMQHY]d?x?w",
  QUARTER,
].join("|");
const ANY_PERIOD = `${PERIOD}|[od]x?f?m|m[od]D?|m|${YEAR}|${HALF}`;
const ONE = `(?<one>${ANY_PERIOD})`;
const TWO = `(?<two>${ANY_PERIOD})`;

/** Neither a preposition nor the beginning of a period stands before it. */
const ALONE = "(?<![nrbeatpqod]x?)";

/** How languages put a date: words before it. */
const BEFORE = [
  "l*vl*",
  `l*(?<how>t)x?${ONE}[jo]x?${TWO}`,
  `${ALONE}l*(?:sx?|[fx]{0,2})${ONE}[jb]x?(?<two>${PERIOD})l*`,
  `${ALONE}l*[fs]x?${ONE}nx?(?<two>${PERIOD})l*`,
  `l*(?<how>s)x?(?:(?<part>p)f?x?)?${ONE}n(?!x?(?:${ANY_PERIOD}))l*`,
  `l*(?<how>[nrbeas])x?(?:(?<part>p)f?x?)?${ONE}(?:[jb]x?${TWO})?l*`,
  "l*[nb]f?x?(?<one>d[DKMQHY])",
  `l*(?<!o)(?<part>p)f?x?(?<one>${PERIOD}|m|${YEAR})`,
  `l*[fx]{0,2}(?<one>${PERIOD})(?:[jb]x?(?<two>m))?`,
  "^(?<one>y)$",
];
/** And words behind it, as Japanese has them. */
const BEHIND = [
  "l*vn?l*",
  `${ONE}[snj]${TWO}b?n?l*`,
  `${ONE}(?<part>p)?(?<how>[beas])n?l*`,
  `l*${ONE}(?<part>p)?n?l+n?`,
  `${ONE}(?<part>p)?(?<how>n)`,
  `(?<one>${PERIOD}|yY)(?<part>p)?`,
  `^(?<one>${YEAR}|m)(?<part>p)?$`,
];

/** The name of a date beside it, which says that a year, a half or a month is a period. */
const NAMED_BEFORE = [
  `[lnx]*Nl*(?<how>t)x?${ONE}[jo]x?${TWO}`,
  `[lnx]*Nl*(?:(?<how>[nrbeas])x?)?(?:(?<part>p)f?x?)?[fx]{0,2}${ONE}(?:[jb]x?${TWO})?l*`,
  "[lnx]*Nl*[nb]f?x?(?<one>d[DKMQHY])",
  `(?:(?<how>[nrbeas])x?)?(?:(?<part>p)f?x?)?[fx]{0,2}${ONE}[fnrx]{0,2}Nl*`,
];
const NAMED_BEHIND = [
  `[ln]*Nn?l*${ONE}[snj]${TWO}b?n?l*`,
  `[ln]*Nn?l*${ONE}(?<part>p)?(?<how>[beasn])?n?l*`,
  `${ONE}[snj]${TWO}b?n?Nn?l*`,
  `${ONE}(?<part>p)?(?<how>[beasn])?n?Nn?l*`,
];

/** What finds dates in a question of a language. */
interface Reader {
  tokenize: ReturnType<typeof makeTokenizer>;
  phrases: RegExp[];
}

const readers = askedIn((words): Reader => ({
  tokenize: makeTokenizer(words),
  phrases: (words.isSpaced ? [...NAMED_BEFORE, ...BEFORE] : [...NAMED_BEHIND, ...BEHIND])
    .map((phrase) => new RegExp(`${phrase}(?!z)`)),
}));

/**
 * Finds the phrase of a question that means dates, such as `in Q4`, `next quarter`, `overdue` or, where
 * releases have a date of that name, `preview in Q4`, in the language that is spoken or in English; null:
 * there is none. In quotation marks nothing is a date.
 *
 * ```ts
 * import { nameDates } from "./question_tokens.ts";
 * const { rest, release_date_from } = readDatesInWords("copilot in Q4", "2026-11-23")!;
 * if (rest !== "copilot" || release_date_from !== "2026-10-01") throw new Error(rest);
 * if (readDatesInWords('"in Q4"', "2026-11-23") !== null) throw new Error();
 * const quarters = { precision: "quarter" } as const;
 * const { release_date_to } = readDatesInWords("may 2027 teams", "2026-11-23", quarters)!;
 * if (release_date_to !== "2027-06-30") throw new Error(release_date_to);
 * const named = { names: nameDates(new Map([["preview", "Preview"]])) };
 * if (readDatesInWords("previews in Q4", "2026-11-23", named)?.date_name !== "Preview") throw 0;
 * ```
 *
 * @param precision where only quarters are shown, a month is its quarter
 */
export function readDatesInWords(
  q: string,
  today: string,
  { precision = "day", names }: { precision?: Variant["datePrecision"]; names?: DateNames } = {},
): AskedDates & { rest: string } | null {
  const text = withoutMarks(q).normalize("NFC").replace(/\s+/g, " ");
  // English words may stand beside a date that any language writes so: what covers more is meant, or
  // knows the word that says it has happened.
  const [found] = readers().flatMap((reader) => findPhrase(reader, text, { today, names }) ?? [])
    .sort((one, other) => other.length - one.length || Number(other.isPast) - Number(one.isPast));
  if (!found) return null;
  const { asked, rest } = found;
  return {
    ...precision === "day" ? asked : toQuarters(asked),
    rest: /[\p{L}\p{N}]/u.test(rest) ? rest.replace(/\s+/g, " ").trim() : "",
  };
}

function findPhrase(
  { tokenize, phrases }: Reader,
  text: string,
  { today, names }: { today: string; names: DateNames | undefined },
) {
  const tokens = tokenize(text, names);
  const letters = tokens.map(({ letter }) => letter).join("");
  for (const phrase of phrases) {
    const found = phrase.exec(letters);
    const dates = found && readPhrase(found, tokens, today);
    if (!dates) continue;
    const name = found[0].indexOf("N");
    const asked = name < 0
      ? dates
      : { date_name: names!.nameOf(tokens[found.index + name]!.word), ...dates };
    const { start } = tokens[found.index]!;
    const { end } = tokens[found.index + found[0].length - 1]!;
    return {
      asked,
      length: end - start,
      isPast: tokens.some(({ isPast }) => isPast),
      rest: `${text.slice(0, start)} ${text.slice(end)}`,
    };
  }
  return null;
}

/** Where only quarters are shown. */
function toQuarters(
  { release_date_from: from, release_date_to: to, ...other }: AskedDates,
): AskedDates {
  const quarter = (day: string) => quarterDays(formatQuarter(day))!;
  return {
    ...other,
    ...from && { release_date_from: quarter(from).first },
    ...to && { release_date_to: quarter(to).last },
  };
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
  if (phrase.includes("v")) return { due: "overdue" };
  const { how, part, one = "", two } = groups;
  const own = tokens.slice(index, index + phrase.length);
  const place = phrase.indexOf(one, how && phrase.indexOf(how) < phrase.indexOf(one) ? 1 : 0);
  const behind = two === undefined ? -1 : phrase.indexOf(two, place + one.length);
  const isPast = tokens.some(({ letter, isPast }) => isPast && (letter !== "s" || how === "s"));
  const end = two === undefined
    ? null
    : readPeriod(own.slice(behind, behind + two.length), { today, isPast });
  // "March and May 2027": both are of that year; "2027年3月から6月まで": so are these.
  const [yearOfOne, yearOfTwo] = [/y|I|i/.test(one), /y|I|i/.test(two ?? "")];
  const readIn = (year?: string) =>
    readPeriod(own.slice(place, place + one.length), { today, isPast, year });
  let given = readIn(yearOfTwo && !yearOfOne ? end?.first.slice(0, 4) : undefined);
  // "November to January 2027" begins in the year before.
  if (given && end && given.first > end.last && !yearOfOne) {
    given = readIn(String(Number(end.first.slice(0, 4)) - 1));
  }
  if (given === null || (two !== undefined && end === null)) return null;
  if (two !== undefined) {
    const last = yearOfOne && !yearOfTwo
      ? readPeriod(own.slice(behind, behind + two.length), {
        today,
        isPast,
        year: given.first.slice(0, 4),
      })!.last
      : end!.last;
    return { release_date_from: given.first, release_date_to: last };
  }
  const { first, last } = part && /^[yY]+$/.test(one) ? partOf(given, valueOf(own, "p")) : given;
  switch (how) {
    case "b":
      return { release_date_to: last };
    case "e":
      // "before the end of 2027" is until then.
      if (part && valueOf(own, "p") > 0) return { release_date_to: last };
      return { release_date_to: daysBefore(first, 1) };
    case "a":
      return { release_date_from: daysBefore(last, -1) };
    case "s":
      return { release_date_from: first };
    default:
      return { release_date_from: first, release_date_to: last };
  }
}

/** The days of a period; without a year it is the next one that has not ended, or the last that began. */
function readPeriod(
  tokens: readonly Token[],
  { today, isPast, year: ofYear }: { today: string; isPast: boolean; year?: string | undefined },
): Days | null {
  const letters = tokens.map(({ letter }) => letter).join("");
  const [now, thisYear] = [placeOfMonth(today), Number(today.slice(0, 4))];
  const [{ word = "" } = {}] = tokens;
  if (letters === "I") {
    const parts = word.split(/\D/).map((part) => part.padStart(2, "0"));
    const day = (parts[0]!.length === 4 ? parts : parts.reverse()).join("-");
    return isCalendarDate(day) ? { first: day, last: day } : null;
  }
  if (letters === "i") {
    const parts = word.split(/[-/]/).map(Number);
    return monthsFrom(Math.max(...parts) * 12 + Math.min(...parts) - 1, 1);
  }
  if (letters === "R") return unitsAhead(tokens[0]!.unit!, tokens[0]!.value, today);
  if (letters.includes("w") || /^d[DKMQHY]$/.test(letters)) return relativeDays(tokens, today);
  const given = letters.includes("y") ? valueOf(tokens, "y") : ofYear ? Number(ofYear) : undefined;
  const within = (place: number, count: number) => {
    const begins = thisYear * 12 + place;
    const nearest = isPast ? begins > now ? -1 : 0 : begins + count <= now ? 1 : 0;
    return monthsFrom((given ?? thisYear + nearest) * 12 + place, count);
  };
  if (letters.includes("m")) {
    const month = within(valueOf(tokens, "m") - 1, 1);
    if (!/[od]/.test(letters)) return month;
    const day = `${month.first.slice(0, 8)}${String(valueOf(tokens, "od")).padStart(2, "0")}`;
    return isCalendarDate(day) ? { first: day, last: day } : null;
  }
  const months = /[qQ]/.test(letters) ? 3 : /[hHp]/.test(letters) ? 6 : 12;
  if (months === 12) return within(0, 12);
  const which = valueOf(tokens, "qhod");
  return which >= 1 && which <= 12 / months ? within((which - 1) * months, months) : null;
}

const MONTHS_OF: Readonly<Record<string, number>> = {
  month: 1,
  quarter: 3,
  half: 6,
  year: 12,
};

/** `next quarter`, `this week`, `next 30 days`, `within 3 months`. */
function relativeDays(tokens: readonly Token[], today: string): Days | null {
  const unit = tokens.find(({ unit }) => unit !== undefined)!.unit!;
  const step = tokens.some(({ letter }) => letter === "w") ? valueOf(tokens, "w") : 1;
  const count = tokens.some(({ letter }) => letter === "d") ? valueOf(tokens, "d") : 0;
  if (count === 0) return unitsAhead(unit, step, today);
  const ahead = step < 0 ? -count : count;
  const months = MONTHS_OF[unit];
  const end = months === undefined
    ? daysBefore(today, -(unit === "week" ? ahead * 7 : ahead))
    : monthsFrom(placeOfMonth(today) + ahead * months, 1)[ahead < 0 ? "first" : "last"];
  return ahead < 0 ? { first: end, last: today } : { first: today, last: end };
}

/** The week, month, quarter, half or year of today, or one that lies some of them ahead. */
function unitsAhead(unit: string, step: number, today: string): Days | null {
  const months = MONTHS_OF[unit];
  if (months !== undefined) {
    return monthsFrom((Math.floor(placeOfMonth(today) / months) + step) * months, months);
  }
  if (unit !== "week") return null;
  const weekday = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7;
  const monday = daysBefore(today, weekday - step * 7);
  return { first: monday, last: daysBefore(monday, -6) };
}

/** The quarters of a year that it is early (-1), in the middle (0) or late (1) in. */
function partOf({ first }: Days, part: number): Days {
  const january = placeOfMonth(first);
  if (part > 0) return monthsFrom(january + 9, 3);
  return part === 0 ? monthsFrom(january + 3, 6) : monthsFrom(january, 3);
}

function valueOf(tokens: readonly Token[], letters: string): number {
  return tokens.find(({ letter }) => letters.includes(letter))?.value ?? 0;
}

/** The days of some months, from one with such a number on. */
function monthsFrom(place: number, count: number): Days {
  const firstOf = (month: number) => `${monthAt(month)}-01`;
  return { first: firstOf(place), last: daysBefore(firstOf(place + count), 1) };
}
