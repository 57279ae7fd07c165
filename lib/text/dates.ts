import type { ComponentChildren } from "preact";
import { language, rich, say } from "./say.ts";

const FIRST_DAYS = ["01-01", "04-01", "07-01", "10-01"];
const LAST_DAYS = ["03-31", "06-30", "09-30", "12-31"];

/**
 * Reads a planned date: `YYYY-MM-DD`, or a quarter `Q# YYYY`, which stands for its last day.
 * Returns the date as `YYYY-MM-DD`, or null where the text is neither.
 *
 * ```ts
 * if (parseReleaseDate("Q3 2026") !== "2026-09-30") throw new Error();
 * if (parseReleaseDate("2026-02-30") !== null) throw new Error();
 * ```
 */
export function parseReleaseDate(text: string): string | null {
  const [, quarter, year] = /^Q([1-4]) (\d{4})$/.exec(text) ?? [];
  const date = quarter ? `${year}-${LAST_DAYS[Number(quarter) - 1]}` : text;
  return isCalendarDate(date) ? date : null;
}

/** A quarter as it is typed, in every language. */
export const QUARTER_EXAMPLE = "Q3 2026";

/**
 * The first and the last day of a quarter `Q# YYYY`; null for any other text.
 *
 * ```ts
 * if (quarterDays("Q3 2026")?.first !== "2026-07-01") throw new Error();
 * ```
 */
export function quarterDays(text: string): { first: string; last: string } | null {
  const last = text.startsWith("Q") ? parseReleaseDate(text) : null;
  if (last === null) return null;
  return { first: `${last.slice(0, 5)}${FIRST_DAYS[Number(text[1]) - 1]}`, last };
}

/**
 * Names the quarter of a date `YYYY-MM-DD` as `Q# YYYY` (interface specification, 2.1, variant A).
 *
 * ```ts
 * if (formatQuarter("2026-06-16") !== "Q2 2026") throw new Error();
 * ```
 */
export function formatQuarter(date: string): string {
  return `Q${Math.ceil(Number(date.slice(5, 7)) / 3)} ${date.slice(0, 4)}`;
}

/** The quarter with a number that `placeOfQuarter` gave. */
export function quarterAt(place: number): string {
  return `Q${place % 4 + 1} ${String(Math.floor(place / 4)).padStart(4, "0")}`;
}

/** A number that grows by one from quarter to quarter. */
export function placeOfQuarter(quarter: string): number {
  return Number(quarter.slice(3)) * 4 + Number(quarter[1]) - 1;
}

/**
 * The quarter of a planned date that is written either way.
 *
 * ```ts
 * if (quarterOf("2026-06-16") !== quarterOf("Q2 2026")) throw new Error();
 * ```
 */
export function quarterOf(releaseDate: string): string {
  return releaseDate.startsWith("Q") ? releaseDate : formatQuarter(releaseDate);
}

/**
 * The quarter that begins (`first`) or ends (`last`) with a day `YYYY-MM-DD`; null where none does.
 *
 * ```ts
 * if (quarterBoundedBy("2026-07-01", "first") !== "Q3 2026") throw new Error();
 * if (quarterBoundedBy("2026-07-01", "last") !== null) throw new Error();
 * ```
 */
export function quarterBoundedBy(day: string, end: "first" | "last"): string | null {
  if (!isCalendarDate(day)) return null;
  const quarter = formatQuarter(day);
  return quarterDays(quarter)?.[end] === day ? quarter : null;
}

/**
 * The quarter a number of quarters after another one, or before it.
 *
 * ```ts
 * if (addQuarters("Q4 2026", 1) !== "Q1 2027") throw new Error();
 * if (addQuarters("Q1 2026", -5) !== "Q4 2024") throw new Error();
 * ```
 */
export function addQuarters(quarter: string, count: number): string {
  return quarterAt(placeOfQuarter(quarter) + count);
}

/** A day `YYYY-MM-DD` as a person reads it, such as `1 Jun 2026`. */
export function formatDay(day: string): string {
  return say("date.day", partsOf(day));
}

/** A day as a person reads it where the year is clear, such as `1 Jun`. */
export function formatShortDay(day: string): string {
  return say("date.short_day", partsOf(day));
}

/** The month of a day, such as `Jun 2026`. */
export function formatMonth(day: string): string {
  return say("date.month", partsOf(day));
}

