import { monthOf } from "./date_format.ts";
import { isCalendarDate, lastDayOfMonth } from "../../text/dates.ts";
import { quote } from "../../text/quote.ts";

/** Valid years; spreadsheets write an empty date as 1900, and 9999 means never. */
const YEARS = { first: 1970, last: 2199 };

/** A date, null if the text says that there is none, or why it cannot be read. */
export type DateRead = { date: string | null } | { reason: string };

/** Longer than any date. */
const MAX_LENGTH = 60;

/** Words for "not known yet". */
const NONE = /^(?:tbd|tba|tbc|n\/?a|none|-|–|—|\?)$/i;

/** The time of day after a date, and its zone; the day is the one that is written. */
const TIME =
  /(?:T|,? {1,9})\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)? ?(?:[ap]\.?m\.?)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?$/i;

type Parts = Record<string, string | undefined>;

/** Forms of a day. Between numbers a dot means day first; for a slash and a dash see below. */
const DAYS: readonly RegExp[] = [
  /^(?<year>\d{4})(?<sign>[-/.])(?<month>\d{1,2})\k<sign>(?<day>\d{1,2})$/,
  /^(?<day>\d{1,2})\. ?(?<month>\d{1,2})\. ?(?<year>\d{4}|\d{2})$/,
  /^(?<day>\d{1,2})(?:st|nd|rd|th)?(?:\.? |[-/])(?<name>\p{L}{3,9})\.?(?: |[-/])(?<year>\d{4})$/u,
  /^(?<day>\d{1,2})[-/](?<name>\p{L}{3})[-/](?<year>\d{2})$/u, // Jira: 31/Dec/26
  /^(?<name>\p{L}{3,9})\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4})$/u,
];
/** Two small numbers, either of which may be the month. */
const EITHER_WAY = /^(?<first>\d{1,2})(?<sign>[-/])(?<second>\d{1,2})\k<sign>(?<year>\d{4})$/;
/** Forms of a longer period, which stands for its last day as a quarter does. */
const PERIODS: readonly RegExp[] = [
  /^Q(?<quarter>[1-4])[ /.,-]{0,2}(?:CY)?(?<year>\d{4})$/i,
  /^(?:CY)?(?<year>\d{4})[ /.,-]{0,2}Q(?<quarter>[1-4])$/i,
  /^H(?<half>[12])[ /.,-]{0,2}(?:CY)?(?<year>\d{4})$/i,
  /^(?:CY)?(?<year>\d{4})[ /.,-]{0,2}H(?<half>[12])$/i,
  /^(?<name>\p{L}{3,9})\.?,?[ /-](?:CY)?(?<year>\d{4})$/u,
  /^(?<name>\p{L}{3})-(?<year>\d{2})$/u, // a spreadsheet's short form: Jan-27
  /^(?<year>\d{4})[-/.](?<month>\d{1,2})$/,
  /^(?<month>\d{1,2})[-/.](?<year>\d{4})$/,
  /^(?:CY)?(?<year>\d{4})$/,
];

/**
 * Reads a planned date as people and tools write it: a day, or a month, a quarter, half a year or
 * a year, which stand for their last day. The result is `YYYY-MM-DD`.
 *
 * ```ts
 * const read = readDate("January 2027");
 * if (!("date" in read) || read.date !== "2027-01-31") throw new Error();
 * ```
 */
export function readDate(text: string): DateRead {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return unreadable(text);
  if (NONE.test(trimmed)) return { date: null };
  const day = readDay(trimmed);
  if (day !== null) return day;
  for (const form of PERIODS) {
    const parts = form.exec(trimmed)?.groups;
    if (!parts) continue;
    const month = parts.quarter
      ? Number(parts.quarter) * 3
      : parts.half
      ? Number(parts.half) * 6
      : monthIn(parts, 12);
    if (month < 1 || month > 12) continue;
    const year = Number(yearIn(parts));
    if (year === 0) return unreadable(text);
    // `Date.UTC` would take lower years for those of the twentieth century.
    return year < 100 ? outOfBounds(text) : bounded(lastDayOfMonth(year, month), text);
  }
  return unreadable(text);
}

/** Reads a day, with or without a time; null if the text does not look like one. */
export function readDay(text: string): DateRead | null {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return null;
  const day = trimmed.replace(TIME, "");
  for (const form of DAYS) {
    const parts = form.exec(day)?.groups;
    if (parts && monthIn(parts, 0) > 0) {
      return dayOf({ ...parts, month: `${monthIn(parts, 0)}` }, text);
    }
  }
  const either = EITHER_WAY.exec(day)?.groups;
  if (!either) return null;
  const [first, second] = [Number(either.first), Number(either.second)];
  if (first !== second && first <= 12 && second <= 12) return ambiguous(text, either.sign!);
  const [month, date] = first > 12 ? [second, first] : [first, second];
  return dayOf({ year: either.year, month: `${month}`, day: `${date}` }, text);
}

function dayOf(parts: Parts, text: string): DateRead {
  const [month, day] = [parts.month!, parts.day!].map((part) => part.padStart(2, "0"));
  const date = `${yearIn(parts)}-${month}-${day}`;
  return isCalendarDate(date) ? bounded(date, text) : unreadable(text);
}

function monthIn({ name, month }: Parts, without: number): number {
  return name ? monthOf(name) : Number(month ?? without);
}

function yearIn({ year }: Parts): string {
  return year!.length === 2 ? `20${year}` : year!;
}

function bounded(date: string, text: string): DateRead {
  const year = Number(date.slice(0, 4));
  return year >= YEARS.first && year <= YEARS.last ? { date } : outOfBounds(text);
}

function outOfBounds(text: string): DateRead {
  const reason = `is ${quote(text)}, not between ${YEARS.first} and ${YEARS.last}: ` +
    "leave it empty where there is no date";
  return { reason };
}

function ambiguous(text: string, sign: string): DateRead {
  const formats = ["DD", "MM"].map((first) =>
    quote([first, first === "DD" ? "MM" : "DD", "YYYY"].join(sign))
  );
  return {
    reason: `is ${quote(text)}, where either number may be the month: ` +
      `say which by a "format" in the mapping, ${formats.join(" or ")}`,
  };
}

function unreadable(text: string): DateRead {
  return { reason: `is ${quote(text)}, neither "Q# YYYY" nor "YYYY-MM-DD"` };
}
