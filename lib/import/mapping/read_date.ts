import { isCalendarDate, isoDate, lastDayOfMonth } from "../../text/dates.ts";
import { quote } from "../../text/phrases.ts";
import {
  calendarDay,
  type Doubt,
  type Found,
  fullYear,
  monthEnd,
  parseWords,
  yearEnd,
} from "./date_periods.ts";
import { foldDate, isForeignDate, monthOf, tidy, withoutRemarks } from "./date_words.ts";
import { foldWord } from "./lexicon.ts";

/** Valid years; spreadsheets write an empty date as 1900, and 9999 means never. */
const YEARS = { first: 1970, last: 2199 };

/** Which of two small numbers is the day. */
export type DayOrder = "DMY" | "MDY";

/** How the dates of a column are written. */
export interface DateWriting {
  /** A format such as `DD/MM/YYYY`, or `epoch`. */
  format?: string;
  /** The order of the column, where either number may be the month. */
  order?: DayOrder | null;
  /** The months of the column are those of another language than exporters have. */
  isForeign?: boolean;
  /** The day of the import: dates without a year are near it. */
  asOf?: string;
}

/**
 * A date, null if the text says that there is none, or why it cannot be read; what it may mean, if
 * that is more than one thing.
 */
export type DateRead = { date: string | null } | { reason: string } & Partial<DateDoubt>;

/** What a date may mean, if that is more than one thing, and the format by which it means each. */
export interface DateDoubt {
  readonly readings: readonly string[];
  readonly formats?: readonly string[];
}

/** Longer than any date. */
const MAX_LENGTH = 100;