function partsOf(day: string) {
  const month = say("date.months").split("|")[Number(day.slice(5, 7)) - 1]!;
  return { day: day.slice(8).replace(/^0/, ""), month, year: day.slice(0, 4) };
}

/** A quarter `Q# YYYY` as a person reads it; any other text as it stands. */
export function showQuarter(quarter: string): string {
  return quarter[0] === "Q" ? formatPlanned(quarter) : quarter;
}

/** A planned date as a person reads it: a quarter, or a day in words. */
export function formatPlanned(date: string): string {
  if (date[0] !== "Q") return formatDay(date);
  return say("date.quarter", { quarter: date[1]!, year: date.slice(3) });
}

/** A planned date, or that there is none. */
export function showPlanned(date: string | null): string {
  return date === null ? say("list.no_date") : formatPlanned(date);
}

/** A planned date as a narrow place has room for it; `y` encloses the year of a quarter. */
export function formatNarrow(
  date: string,
  y = (year: ComponentChildren[]): ComponentChildren => year,
): ComponentChildren {
  if (date[0] !== "Q") return formatDay(date);
  return rich("date.quarter_folding", { quarter: date[1]!, year: date.slice(3), y });
}

/** A number that grows by one from month to month. */
export function placeOfMonth(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
}

/** The month with such a number, as `2026-01`. */
export function monthAt(place: number): string {
  const year = String(Math.floor(place / 12)).padStart(4, "0");
  return `${year}-${String(place % 12 + 1).padStart(2, "0")}`;
}

/** The last day of a month (1 to 12) of a year, as `YYYY-MM-DD`. */
export function lastDayOfMonth(year: number, month: number): string {
  const day = new Date(0);
  day.setUTCFullYear(year, month, 0); // `Date.UTC` takes a year below 100 for one of the 20th century
  return isoDate(day);
}

/** Whether the text is a day of the calendar, written `YYYY-MM-DD`; the year 0 does not count. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith("0000")) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && isoDate(date) === text;
}

/** The UTC day of a moment as `YYYY-MM-DD`. */
export function isoDate(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** The first and the last day that `YYYY-MM-DD` can name. */
const FIRST_DAY = "0001-01-01";
const LAST_DAY = "9999-12-31";

/**
 * The day that lies a number of days before another one; the calendar ends at the years 1 and 9999.
 *
 * ```ts
 * if (daysBefore("2026-03-01", 1) !== "2026-02-28") throw new Error();
 * if (daysBefore("0001-01-01", 1) !== "0001-01-01") throw new Error();
 * if (daysBefore("9999-12-31", -1) !== "9999-12-31") throw new Error();
 * ```
 */
export function daysBefore(day: string, days: number): string {
  const moment = Date.parse(`${day}T00:00:00Z`) - days * 86_400_000;
  if (moment < Date.parse(FIRST_DAY)) return FIRST_DAY;
  if (moment > Date.parse(LAST_DAY)) return LAST_DAY;
  return isoDate(new Date(moment));
}

/** Such as `Monday, 20 July 2026`. */
export function formatWeekday(day: string, { withYear }: { withYear: boolean }): string {
  const words = formatLong(day, {
    weekday: "long",
    ...LONG,
    year: withYear ? "numeric" : undefined,
  });
  return language().tag === "en" ? words.replace(/,? /, ", ") : words;
}

/** Such as `20 July 2026`. */
export function formatLongDay(day: string): string {
  return formatLong(day, { ...LONG, year: "numeric" });
}

/** Such as `20 July`. */
export function formatLongDayOfYear(day: string): string {
  return formatLong(day, LONG);
}

/** The month of a day, such as `July 2026`. */
export function formatLongMonth(day: string): string {
  return formatLong(day, { month: "long", year: "numeric" });
}

const LONG = { day: "numeric", month: "long" } as const;

/** How a language writes the first day of a month, where that is no plain number (CLDR leaves it out). */
export const FIRST_DAYS_OF: Readonly<Record<string, string>> = { fr: "1er", "pt-BR": "1º" };

/** Our English has the day before the month. */
function formatLong(day: string, options: Intl.DateTimeFormatOptions): string {
  const { tag } = language();
  return new Intl.DateTimeFormat(tag === "en" ? "en-GB" : tag, { ...options, timeZone: "UTC" })
    .formatToParts(new Date(`${day}T00:00:00Z`))
    .map(({ type, value }) => type === "day" && value === "1" ? FIRST_DAYS_OF[tag] ?? "1" : value)
    .join("");
}
