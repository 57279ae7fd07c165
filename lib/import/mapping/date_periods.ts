import { isCalendarDate, isoDate, lastDayOfMonth } from "../../text/dates.ts";
import { isFiller, isWeekday, monthMarkOf, monthOf } from "./date_words.ts";
import { type Concept, phrasesOf } from "./lexicon.ts";

/** What a text may mean; with less than two readings, why it is none. */
export interface Doubt {
  readings: readonly string[];
  why: string;
  formats?: readonly string[];
}

/** A day, what the text may mean, or null: it is no date. */
export type Found = string | Doubt | null;

/**
 * What a date is made of: a year of four digits, a shorter number, a Roman one, a quarter, half a year, a month, a
 * week, a season, a fiscal year, its end, or its beginning or middle.
 */
type Kind = "Y" | "N" | "R" | "Q" | "H" | "M" | "W" | "S" | "F" | "E" | "V";
interface Token {
  kind: Kind;
  value: string;
}

/** What the lexicon's words of periods stand for. */
const PERIODS: readonly (readonly [Concept, Kind, value: string])[] = [
  ["quarter", "Q", ""],
  ["half", "H", ""],
  ["week", "W", ""],
  ["spring", "S", "spring"],
  ["summer", "S", "summer"],
  ["autumn", "S", "autumn"],
  ["winter", "S", "winter"],
  ["late", "E", ""],
  ["middle", "V", "middle"],
  ["early", "V", "start"],
];
/** Numbers in words, and what else is said of years. */
const MORE_WORDS: readonly (readonly [Kind | "", value: string, words: string])[] = [
  ["F", "", "fiscal fy gj"],
  ["N", "1", "first erstes premier primer primeiro primo eerste 一 上"],
  ["N", "2", "second zweites deuxieme segundo secondo tweede 二 下"],
  ["N", "3", "third drittes troisieme tercer terceiro terzo derde 三"],
  ["N", "4", "fourth viertes quatrieme cuarto quarto vierde 四"],
  ["", "", "of the year years calendar cy de del di des du van von den d el la l r ano anno 第 度"],
];

/** What words stand for besides months; a kind of "" says nothing. */
let words: ReadonlyMap<string, { kind: Kind | ""; value: string }> | undefined;
const dateWords = () => words ??= readWords();

/** A word of two languages is what the first of them says: "kw" is a week, and a quarter in Polish. */
function readWords(): NonNullable<typeof words> {
  const found = new Map<string, { kind: Kind | ""; value: string }>();
  const add = (word: string, kind: Kind | "", value: string) =>
    found.has(word) || found.set(word, { kind, value });
  for (const [kind, value, list] of MORE_WORDS) {
    for (const word of list.split(" ")) add(word, kind, value);
  }
  add("kw", "W", "");
  for (const [concept, kind, value] of PERIODS) {
    for (const phrase of phrasesOf(concept)) add(phrase, kind, value);
  }
  return found;
}

const ROMAN: ReadonlyMap<string, string> = new Map(
  ["i", "ii", "iii", "iv"].map((numeral, at) => [numeral, `${at + 1}`]),
);
/** The periods that have a number, and the highest one. */
const NUMBERED: Readonly<Partial<Record<Kind, number>>> = { Q: 4, H: 2, W: 99 };

/** The parts of a text, each once; null: it has a word that no date has. */
function readTokens(text: string, isForeign?: boolean): Token[] | null {
  const plain = text.replace(/(\d)(?:st|nd|rd|th|er|re|eme|e|o|a|\.)(?![\p{L}\d])/gu, "$1")
    .replace(/(\d)(?:-[^\d\p{ASCII}]{1,2}| [md]\.)(?!\p{L})/gu, "$1");
  const found: Token[] = [];
  let isMonth = false;
  for (
    const [part] of plain.matchAll(
      /[\p{L}\p{M}]+(?:\.[\p{L}\p{M}]+)*|'?\d+|[^\s\p{L}\p{M}\d.,/_'-]/gu,
    )
  ) {
    if (/^'?\d/.test(part)) {
      found.push(isMonth ? { kind: "M", value: `${Number(part)}` } : numberToken(part));
      isMonth = false;
      continue;
    }
    const inside = readWord(part, found.at(-1), isForeign);
    if (inside === null) return null;
    isMonth = inside === "month";
    // `9月`: the number before is a month already.
    if (inside === "month of" && found.length > 0) found.at(-1)!.kind = "M";
    if (typeof inside !== "string") found.push(...inside);
  }
  const isOff = found.some(({ kind, value }) =>
    kind === "M" && (Number(value) < 1 || Number(value) > 12)
  );
  return isOff ? null : joinNumbers(found);
}

function numberToken(part: string): Token {
  const digits = part.replace("'", "");
  const isYear = digits.length === 4 || part.startsWith("'") && digits.length === 2;
  return isYear ? { kind: "Y", value: fullYear(digits) } : { kind: "N", value: digits };
}