/** Words for "not known yet". */
const NONE =
  /^(?:tbd|tba|tbc|#?n\/?a|none|null|not set|no date|unscheduled|not scheduled|offen|keine|-+|\?+)\.?$/;

/** The numbers of Excel for the days from 1990 to 2099. */
const SERIAL = /^(?:3[3-9]|[4-6]\d|7[0-3])\d{3}(?:\.\d+)?$/;
/** A range as Jira writes it for ideas. */
const RANGE = /^\{"start":"[^"]{0,30}","end":"([^"]{0,30})"\}$/;
/** As older programs of .NET write a moment in JSON. */
const TICKS = /^\\?\/date\((-?\d{1,15})(?:[+-]\d{4})?\)\\?\/$/;
/** Seconds or milliseconds since 1970, of the years from 1990 to 2199. */
const EPOCH = /^(?:[6-9]\d{8}|[1-7]\d{9}|[6-9]\d{11}|[1-7]\d{12})(?:\.\d+)?$/;

/**
 * Reads a planned date as people and tools write it: a day, or a week, a month, a quarter, half a
 * year, a year or a range, which stand for their last day. The result is `YYYY-MM-DD`.
 *
 * ```ts
 * const read = readDate("January 2027");
 * if (!("date" in read) || read.date !== "2027-01-31") throw new Error();
 * if (!("readings" in readDate("6/7/2026"))) throw new Error();
 * ```
 */
export function readDate(text: string, writing: DateWriting = {}): DateRead {
  const plain = text.length > 1_000 ? text.slice(0, 1_000) : text;
  const folded = foldDate(plain);
  if (folded === "" || NONE.test(folded)) return { date: null };
  if (folded.length > MAX_LENGTH) return unreadable(text);
  if (writing.format === "epoch" && /^\d+(?:\.\d+)?$/.test(folded)) {
    return bounded(dayOfEpoch(folded), text);
  }
  const format = writing.format === undefined ? null : compileDateFormat(writing.format);
  const formatted = format && parseByFormat(tidy(folded), format);
  if (formatted) return bounded(formatted, text);
  const found = parse(folded, writing);
  if (found === null) return unreadable(text);
  if (typeof found === "string") return bounded(found, text);
  if (found.readings.length > 1) {
    const { readings, formats } = found;
    return { reason: explainReadings(text, found), readings, ...formats && { formats } };
  }
  return { reason: `is ${quote(text)}, ${found.why}` };
}

/** A column's dates: their order of day and month, and whether they are numbers of seconds. */
export interface DateColumn {
  order: DayOrder | null;
  isEpoch: boolean;
  /** Its months are those of another language than exporters have. */
  isForeign: boolean;
  /** The places of two cells of which one begins with the day, and the other with the month. */
  contradiction: readonly [number, number] | null;
}

/**
 * Learns from all cells of a column how its dates are written: one number over 12 tells the day
 * from the month in all of them.
 */
export function surveyDates(texts: readonly (string | null)[]): DateColumn {
  const first: Record<DayOrder, number | null> = { DMY: null, MDY: null };
  let filled = 0;
  let epochs = 0;
  let isForeign = false;
  const seen = new Set<string>();
  for (const [place, text] of texts.entries()) {
    if (text === null || seen.has(text)) continue;
    seen.add(text);
    const folded = foldDate(text.slice(0, MAX_LENGTH));
    if (folded === "" || NONE.test(folded)) continue;
    filled++;
    if (EPOCH.test(folded)) epochs++;
    isForeign ||= isForeignDate(folded);
    for (
      const match of folded.matchAll(/(?<![\d./-])(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/g)
    ) {
      const [one, two] = [Number(match[1]), Number(match[3])];
      if (one > 12 && two <= 12) first.DMY ??= place;
      if (two > 12 && one <= 12) first.MDY ??= place;
    }
  }
  const { DMY, MDY } = first;
  return {
    order: DMY !== null && MDY === null ? "DMY" : MDY !== null && DMY === null ? "MDY" : null,
    isForeign,
    isEpoch: filled > 0 && epochs === filled,
    contradiction: DMY !== null && MDY !== null ? [DMY, MDY] : null,
  };
}

function parse(folded: string, writing: DateWriting): Found {
  if (SERIAL.test(folded)) return isoDate(new Date((Math.floor(Number(folded)) - 25_569) * 864e5));
  if (EPOCH.test(folded)) return dayOfEpoch(folded);
  const ticks = TICKS.exec(folded)?.[1];
  if (ticks !== undefined) return isoDate(new Date(Number(ticks)));
  const [, end] = RANGE.exec(folded) ?? [];
  if (end !== undefined) return parse(end, writing);
  const ranges = parseRange(withoutRemarks(folded), writing, SURE_SEPARATORS);
  return ranges ?? parseOne(withoutRemarks(tidy(folded)), writing) ??
    parseRange(withoutRemarks(folded), writing, SEPARATORS);
}

function dayOfEpoch(number: string): string {
  const value = Number(number);
  const moment = new Date(value >= 1e11 ? value : value * 1_000);
  return Number.isNaN(moment.getTime()) ? "" : moment.toISOString().slice(0, 10);
}

/** The last day of a range, whose ends may share their month or their year. */
function parseRange(text: string, writing: DateWriting, separators: readonly string[]): Found {
  const shared = text.replace(/^(?:from|von|du|de|del|vom|van) /, "")
    .replace(/^\d{1,2}\.? ?- ?(?=\d{1,2}\.? ?[a-z])/, "")
    .replace(/^([a-z]+\.?) \d{1,2} ?- ?(?=\d{1,2},? )/, "$1 ");
  if (shared !== text) {
    const found = parseOne(tidy(shared), writing);
    if (found !== null) return found;
  }
  for (const separator of separators) {
    const place = shared.indexOf(separator);
    if (place <= 0) continue;
    const [first, last] = [shared.slice(0, place), shared.slice(place + separator.length)]
      .map((part) => withoutRemarks(tidy(part.trim()))) as [string, string];
    const [, year] = /(?:^|\D)(\d{4})(?:\D|$)/.exec(first) ?? [];
    const end = parseOne(last, writing, year);
    const [, ofLast] = /(?:^|\D)(\d{4})(?:\D|$)/.exec(last) ?? [];
    const start = parseOne(first, writing, ofLast ?? endYear(last));
    if (end === null || start === null || typeof start !== "string" && start.readings.length < 2) {
      continue;
    }
    if (typeof end !== "string" || typeof start !== "string") return end;
    if (year !== undefined && start > end) {
      return { readings: [], why: "which ends before it begins" };
    }
    return end;
  }
  return null;
}

/** They never stand within a date. */
const SURE_SEPARATORS = ["→", "->", "=>", "...", "..", " - ", " to ", " until ", " bis "];
const SEPARATORS = [
  ...[" till ", " through ", " thru ", " au ", " al ", " a ", " ate ", " t/m ", " or ", " and "],
  ...[" und ", " oder ", " & ", "-", "/", "&", ", "],
];

function endYear(last: string): string | undefined {
  const [, short] = /(?:^|\D)(\d{2})$/.exec(last) ?? [];
  return short && `20${short}`;
}

function parseOne(text: string, writing: DateWriting, year?: string): Found {
  return parseNumbers(text, writing) ?? parseWords(text, writing, year);
}

function parseNumbers(text: string, { order, format }: DateWriting): Found {
  const numbers = text.match(/\d+/g) ?? [];
  const [one = "", two = "", three = ""] = numbers;
  const shape = text.replace(/\d+/g, (digits) => digits.length > 2 ? `${digits.length}` : "#");
  if (/^4(?:-#-|\/#\/|\.#\.| # |\. #\. )#$/.test(shape)) return calendarDay(one, two, three);
  if (/^4[-/.]#$/.test(shape)) return Number(two) > 12 ? null : monthEnd(one, Number(two));
  if (/^#[-/. ]4$/.test(shape)) return monthEnd(two, Number(one));
  if (shape === "8") return calendarDay(text.slice(0, 4), text.slice(4, 6), text.slice(6));
  if (shape === "4") return yearEnd(one);
  return /^#(?:-#-|\/#\/|\.#\.|\. #\. )[#4]$|^# # 4$/.test(shape)
    ? dayInOrder(text, [one, two, three], order ?? orderIn(format))
    : null;
}

function orderIn(format: string | undefined): DayOrder | null {
  if (format === undefined) return null;
  return format.indexOf("D") < format.indexOf("M") ? "DMY" : "MDY";
}

function dayInOrder(
  text: string,
  [one, two, three]: [string, string, string],
  order: DayOrder | null,
): Found {
  const year = fullYear(three);
  const dayFirst = calendarDay(year, two, one);
  const monthFirst = calendarDay(year, one, two);
  const isSure = typeof dayFirst === "string" && typeof monthFirst === "string" &&
    dayFirst !== monthFirst;
  const isoShort = text.includes("-") && three.length === 2 && order === null
    ? calendarDay(fullYear(one), two, three)
    : null;
  if (typeof isoShort === "string" && typeof dayFirst === "string" && one.length === 2) {
    const formats = ["DD-MM-YY", "YY-MM-DD"];
    if (Number(one) > 12) return { readings: [dayFirst, isoShort], why: "", formats };
  }
  if (!isSure) return typeof dayFirst === "string" ? dayFirst : monthFirst;
  // With dots it is a day first wherever dates are written so.
  const known = order ?? (text.includes(".") ? "DMY" : null);
  if (known !== null) return known === "DMY" ? dayFirst : monthFirst;
  const sign = /[^\d]/.exec(text)![0];
  const years = three.length === 2 ? "YY" : "YYYY";
  return {
    readings: [dayFirst, monthFirst],
    why: "",
    formats: [["DD", "MM", years].join(sign), ["MM", "DD", years].join(sign)],
  };
}

function bounded(date: string, text: string): DateRead {
  const year = Number(date.slice(0, 4));
  if (year >= YEARS.first && year <= YEARS.last) return { date };
  const reason = `is ${quote(text)}, not between ${YEARS.first} and ${YEARS.last}: ` +
    "leave it empty where there is no date";
  return { reason };
}

function explainReadings(text: string, { readings, why, formats }: Doubt): string {
  const said = `is ${quote(text)}, ${why ? `${why}: ` : ""}`;
  const choices = readings.join(" or ");
  if (formats) {
    return `${said}which may be ${choices}: say which with a "format" in the mapping, ` +
      formats.map(quote).join(" or ");
  }
  return `${said}${why ? "" : "which may be "}${choices}: say which in the mapping, ` +
    `{"values": {${quote(text)}: ${quote(readings[0]!)}}}`;
}

function unreadable(text: string): DateRead {
  // What has a number and a word is hardly a way to say that there is none.
  const isDay = /\p{Nd}/u.test(text) && /\p{L}{3}/u.test(text);
  const advice = isDay
    ? `if it means a day, say so in the mapping, {"values": {${quote(text)}: "2026-09-30"}}`
    : `if it means none, say so in the mapping, {"none": [${quote(text)}]}`;
  return {
    reason: `is ${quote(text)}, which is not a date such as 2026-09-30, Q3 2026 or Sep 2026; ` +
      advice,
  };
}

/** What the letters of a format stand for, as part of a regular expression. */
const TOKENS: Readonly<Record<string, string>> = {
  YYYY: "(?<year>\\d{4})",
  YY: "(?<shortYear>\\d{2})",
  MMMM: "(?<name>\\p{L}{3,})\\.?",
  MMM: "(?<name>\\p{L}{3,})\\.?",
  MM: "(?<month>\\d{1,2})",
  M: "(?<month>\\d{1,2})",
  DD: "(?<day>\\d{1,2})",
  D: "(?<day>\\d{1,2})",
};

/** A time of the day in a format: it does not count. */
const TIME = /(?:T|,? )[Hh]{1,2}[:.]mm(?:[:.]ss)?(?: ?[aA])?$/;

/** A date format such as `DD.MM.YYYY`; null if the text is not one. */
export function compileDateFormat(format: string): RegExp | null {
  const parts = format.replace(TIME, "").match(/[A-Za-z]+|[^A-Za-z]+/g) ?? [];
  const pattern = parts.map((part) => /[A-Za-z]/.test(part) ? TOKENS[part] : RegExp.escape(part));
  if (pattern.includes(undefined)) return null;
  try {
    const compiled = new RegExp(`^${pattern.join("")}$`, "u");
    const has = (name: string) => compiled.source.includes(`<${name}>`);
    return has("year") || has("shortYear") ? compiled : null;
  } catch {
    return null; // the same part twice
  }
}

/**
 * Parses a date with a format; without a day it is the last day of that month or year. Returns
 * `YYYY-MM-DD`, or null if the text does not match or is not a calendar day.
 *
 * ```ts
 * const format = compileDateFormat("DD.MM.YYYY")!;
 * if (parseByFormat("31.12.2026", format) !== "2026-12-31") throw new Error();
 * ```
 */
export function parseByFormat(text: string, format: RegExp): string | null {
  const parts = format.exec(text.trim().slice(0, 100))?.groups;
  if (!parts) return null;
  const year = parts.year ?? `20${parts.shortYear}`;
  if (Number(year) < 100) return null;
  const month = parts.name ? monthOf(foldWord(parts.name)) : Number(parts.month ?? 12);
  if (month < 1 || month > 12) return null;
  const date = parts.day === undefined
    ? lastDayOfMonth(Number(year), month)
    : `${year}-${String(month).padStart(2, "0")}-${parts.day.padStart(2, "0")}`;
  return isCalendarDate(date) ? date : null;
}
