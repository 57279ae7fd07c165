import { isCalendarDate, lastDayOfMonth } from "../../text/dates.ts";
import { foldWord, monthOf } from "./date_words.ts";

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
