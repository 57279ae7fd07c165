import { isCalendarDate, isoDate, lastDayOfMonth } from "../../text/dates.ts";
import { quote } from "../../text/quote.ts";
import { foldWord, isWeekday, monthOf } from "./date_words.ts";
import { compileDateFormat, parseByFormat } from "./date_format.ts";

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
  /** The day of the import: dates without a year are near it. */
  asOf?: string;
}

/**
 * A date, null if the text says that there is none, or why it cannot be read; what it may mean, if
 * that is more than one thing.
 */
export type DateRead = { date: string | null } | { reason: string; readings?: readonly string[] };

/** Longer than any date. */
const MAX_LENGTH = 100;

/** Words for "not known yet". */
const NONE =
  /^(?:tbd|tba|tbc|#?n\/?a|none|null|not set|no date|unscheduled|not scheduled|offen|keine|-+|\?+)\.?$/;

/** The numbers of Excel for the days from 1990 to 2099. */
const SERIAL = /^(?:3[3-9]|[4-6]\d|7[0-3])\d{3}(?:\.\d+)?$/;
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
  if (writing.format === "epoch") {
    return /^\d+(?:\.\d+)?$/.test(folded) ? bounded(dayOfEpoch(folded), text) : unreadable(text);
  }
  const format = writing.format === undefined ? null : compileDateFormat(writing.format);
  const formatted = format && parseByFormat(tidy(folded), format);
  if (formatted) return bounded(formatted, text);
  const found = parse(folded, writing);
  if (found === null) return unreadable(text);
  if (typeof found === "string") return bounded(found, text);
  if (found.readings.length > 1) {
    return { reason: explainReadings(text, found), readings: found.readings };
  }
  return { reason: `is ${quote(text)}, ${found.why}` };
}

/** A column's dates: their order of day and month, and whether they are numbers of seconds. */
export interface DateColumn {
  order: DayOrder | null;
  isEpoch: boolean;
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
  for (const [place, text] of texts.entries()) {
    const folded = text === null ? "" : foldDate(text.slice(0, MAX_LENGTH));
    if (folded === "" || NONE.test(folded)) continue;
    filled++;
    if (EPOCH.test(folded)) epochs++;
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
    isEpoch: filled > 0 && epochs === filled,
    contradiction: DMY !== null && MDY !== null ? [DMY, MDY] : null,
  };
}

/** What a text may mean; with less than two readings, why it is none. */
interface Doubt {
  readings: readonly string[];
  why: string;
  /** The formats that decide. */
  formats?: readonly string[];
}

type Found = string | Doubt | null;