/** What a word stands for, whole or in the pieces of a script without blanks; null: it is unknown. */
function readWord(
  part: string,
  before: Token | undefined,
  isForeign?: boolean,
): Token[] | "month" | "month of" | null {
  const month = monthOf(part, isForeign);
  if (month > 0) return [{ kind: "M", value: `${month}` }];
  const numeral = ROMAN.get(part);
  const word = dateWords().get(part);
  if (numeral !== undefined && !word) return [{ kind: "R", value: numeral }];
  // "IV kw." is a quarter: weeks have no Roman numbers.
  if (word?.kind === "W" && before?.kind === "R") return [{ kind: "Q", value: "" }];
  if (word) return word.kind === "" ? [] : [{ kind: word.kind, value: word.value }];
  const mark = monthMarkOf(part);
  if (mark !== undefined) return mark === "before" ? "month" : "month of";
  if (isFiller(part) || isWeekday(part)) return [];
  return UNSPACED.test(part) ? readPieces(part, before) : null;
}

const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{M}]{2,20}$/u;

function readPieces(part: string, before: Token | undefined): Token[] | null {
  const letters = [...part];
  for (let length = letters.length - 1; length > 0; length--) {
    const first = readWord(letters.slice(0, length).join(""), before);
    if (first === null || typeof first === "string") continue;
    const rest = readWord(letters.slice(length).join(""), first.at(-1) ?? before);
    if (rest !== null && typeof rest !== "string") return [...first, ...rest];
  }
  return null;
}

/** `q` and 3 are a quarter, in either order. */
function joinNumbers(tokens: readonly Token[]): Token[] | null {
  const joined: Token[] = [];
  for (let place = 0; place < tokens.length; place++) {
    const { kind, value } = tokens[place]!;
    const highest = NUMBERED[kind];
    const isOf = (token: Token | undefined) =>
      (token?.kind === "N" || token?.kind === "R" && kind !== "W") && Number(token.value) >= 1 &&
      Number(token.value) <= highest!;
    if (highest === undefined || value !== "") joined.push({ kind, value });
    else if (isOf(tokens[place + 1])) joined.push({ kind, value: tokens[++place]!.value });
    else if (isOf(joined.at(-1))) joined.push({ kind, value: joined.pop()!.value });
    else return null;
  }
  return joined;
}

interface Around {
  text: string;
  asOf?: string;
  /** The year of the other end of a range. */
  given?: string;
  /** It is the end of the period that is named. */
  isLate: boolean;
}
type Reader = (values: readonly string[], around: Around) => Found;

const day = (year: number, month: number, date: number): Reader => (values) =>
  calendarDay(fullYear(values[year]!), values[month]!, values[date]!);
const period = (kind: string, year: number, number: number): Reader => (values) =>
  periodEnd(kind, values[number]!, fullYear(values[year]!));
const fiscal = (year: number, kind?: string, number?: number): Reader => (values) =>
  fiscalReadings(fullYear(values[year]!), kind && `${kind}${values[number!]}`);
/** Two years in a row are one that ends in the second. */
const double =
  (first: number, read: (year: string, values: readonly string[]) => Found): Reader => (values) => {
    const [one, two] = [values[first]!, values[first + 1]!].map((year) => Number(year.slice(-2)));
    return two === one! + 1 ? read(fullYear(values[first + 1]!), values) : null;
  };
const alone = (kind: string): Reader => ([number], { asOf, given }) => {
  const at = (year: string) =>
    kind === "M" ? periodEnd(kind, number!, year) : `${kind}${number} ${year}`;
  return given === undefined ? withoutYear(at, asOf) : periodEnd(kind, number!, given);
};
const doubleEnd = (year: string) => ({ readings: [`${year}-03-31`, `${year}-06-30`], why: "" });

