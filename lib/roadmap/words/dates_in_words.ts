import { addQuarters, formatQuarter, lastDayOfMonth, quarterDays } from "../../text/dates.ts";
import type { Variant } from "../variant.ts";
import { language } from "../../text/messages.ts";
import { anyOf, askedIn, foldAsked } from "./asked_words.ts";
import { type AskedDates, readEnglishDates, toQuarters } from "./english_dates.ts";

/** A phrase of a question that means dates, and the question without it. */
interface DatesInWords extends AskedDates {
  rest: string;
}

/** What finds dates in a question of a language: the phrases, and what their words stand for. */
const reader = askedIn((words) => {
  const { isSpaced, months, quarters } = words;
  const year = String.raw`[1-9]\d{3}`;
  const relative = words.meanings<readonly [Unit, number]>({
    "asked.last_month": ["month", -1],
    "asked.this_month": ["month", 0],
    "asked.next_month": ["month", 1],
    "asked.last_quarter": ["quarter", -1],
    "asked.this_quarter": ["quarter", 0],
    "asked.next_quarter": ["quarter", 1],
    "asked.last_year": ["year", -1],
    "asked.this_year": ["year", 0],
    "asked.next_year": ["year", 1],
  });
  const any = (...keys: Parameters<typeof words.of>) => anyOf(words.of(...keys));
  const month = String.raw`(?<month>${anyOf(months.keys())}\.?)`;
  const quarter = `(?<quarter>${anyOf(quarters.keys())})`;
  const article = `(?:${any("asked.article")} )?`;
  const until = `(?<until>${any("asked.until")})`;
  // "mayor 2027" is no month. A year alone is one behind a preposition, or as the whole question.
  const alone = `(?<year>${anyOf(words.of("asked.year"), String.raw`20\d\d`)})`;
  const dated = isSpaced
    ? `${quarter}(?: ${article}(?<ofYear>${year})|(?! \\d))|${month} ${article}(?<monthYear>${year})`
    : `(?:(?<ofYear>${any("asked.year")}) ?)?${quarter}|(?<monthYear>${
      any("asked.year")
    }) ?${month}`;
  const period = `(?<relative>${anyOf(relative.keys())})|${dated}`;
  const overdue = `(?<overdue>${any("asked.overdue")})`;
  const phrases = isSpaced
    ? [
      overdue,
      `(?:${any("asked.planned")} )?(?:${
        any("asked.in")
      }|${until}) ${article}(?:${period}|${alone})`,
      `${article}(?:${period})`,
    ].map((phrase) => String.raw`(?<!\S)${phrase}(?!\S)`)
    : [
      `${overdue}(?:${any("asked.in")})?`,
      `(?:${period}|${alone})(?: ?(?:${until}|${any("asked.in")}))?(?:${any("asked.planned")})?`,
    ].map((phrase) => String.raw`(?<!\d)${phrase}(?!\d) ?`);
  return { months, quarters, relative, phrases: phrases.map((phrase) => new RegExp(phrase, "i")) };
});
type Reader = ReturnType<typeof reader>;

/**
 * Finds the phrase of a question that means dates, such as `in Q4`, `next quarter` or `overdue`, in the
 * language that is spoken or in English; null: there is none.
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
  const asked = language().tag === "en" ? null : readSpokenDates(q, today);
  if (asked === null) return readEnglishDates(q, today, precision);
  const { rest, ...dates } = asked;
  return { ...precision === "day" ? dates : toQuarters(dates), rest };
}

function readSpokenDates(q: string, today: string): DatesInWords | null {
  // What is copied from a page in Arabic has marks of direction.
  const text = q.replace(/\p{Bidi_Control}/gu, "").normalize("NFC");
  const folded = foldAsked(text);
  if (/^20\d\d$/.test(folded)) return { ...toBounds(yearDays(Number(folded))!), rest: "" };
  for (const phrase of reader().phrases) {
    const found = phrase.exec(folded);
    // In quotation marks nothing is a date.
    if (!found || isQuoted(text, found.index)) continue;
    const dates = toDates(found.groups!, reader(), today);
    if (dates === null) continue;
    const rest = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`;
    return { ...dates, rest: rest.replace(/\s+/g, " ").trim() };
  }
  return null;
}

function isQuoted(q: string, place: number): boolean {
  return (q.slice(0, place).match(/["“”„«»]/g)?.length ?? 0) % 2 === 1;
}

function toDates(
  { overdue, until, relative, quarter, ofYear, month, monthYear, year }: Record<string, string>,
  reader: Reader,
  today: string,
): AskedDates | null {
  if (overdue) return { due: "overdue" };
  const days = relative
    ? relativeDays(...reader.relative.get(relative.toLowerCase())!, today)
    : quarter
    ? daysOfQuarter(Number(reader.quarters.get(quarter.toLowerCase())), ofYear, today)
    : month
    ? monthDays(digitsOf(monthYear!), monthOf(month.toLowerCase(), reader))
    : yearDays(digitsOf(year!));
  if (days === null) return null;
  const { release_date_from, release_date_to } = toBounds(days);
  return { ...!until && { release_date_from }, release_date_to };
}

function digitsOf(text: string): number {
  return Number(/\d+/.exec(text));
}

function monthOf(name: string, { months }: Reader): number {
  return months.get(name) ?? months.get(name.replace(/\.$/, ""))!;
}

function daysOfQuarter(quarter: number, ofYear: string | undefined, today: string) {
  const year = ofYear === undefined ? nextYearOf(quarter, today) : digitsOf(ofYear);
  return quarterDays(`Q${quarter} ${String(year).padStart(4, "0")}`);
}

function toBounds({ first, last }: { first: string; last: string }) {
  return { release_date_from: first, release_date_to: last };
}

/** A quarter without a year is the one to come, or that of today. */
function nextYearOf(quarter: number, today: string): number {
  const year = Number(today.slice(0, 4));
  return quarter < Number(formatQuarter(today)[1]) ? year + 1 : year;
}

type Unit = "month" | "quarter" | "year";

function relativeDays(unit: Unit, step: number, today: string) {
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