/** One blank, one dash, one kind of digit; nothing that is not seen; no accents, lower case. */
function foldDate(text: string): string {
  const plain = text.normalize("NFKC").replace(/\p{Cf}/gu, "").replace(/[\p{Z}\s]+/gu, " ")
    .replace(/[\p{Pd}−‑]/gu, "-").replace(/\p{Nd}/gu, digitOf);
  return foldWord(plain).replace(/[‘’`´]/g, "'").trim();
}

/** A digit of any script: each has its ten in a row. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0)!;
  if (code < 128) return digit;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value);
}

/** Where the time of a day begins. */
const TIME =
  /(?:t|,? (?:(?:at|um|a|as|a las|alle|alle ore|om|o|kl\.?|godz\.?|-) )?)\d{1,2}[:h]\d{2}/;

/** The same date without its time, its weekday, and what is said about it. */
function tidy(folded: string): string {
  const plain = folded.replace(/ ?[([][^()[\]]*[)\]]$/, "").replace(/ ?[?*!]{1,5}$/, "")
    .replace(/^\d{1,2}:\d{2}(?::\d{2})? ?(?:[ap]\.?m\.?)?,? (?=\S)/, "")
    // `Thu Jun 25 23:00:00 UTC 2026`: the year stands behind the time.
    .replace(/ \d{1,2}:\d{2}(?::\d{2})?(?: [a-z]{3,4})?(?= \d{4}$)/, "");
  const time = plain.search(TIME);
  const bare = (time === -1 ? plain : plain.slice(0, time))
    .replace(/,? (?:at )?\d{1,2} ?[ap]\.?m\.?$/, "").replace(/[ ,-]{1,5}$/, "");
  const [start = "", word = ""] = /^([a-z]{2,12}(?:-feira)?)\.?,? ?(?=\S)/.exec(bare) ?? [];
  const rest = bare.slice(start.length);
  // "mar" is a day in Spanish, and a month too.
  return isWeekday(word) && (monthOf(word) === 0 || monthIn(rest)) ? rest : bare;
}

function monthIn(text: string): boolean {
  return (text.match(/[a-z]+/g) ?? []).some((word) => monthOf(word) > 0);
}

const APPROXIMATE =
  /^(?:[~≈±] ?|(?:c|ca|circa|approx|approximately|about|around|est|estimated|expected|planned|planned for|target|targeted|targeting|tentatively|by|due|in|on|for|eta|voraussichtlich|geplant|im|am|vers|env|environ|prevu|previsto|en|em)[.:]? )/;

/** Words that say nothing about the day. */
function withoutRemarks(text: string): string {
  let rest = text;
  for (let before = ""; before !== rest;) {
    before = rest;
    rest = rest.replace(APPROXIMATE, "")
      .replace(
        /[ ,;-]{1,5}(?:tentative|tentatively|est|estimated|approx|expected|planned|target)\.?$/,
        "",
      );
  }
  return rest;
}

function parse(folded: string, writing: DateWriting): Found {
  if (SERIAL.test(folded)) return isoDate(new Date((Math.floor(Number(folded)) - 25_569) * 864e5));
  if (EPOCH.test(folded)) return dayOfEpoch(folded);
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

/** A day or a period. */
function parseOne(text: string, writing: DateWriting, year?: string): Found {
  return parseNumbers(text, writing) ?? parseWords(text, writing, year);
}

/** A day, a month or a year in numbers. */
function parseNumbers(text: string, { order, format }: DateWriting): Found {
  const numbers = text.match(/\d+/g) ?? [];
  const [one = "", two = "", three = ""] = numbers;
  switch (text.replace(/\d+/g, (digits) => digits.length > 2 ? `${digits.length}` : "#")) {
    case "4-#-#":
    case "4/#/#":
    case "4.#.#":
    case "4 # #":
      return dayOf(one, two, three);
    case "4-#":
    case "4/#":
    case "4.#":
      return Number(two) > 12 ? null : monthEnd(one, Number(two));
    case "#-4":
    case "#/4":
    case "#.4":
    case "# 4":
      return monthEnd(two, Number(one));
    case "8":
      return dayOf(text.slice(0, 4), text.slice(4, 6), text.slice(6));
    case "4":
      return yearEnd(one);
    case "#.#.4":
    case "#. #. 4":
    case "#.#.#":
    case "#. #. #":
    case "# # 4":
    case "#/#/4":
    case "#-#-4":
    case "#/#/#":
    case "#-#-#":
      return dayInOrder(text, [one, two, three], order ?? orderIn(format));
  }
  return null;
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
  const dayFirst = dayOf(year, two, one);
  const monthFirst = dayOf(year, one, two);
  const isSure = typeof dayFirst === "string" && typeof monthFirst === "string" &&
    dayFirst !== monthFirst;
  const isoShort = text.includes("-") && three.length === 2 && order === null
    ? dayOf(fullYear(one), two, three)
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

/** Ordinals by their words. */
const ORDINALS: readonly RegExp[] = [
  /\b(?:first|erstes|premier|primer|primeiro|primo|eerste)\b/g,
  /\b(?:second|zweites|deuxieme|segundo|secondo|tweede)\b/g,
  /\b(?:third|drittes|troisieme|tercer|terceiro|terzo|derde)\b/g,
  /\b(?:fourth|viertes|quatrieme|cuarto|quarto|vierde)\b/g,
];

/** A period that is named, or a day with the name of its month. */
function parseWords(text: string, { asOf }: DateWriting, given?: string): Found {
  const words = toTokens(text);
  const vague = VAGUE.exec(words);
  if (vague) return parseVague(vague[1]!, words.slice(vague[0].length), given);
  const late = words.replace(/^(?:end|ende|late|fin|fim|final|eind|finales|spat) /, "");
  const fiscal = /^fy ?(\d{2}|\d{4})(?: ?(q[1-4]|h[12]))?$|^(q[1-4]|h[12]) ?fy ?(\d{2}|\d{4})$/
    .exec(
      late,
    );
  if (fiscal) return fiscalReadings(fullYear(fiscal[1] ?? fiscal[4]!), fiscal[2] ?? fiscal[3]);
  const double = /^(?:fy ?)?(?:20)?(\d{2}) (\d{2})$/.exec(late);
  if (double && Number(double[2]) === Number(double[1]) + 1) {
    const year = fullYear(double[2]!);
    return { readings: [`${year}-03-31`, `${year}-06-30`], why: "" };
  }
  const season = /^(spring|summer|autumn|winter) ?(\d{4}|\d{2})$/.exec(late);
  if (season) return seasonReadings(season[1]!, fullYear(season[2]!));
  const day = /^(\d{1,2}) (m\d{1,2}) (\d{4}|\d{2})$/.exec(late);
  if (day) return dayOf(fullYear(day[3]!), day[2]!.slice(1), day[1]!);
  const american = /^(m\d{1,2}) (\d{1,2}) (\d{4}|\d{2})$/.exec(late);
  if (american) return dayOf(fullYear(american[3]!), american[1]!.slice(1), american[2]!);
  const turned = /^(\d{4}) (m\d{1,2}) (\d{1,2})$/.exec(late);
  if (turned) return dayOf(turned[1]!, turned[2]!.slice(1), turned[3]!);
  const week = /^w(\d{1,2}) (\d{4})$/.exec(late) ?? /^(\d{4}) w(\d{1,2})(?: ([1-7]))?$/.exec(late);
  if (week) {
    const [year, number] = week[0].startsWith("w") ? [week[2]!, week[1]!] : [week[1]!, week[2]!];
    return dayOfWeek(
      Number(year),
      Number(number),
      Number(week[0].startsWith("w") ? 7 : week[3] ?? 7),
    );
  }
  const [, dayAlone, month] = /^(\d{1,2}) (m\d{1,2})$/.exec(late) ?? [];
  if (month !== undefined) {
    const at = (year: string) => dayOf(year, month.slice(1), dayAlone!);
    return given === undefined ? withoutYear(at, asOf) : at(given);
  }
  const [, before, period, after] =
    /^(?:(\d{4}|\d{2}) )?(q[1-4]|h[12]|m\d{1,2})(?: (\d{4}|'?\d{2}))?$/.exec(late) ?? [];
  if (period !== undefined) {
    const year = after ?? before;
    if (year !== undefined) {
      // "Sep 26" may be a day of this year; a spreadsheet writes Sep-26, a person Sep '26.
      const isMonth = period.startsWith("m") && /^\d{2}$/.test(year) && late === words;
      if (isMonth && !/-\d{2}$/.test(text)) return monthOrDay(period, year, asOf);
      return periodEnd(period, fullYear(year.replace("'", "")));
    }
    const at = (year: string) =>
      period.startsWith("m") ? periodEnd(period, year) : `${period.toUpperCase()} ${year}`;
    return given === undefined ? withoutYear(at, asOf) : periodEnd(period, given);
  }
  const [, lone, dayBehind] = /^(m\d{1,2}) (\d{1,2})$/.exec(late) ?? [];
  if (lone !== undefined && given !== undefined) return dayOf(given, lone.slice(1), dayBehind!);
  const years = /^(\d{4})$/.exec(late);
  return years ? yearEnd(years[1]!) : null;
}

const VAGUE =
  /^(mid|middle|mitte|mi|mediados|meados|medio|early|beginning|start|anfang|debut|principios|inicio|begin) ?/;

/** The names of periods as letters, those of months as their numbers, with single blanks. */
function toTokens(text: string): string {
  let words = text.replace(/(\d)(?:st|nd|rd|th|er|re|eme|e|o|a|\.)(?![a-z\d])/g, "$1")
    .replace(/\bfiscal(?: year)?\b|\bgj\b/g, "fy").replace(/\b(?:calendar year|cy) ?/g, "");
  for (const [place, ordinal] of ORDINALS.entries()) words = words.replace(ordinal, `${place + 1}`);
  words = words
    .replace(
      /\b(?:quarters?|quartals?|quartale?|trimestres?|trim|kwartaal|kwartal|kvartal|qtr|qu)\b\.?/g,
      "q",
    )
    .replace(
      /\b(?:half(?: of)?(?: the)?(?: year)?|halbjahr|hj|hy|semestre|semester|halfjaar|halvar)\b/g,
      "h",
    )
    .replace(/\b(?:week|kw|cw|wk|woche|semaine|semana|settimana|vecka)\b\.?/g, "w")
    .replace(/\b(?:fruhling|fruhjahr|printemps|primavera|voorjaar|lente)\b/g, "spring")
    .replace(/\b(?:sommer|ete|verano|verao|estate|zomer)\b/g, "summer")
    .replace(/\b(?:fall|herbst|automne|otono|outono|autunno|herfst)\b/g, "autumn")
    .replace(/\b(?:hiver|invierno|inverno)\b/g, "winter")
    .replace(/\b(?:eoy|eom)\b/g, "end")
    .replace(/\beo(?=q|h)/g, "end ")
    .replace(/\b(?:of|the|year|de|del|di|des|du|van|von|el|la|l|r|ano|anno)\b\.?/g, " ")
    .replace(/[a-z]+\.?/g, (word) => monthOf(word) > 0 ? ` m${monthOf(word)} ` : word);
  return words.replace(/[\s.,/_-]+/g, " ").trim()
    .replace(/\b([1-4]) ?q ?(?=\d|'|fy|$)/g, "q$1 ").replace(/\b([12]) ?h ?(?=\d|'|fy|$)/g, "h$1 ")
    .replace(/\b[qt] ?([1-4])(?!\d)/g, "q$1 ").replace(/\b[hs] ?([12])(?!\d)/g, "h$1 ")
    .replace(/(\d{2}) ?([qh][1-4])/g, "$1 $2").replace(/(\d{4}) ?w ?(\d)/g, "$1 w$2")
    .replace(/\bw (\d)/g, "w$1").replace(/\b(\d{1,2}) ?w (?=\d{4})/g, "w$1 ")
    .replace(/(\d)(m\d)/g, "$1 $2").replace(/ +/g, " ").trim();
}

function fullYear(year: string): string {
  return year.length === 2 ? `20${year}` : year;
}

function dayOf(year: string, month: string, day: string): Found {
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return isCalendarDate(date) ? date : { readings: [], why: "which is no day of the calendar" };
}

function monthEnd(year: string, month: number): Found {
  if (Number(year) < 100) return yearEnd(year);
  return month >= 1 && month <= 12 ? lastDayOfMonth(Number(year), month) : null;
}

function yearEnd(year: string): string {
  return `${year}-12-31`;
}

/** The last day of `q3`, `h1` or `m9` of a year. */
function periodEnd(period: string, year: string): string {
  const months = { q: 3, h: 6, m: 1 }[period[0]!]!;
  return lastDayOfMonth(Number(year), Number(period.slice(1)) * months);
}

/** Weeks begin on Monday, and the first one has the 4th of January (ISO 8601). */
function dayOfWeek(year: number, week: number, day: number): Found {
  const fourth = Date.UTC(year, 0, 4);
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * 864e5;
  const moment = new Date(monday + ((week - 1) * 7 + day - 1) * 864e5);
  const thursday = new Date(monday + ((week - 1) * 7 + 3) * 864e5);
  return week >= 1 && thursday.getUTCFullYear() === year
    ? isoDate(moment)
    : { readings: [], why: `which is no week of ${year}` };
}

function withoutYear(at: (year: string) => Found, asOf: string | undefined): Found {
  const year = Number((asOf ?? "").slice(0, 4));
  const readings = (year === 0 ? [] : [year, year + 1]).map((year) => at(`${year}`))
    .filter((reading) => typeof reading === "string");
  return { readings, why: "which names no year" };
}

function monthOrDay(period: string, number: string, asOf: string | undefined): Found {
  const month = periodEnd(period, fullYear(number));
  const year = (asOf ?? month).slice(0, 4);
  const day = dayOf(year, period.slice(1), number);
  return typeof day === "string" ? { readings: [month, day], why: "" } : month;
}

/** A fiscal year may be that of the calendar, or end in the middle of it. */
function fiscalReadings(year: string, period: string | undefined): Doubt {
  const before = `${Number(year) - 1}`;
  const readings = period === undefined
    ? [`${year}-12-31`, `${year}-06-30`]
    : period.startsWith("q")
    ? [
      `${period.toUpperCase()} ${year}`,
      `Q${(Number(period[1]) + 1) % 4 + 1} ${Number(period[1]) <= 2 ? before : year}`,
    ]
    : [`${period.toUpperCase()} ${year}`, period === "h1" ? `H2 ${before}` : `H1 ${year}`];
  return { readings, why: "" };
}

const SEASONS: Readonly<Record<string, readonly [string, string]>> = {
  spring: ["Q1", "Q2"],
  summer: ["Q2", "Q3"],
  autumn: ["Q3", "Q4"],
  winter: ["Q1", "Q4"],
};

function seasonReadings(season: string, year: string): Doubt {
  return { readings: SEASONS[season]!.map((quarter) => `${quarter} ${year}`), why: "" };
}

/** The beginning or the middle of something has no last day of its own. */
function parseVague(word: string, rest: string, given: string | undefined): Found {
  const isMiddle = /^m/.test(word);
  const [, period = "y", year = given] =
    /^(?:(q[1-4]|h[12]|m\d{1,2}) ?)?(\d{4})?$/.exec(rest.trim()) ?? ["", "", undefined];
  if (year === undefined) return null;
  if (period === "y" || period === "") {
    const readings = isMiddle ? [`Q2 ${year}`, `Q3 ${year}`] : [`Q1 ${year}`, `H1 ${year}`];
    return { readings, why: "" };
  }
  const end = periodEnd(period, year);
  const month = Number(end.slice(5, 7));
  if (period.startsWith("m")) {
    return { readings: [`${end.slice(0, 8)}${isMiddle ? "15" : "10"}`, end], why: "" };
  }
  const part = period.startsWith("q") ? month - (isMiddle ? 1 : 2) : month - (isMiddle ? 2 : 4);
  return { readings: [lastDayOfMonth(Number(year), part), end], why: "" };
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
    return `${said}which may be ${choices}: say which by a "format" in the mapping, ` +
      formats.map(quote).join(" or ");
  }
  return `${said}${why ? "" : "which may be "}${choices}: say which in the mapping, ` +
    `{"values": {${quote(text)}: ${quote(readings[0]!)}}}`;
}

function unreadable(text: string): DateRead {
  return {
    reason: `is ${quote(text)}, which is not a date such as 2026-09-30, Q3 2026 or Sep 2026; ` +
      `if it means none, say so in the mapping, {"none": [${quote(text)}]}`,
  };
}
