import {
  addQuarters,
  formatQuarter,
  lastDayOfMonth,
  MONTHS,
  quarterDays,
} from "../../text/dates.ts";
import type { Variant } from "../variant.ts";
import type { DuePeriod } from "../filter/filter_values.ts";

/** What words ask for of a release date: its first and last day, `YYYY-MM-DD`, or when it is due. */
export interface AskedDates {
  release_date_from?: string;
  release_date_to?: string;
  due?: DuePeriod;
}

/** A phrase of a question that means dates, and the question without it. */
interface DatesInWords extends AskedDates {
  rest: string;
}

/** A month in full or as its short name; "mayor" and "marketing" are none. */
const MONTH = [
  "jan(?:uary)?",
  "feb(?:ruary)?",
  "mar(?:ch)?",
  "apr(?:il)?",
  "may",
  "june?",
  "july?",
  "aug(?:ust)?",
  "sept?(?:ember)?",
  "oct(?:ober)?",
  "nov(?:ember)?",
  "dec(?:ember)?",
].map((name) => String.raw`${name}\.?`).join("|");
const YEAR = String.raw`([1-9]\d{3})`;
const PERIOD = String
  .raw`(?:(this|next|last) (quarter|year|month)|q([1-4])(?: ${YEAR}|(?! \d))|(${MONTH}) ${YEAR}|(?:year )?(20\d\d))`;
/** In quotation marks nothing is a date; a year is one behind a preposition, or as the whole question. */
const PHRASES = [
  /(?<!\S)(?:that (?:is|are) )?(overdue)(?!\S)/i,
  new RegExp(
    String
      .raw`(?<!\S)(?:(?:planned |coming |due )?(?:in|for|by|until|during) (?:the )?)${PERIOD}(?!\S)`,
    "i",
  ),
  new RegExp(
    String
      .raw`(?<!\S)(?:(this|next|last) (quarter|year|month)|q([1-4])(?: ${YEAR}|(?! \d))|(${MONTH}) ${YEAR})(?!\S)`,
    "i",
  ),
];

/**
 * Finds the phrase of a question that means dates, such as `in Q4`, `next quarter` or `overdue`;
 * null: there is none.
 *
 * ```ts
 * const { rest, release_date_from } = readDatesInWords("copilot in Q4", "2026-11-23")!;
 * if (rest !== "copilot" || release_date_from !== "2026-10-01") throw new Error(rest);
 * if (readDatesInWords('"in Q4"', "2026-11-23") !== null) throw new Error();
 * const { release_date_to } = readDatesInWords("may 2027 teams", "2026-11-23", "quarter")!;
 * if (release_date_to !== "2027-06-30") throw new Error(release_date_to);
 * ```
 */
export function readDatesInWords(
  q: string,
  today: string,
  precision: Variant["datePrecision"] = "day",
): DatesInWords | null {
  if (/^20\d\d$/.test(q)) return { ...toBounds(yearDays(Number(q))!), rest: "" };
  for (const phrase of PHRASES) {
    const found = phrase.exec(q);
    if (!found || isQuoted(q, found.index)) continue;
    const days = toDates(found, today);
    if (days === null) continue;
    const asked = precision === "day" ? days : toQuarters(days);
    const rest = `${q.slice(0, found.index)} ${q.slice(found.index + found[0].length)}`;
    return { ...asked, rest: rest.replace(/\s+/g, " ").trim() };
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

function isQuoted(q: string, place: number): boolean {
  return (q.slice(0, place).match(/["“”„]/g)?.length ?? 0) % 2 === 1;
}

function toDates(found: RegExpExecArray, today: string): AskedDates | null {
  if (found[1]?.toLowerCase() === "overdue") return { due: "overdue" };
  const [words, which, unit, quarter, ofYear, month, monthYear, year] = found;
  const days = which
    ? relativeDays(which.toLowerCase(), unit!.toLowerCase(), today)
    : quarter
    ? quarterDays(`Q${quarter} ${ofYear ?? nextYearOf(Number(quarter), today)}`)
    : month
    ? monthDays(Number(monthYear), MONTHS.findIndex((name) => isMonth(month, name)) + 1)
    : yearDays(Number(year));
  if (days === null) return null;
  const isUntil = /(?<!\S)(by|until) /i.test(words);
  const { release_date_from, release_date_to } = toBounds(days);
  return { ...!isUntil && { release_date_from }, release_date_to };
}

function toBounds({ first, last }: { first: string; last: string }) {
  return { release_date_from: first, release_date_to: last };
}

function isMonth(text: string, name: string): boolean {
  return text.slice(0, 3).toLowerCase() === name.toLowerCase();
}

/** A quarter without a year is the one to come, or that of today. */
function nextYearOf(quarter: number, today: string): number {
  const year = Number(today.slice(0, 4));
  return quarter < Number(formatQuarter(today)[1]) ? year + 1 : year;
}

const STEPS: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };

function relativeDays(which: string, unit: string, today: string) {
  const step = STEPS[which]!;
  const [year, month] = [Number(today.slice(0, 4)), Number(today.slice(5, 7))];
  switch (unit) {
    case "quarter":
      return quarterDays(addQuarters(formatQuarter(today), step));
    case "month": {
      const place = year * 12 + month - 1 + step;
      return monthDays(Math.floor(place / 12), place % 12 + 1);
    }
    default:
      return yearDays(year + step);
  }
}

/** Null for a year that no day `YYYY-MM-DD` has. */
function yearDays(year: number) {
  if (year < 1 || year > 9999) return null;
  const written = String(year).padStart(4, "0");
  return { first: `${written}-01-01`, last: `${written}-12-31` };
}

function monthDays(year: number, month: number) {
  if (yearDays(year) === null) return null;
  const last = lastDayOfMonth(year, month);
  return { first: `${last.slice(0, 8)}01`, last };
}