const SHAPES: Readonly<Record<string, Reader>> = {
  NMY: day(2, 1, 0),
  NMN: day(2, 1, 0),
  MNY: day(2, 0, 1),
  MNN: day(2, 0, 1),
  YMN: day(0, 1, 2),
  YNM: day(0, 2, 1),
  NM: ([date, month], { asOf, given }) => {
    const at = (year: string) => calendarDay(year, month!, date!);
    return given === undefined ? withoutYear(at, asOf) : at(given);
  },
  MN: ([month, number], { text, asOf, given, isLate }) => {
    if (given !== undefined) return calendarDay(given, month!, number!);
    if (number!.length !== 2) return null;
    // "Sep 26" may be a day of this year; a spreadsheet writes Sep-26, a person Sep '26.
    if (isLate || /[-/]\d{2}$/.test(text)) return periodEnd("M", month!, fullYear(number!));
    return monthOrDay(month!, number!, asOf);
  },
  MY: period("M", 1, 0),
  YM: period("M", 0, 1),
  ...Object.fromEntries(["Q", "H"].flatMap((kind): [string, Reader][] => [
    [`${kind}Y`, period(kind, 1, 0)],
    [`Y${kind}`, period(kind, 0, 1)],
    [`${kind}N`, period(kind, 1, 0)],
    [`N${kind}`, period(kind, 0, 1)],
    [kind, alone(kind)],
    [`F${kind}`, () => null],
    ...["Y", "N"].flatMap((year): [string, Reader][] => [
      [`F${year}${kind}`, fiscal(1, kind, 2)],
      [`${kind}F${year}`, fiscal(2, kind, 0)],
      [`${year}N${kind}`, double(0, (ends, values) => fiscalReadings(ends, `${kind}${values[2]}`))],
      [`${kind}${year}N`, double(1, (ends, values) => fiscalReadings(ends, `${kind}${values[0]}`))],
    ]),
  ])),
  M: alone("M"),
  WY: ([week, year]) => dayOfWeek(Number(year), Number(week), 7),
  YW: ([year, week]) => dayOfWeek(Number(year), Number(week), 7),
  YWN: ([year, week, date]) =>
    Number(date) <= 7 ? dayOfWeek(Number(year), Number(week), Number(date)) : null,
  SY: ([season, year]) => seasonReadings(season!, year!),
  SN: ([season, year]) => year!.length === 2 ? seasonReadings(season!, fullYear(year!)) : null,
  FY: fiscal(1),
  FN: fiscal(1),
  YN: double(0, doubleEnd),
  NN: double(0, doubleEnd),
  FYN: double(1, doubleEnd),
  FNN: double(1, doubleEnd),
  Y: ([year]) => yearEnd(year!),
};

/** A period that is named, or a day with the name of its month. */
export function parseWords(
  text: string,
  { asOf, isForeign }: { asOf?: string; isForeign?: boolean },
  given?: string,
): Found {
  const tokens = readTokens(text, isForeign);
  if (tokens === null || tokens.length === 0) return null;
  const [first, ...others] = tokens;
  if (first!.kind === "V") return parseVague(first!.value, others, given);
  const isLate = first!.kind === "E" || tokens.at(-1)!.kind === "E";
  const rest = first!.kind === "E" ? others : isLate ? tokens.slice(0, -1) : tokens;
  const read = SHAPES[rest.map(({ kind }) => kind).join("")];
  return read ? read(rest.map(({ value }) => value), { text, asOf, given, isLate }) : null;
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

/** The last day of a quarter, half a year or a month. */
function periodEnd(kind: string, number: string, year: string): Found {
  const months = { Q: 3, H: 6, M: 1 }[kind]!;
  return year.length === 4 ? lastDayOfMonth(Number(year), Number(number) * months) : null;
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

function monthOrDay(month: string, number: string, asOf: string | undefined): Found {
  const end = lastDayOfMonth(Number(fullYear(number)), Number(month));
  const date = calendarDay((asOf ?? end).slice(0, 4), month, number);
  return typeof date === "string" ? { readings: [end, date], why: "" } : end;
}

/** A fiscal year may be that of the calendar, or end in the middle of it. */
function fiscalReadings(year: string, period: string | undefined): Doubt {
  const before = `${Number(year) - 1}`;
  const readings = period === undefined
    ? [`${year}-12-31`, `${year}-06-30`]
    : period.startsWith("Q")
    ? [
      `${period} ${year}`,
      `Q${(Number(period[1]) + 1) % 4 + 1} ${Number(period[1]) <= 2 ? before : year}`,
    ]
    : [`${period} ${year}`, period === "H1" ? `H2 ${before}` : `H1 ${year}`];
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
function parseVague(word: string, rest: readonly Token[], given: string | undefined): Found {
  const isMiddle = word === "middle";
  const shape = rest.map(({ kind }) => kind).join("");
  if (!/^[QHM]?Y?$/.test(shape)) return null;
  const year = shape.endsWith("Y") ? rest.at(-1)!.value : given;
  if (year === undefined) return null;
  if (!/^[QHM]/.test(shape)) {
    const readings = isMiddle ? [`Q2 ${year}`, `Q3 ${year}`] : [`Q1 ${year}`, `H1 ${year}`];
    return { readings, why: "" };
  }
  const [{ kind, value }] = rest as [Token];
  const end = periodEnd(kind, value, year) as string;
  const month = Number(end.slice(5, 7));
  if (kind === "M") {
    return { readings: [`${end.slice(0, 8)}${isMiddle ? "15" : "10"}`, end], why: "" };
  }
  const part = kind === "Q" ? month - (isMiddle ? 1 : 2) : month - (isMiddle ? 2 : 4);
  return { readings: [lastDayOfMonth(Number(year), part), end], why: "" };
}
