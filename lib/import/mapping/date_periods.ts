import { isCalendarDate, isoDate, lastDayOfMonth } from "../../text/dates.ts";
import { monthOf } from "./date_words.ts";

/** What a text may mean; with less than two readings, why it is none. */
export interface Doubt {
  readings: readonly string[];
  why: string;
  /** The formats that decide. */
  formats?: readonly string[];
}

/** A day, what the text may mean, or null: it is no date. */
export type Found = string | Doubt | null;

/** What stands for the names of periods and ordinals in the languages of exporters. */
const NAMES: readonly (readonly [sign: string, name: RegExp])[] = ([
  ["fy", "fiscal(?: year)?|gj"],
  ["", "calendar year|cy"],
  ["1", "first|erstes|premier|primer|primeiro|primo|eerste"],
  ["2", "second|zweites|deuxieme|segundo|secondo|tweede"],
  ["3", "third|drittes|troisieme|tercer|terceiro|terzo|derde"],
  ["4", "fourth|viertes|quatrieme|cuarto|quarto|vierde"],
  ["q", "quarters?|quartals?|quartale?|trimestres?|trim|kwartaal|kwartal|kvartal|qtr|qu"],
  [
    "h",
    "half(?: of)?(?: the)?(?: year)?|halbjahr|hj|hy|semestre|semester|halfjaar|halvar",
  ],
  ["w", "week|kw|cw|wk|woche|semaine|semana|settimana|vecka"],
  ["spring", "fruhling|fruhjahr|printemps|primavera|voorjaar|lente"],
  ["summer", "sommer|ete|verano|verao|estate|zomer"],
  ["autumn", "fall|herbst|automne|otono|outono|autunno|herfst"],
  ["winter", "hiver|invierno|inverno"],
  ["end", "eoy|eom"],
  [" ", "of|the|year|de|del|di|des|du|van|von|el|la|l|r|ano|anno"],
] as const).map(([sign, names]) => [sign, new RegExp(`\\b(?:${names})\\b\\.?`, "g")]);

/** A period that is named, or a day with the name of its month. */
export function parseWords(text: string, asOf: string | undefined, given?: string): Found {
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
  if (day) return calendarDay(fullYear(day[3]!), day[2]!.slice(1), day[1]!);
  const american = /^(m\d{1,2}) (\d{1,2}) (\d{4}|\d{2})$/.exec(late);
  if (american) return calendarDay(fullYear(american[3]!), american[1]!.slice(1), american[2]!);
  const turned = /^(\d{4}) (m\d{1,2}) (\d{1,2})$/.exec(late);
  if (turned) return calendarDay(turned[1]!, turned[2]!.slice(1), turned[3]!);
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
    const at = (year: string) => calendarDay(year, month.slice(1), dayAlone!);
    return given === undefined ? withoutYear(at, asOf) : at(given);
  }
  const [, before, period, after] =
    /^(?:(\d{4}|\d{2}) )?(q[1-4]|h[12]|m\d{1,2})(?: (\d{4}|'?\d{2}))?$/.exec(late) ?? [];
  if (period !== undefined) {
    const year = after ?? before;
    if (year !== undefined) {
      // "Sep 26" may be a day of this year; a spreadsheet writes Sep-26, a person Sep '26.
      const isMonth = period.startsWith("m") && /^\d{2}$/.test(year) && late === words;
      if (isMonth && !/[-/]\d{2}$/.test(text)) return monthOrDay(period, year, asOf);
      return periodEnd(period, fullYear(year.replace("'", "")));
    }
    const at = (year: string) =>
      period.startsWith("m") ? periodEnd(period, year) : `${period.toUpperCase()} ${year}`;
    return given === undefined ? withoutYear(at, asOf) : periodEnd(period, given);
  }
  const [, lone, dayBehind] = /^(m\d{1,2}) (\d{1,2})$/.exec(late) ?? [];
  if (lone !== undefined && given !== undefined) {
    return calendarDay(given, lone.slice(1), dayBehind!);
  }
  const years = /^(\d{4})$/.exec(late);
  return years ? yearEnd(years[1]!) : null;
}

const VAGUE =
  /^(mid|middle|mitte|mi|mediados|meados|medio|early|beginning|start|anfang|debut|principios|inicio|begin) ?/;

/** The names of periods as letters, those of months as their numbers, with single blanks. */
function toTokens(text: string): string {
  let words = text.replace(/(\d)(?:st|nd|rd|th|er|re|eme|e|o|a|\.)(?![a-z\d])/g, "$1");
  for (const [sign, name] of NAMES) words = words.replace(name, sign);
  words = words.replace(/\bcy(?=\d)/g, "").replace(/\beo(?=q|h)/g, "end ")
    .replace(/[a-z]+\.?/g, (word) => monthOf(word) > 0 ? ` m${monthOf(word)} ` : word);
  return words.replace(/[\s.,/_-]+/g, " ").trim()
    .replace(/\b([1-4]) ?q ?(?=\d|'|fy|$)/g, "q$1 ").replace(/\b([12]) ?h ?(?=\d|'|fy|$)/g, "h$1 ")
    .replace(/\b[qt] ?([1-4])(?!\d)/g, "q$1 ").replace(/\b[hs] ?([12])(?!\d)/g, "h$1 ")
    .replace(/(\d{2}) ?([qh][1-4])/g, "$1 $2").replace(/(\d{4}) ?w ?(\d)/g, "$1 w$2")
    .replace(/\bw (\d)/g, "w$1").replace(/\b(\d{1,2}) ?w (?=\d{4})/g, "w$1 ")
    .replace(/(\d)(m\d)/g, "$1 $2").replace(/ +/g, " ").trim();
}

/** A year of two digits is one of this century. */
export function fullYear(year: string): string {
  return year.length === 2 ? `20${year}` : year;
}

/** The day of the calendar, if there is one. */
export function calendarDay(year: string, month: string, day: string): Found {
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return isCalendarDate(date) ? date : { readings: [], why: "which is not a day of the calendar" };
}

/** The last day of a month. */
export function monthEnd(year: string, month: number): Found {
  if (Number(year) < 100) return yearEnd(year);
  return month >= 1 && month <= 12 ? lastDayOfMonth(Number(year), month) : null;
}

/** The last day of a year. */
export function yearEnd(year: string): string {
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
    : { readings: [], why: `which is not a week of ${year}` };
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
  const day = calendarDay(year, period.slice(1), number);
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
