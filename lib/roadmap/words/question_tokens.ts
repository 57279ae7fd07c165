import { anyOf, type AskedWords, type Concept, foldAsked } from "./asked_words.ts";

/**
 * A piece of a question, and the letter of what it is, so that a phrase of dates is an expression over
 * letters; `.`: it is part of no date.
 */
export interface Token {
  start: number;
  end: number;
  word: string;
  letter: string;
  /** A month, a quarter, a number, a year; of a relative word how far it lies ahead. */
  value: number;
  /** `day`, `week`, `month`, `quarter`, `half` or `year` */
  unit?: string;
  /** It speaks of what has happened: a period without a year is the latest that has begun. */
  isPast?: boolean;
}

type Meaning = Pick<Token, "letter" | "value" | "unit" | "isPast">;

/** The words that phrases of dates are made of; the first that has a word keeps it. */
const MEANINGS: Readonly<Partial<Record<Concept, Meaning>>> = {
  overdue: { letter: "v", value: 0 },
  last: { letter: "w", value: -1 },
  this: { letter: "w", value: 0 },
  next: { letter: "w", value: 1 },
  before: { letter: "e", value: 0 },
  after: { letter: "a", value: 0 },
  since: { letter: "s", value: 0, isPast: true },
  from: { letter: "s", value: 0 },
  between: { letter: "t", value: 0 },
  by: { letter: "b", value: 0 },
  in: { letter: "n", value: 0 },
  for: { letter: "r", value: 0 },
  to: { letter: "j", value: 0 },
  early: { letter: "p", value: -1 },
  middle: { letter: "p", value: 0 },
  late: { letter: "p", value: 1 },
  first: { letter: "o", value: 1 },
  second: { letter: "o", value: 2 },
  third: { letter: "o", value: 3 },
  fourth: { letter: "o", value: 4 },
  day: { letter: "D", value: 0, unit: "day" },
  week: { letter: "K", value: 0, unit: "week" },
  month: { letter: "M", value: 0, unit: "month" },
  quarter: { letter: "Q", value: 0, unit: "quarter" },
  half: { letter: "H", value: 0, unit: "half" },
  first_half: { letter: "h", value: 1 },
  second_half: { letter: "h", value: 2 },
  year: { letter: "Y", value: 0, unit: "year" },
  planned: { letter: "l", value: 0 },
  what: { letter: "l", value: 0 },
  of: { letter: "f", value: 0 },
  article: { letter: "x", value: 0 },
};
/** What is asked of something that has happened. */
const HAPPENED: readonly Concept[] = ["shipped", "changed", "slipped", "cancelled", "removed"];
const DASHES = "-|–|—";
const OPENING = /[([{¿¡]/;
const QUOTES = /["“”„«»]/;
const CLOSING = "])?!,.;:؟？،。、…";

/** Scripts that put no blanks between words, and decline none. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** A shape that is no word, by its letter; its groups give the value. */
type Shape = readonly [letter: string, shape: RegExp];

/** Makes what divides a question of a language into its pieces. */
export function makeTokenizer(words: AskedWords): (text: string, names?: DateNames) => Token[] {
  const meanings = new Map<string, Meaning>();
  const add = (way: string, meaning: Meaning) => meanings.has(way) || meanings.set(way, meaning);
  for (const [way, unit, step] of words.relative) add(way, { letter: "R", value: step, unit });
  for (const [name, month] of words.months) add(name, { letter: "m", value: month });
  for (const [name, value] of words.numbers) add(name, { letter: "d", value });
  for (const [concept, meaning] of Object.entries(MEANINGS) as [Concept, Meaning][]) {
    for (const way of words.of(concept)) add(way, meaning);
  }
  for (const dash of DASHES.split("|")) add(dash, MEANINGS.to!);
  const happened = new RegExp(`^${anyOf(words.of(...HAPPENED))}$`, "u");
  const known = [...meanings.keys()].map((way) =>
    [new RegExp(`^${anyOf([way])}$`, "u"), way] as const
  );
  const edge = words.isSpaced ? "(?![\\p{L}\\p{N}])" : "";
  const way = new RegExp(anyOf(meanings.keys(), edge), "uy");
  const attached = words.of("attached");
  const shapes = shapesOf(words);

  const meaningOf = (word: string) =>
    meanings.get(word) ?? meanings.get(known.find(([shape]) => shape.test(word))![1])!;
  const wayAt = (text: string, at: number) => {
    way.lastIndex = at;
    return way.exec(text)?.[0];
  };

  return (text, names) => {
    const folded = foldAsked(text).toLowerCase();
    const tokens: Token[] = [];
    let isQuoted = false;
    /** Where brackets begin that the next piece stands in. */
    let opened: number | undefined;
    const push = (
      start: number,
      length: number,
      meaning: Meaning,
      word = folded.slice(start, start + length),
    ) => {
      let end = start + length;
      while (CLOSING.includes(folded[end] ?? " ")) end++;
      tokens.push({
        start: opened ?? start,
        end,
        word,
        ...meaning,
        ...isQuoted && { letter: "." },
      });
      opened = undefined;
      return end;
    };
    for (let at = 0; at < folded.length;) {
      if (QUOTES.test(folded[at]!)) isQuoted = !isQuoted;
      if (/\s/.test(folded[at]!) || QUOTES.test(folded[at]!)) {
        opened = undefined;
        at++;
        continue;
      }
      if (OPENING.test(folded[at]!)) {
        opened ??= at++;
        continue;
      }
      const name = names?.at(folded, at);
      if (name !== undefined) {
        at = push(at, name.length, { letter: "N", value: 0 });
        continue;
      }
      const word = wayAt(folded, at);
      if (word !== undefined) {
        at = push(at, word.length, meaningOf(word), word);
        continue;
      }
      const prefix = attached.find((one) =>
        folded.startsWith(one, at) && wayAt(folded, at + one.length)
      );
      if (prefix !== undefined) {
        at = push(at, prefix.length, meaningOf(prefix));
        continue;
      }
      const shape = readShape(shapes, folded, at, tokens.at(-1));
      if (shape !== null) {
        at = push(at, shape.length, shape.meaning);
        continue;
      }
      const [other] =
        (words.isSpaced ? /\S+/uy : /[a-z\d]+|./suy)[Symbol.match](folded.slice(at)) ?? [];
      const isPast = happened.test(bare(other!));
      at = push(at, other!.length, { letter: ".", value: 0, ...isPast && { isPast } });
    }
    return tokens;
  };
}

/** The names of dates in use, as questions have them. */
export interface DateNames {
  /** What names a date at a place of a folded question. */
  at(folded: string, place: number): string | undefined;
  /** The date that it names. */
  nameOf(named: string): string;
}

/**
 * Finds names of dates in questions, declined and with or without hyphens: a word of five letters or
 * more may end with three others.
 *
 * @param ways the ways to name dates, with their names; the first that fits is meant
 */
export function nameDates(ways: ReadonlyMap<string, string>): DateNames {
  const shapes = [...ways].map(([way, name]) => [shapeOf(way), name] as const)
    .sort(([one], [other]) => other.length - one.length);
  const any = new RegExp(shapes.map(([shape]) => shape).join("|") || "(?!)", "uy");
  return {
    at(folded, place) {
      any.lastIndex = place;
      return any.exec(folded)?.[0];
    },
    nameOf: (named) => shapes.find(([shape]) => new RegExp(`^(?:${shape})$`, "u").test(named))![1],
  };
}

function shapeOf(way: string): string {
  const words = foldAsked(way).toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? ["(?!)"];
  const shapes = words.map((word) => {
    if (UNSPACED.test(word)) return word;
    const article = /\p{Script=Arabic}/u.test(word) ? "(?:ال)?" : "";
    const isDeclined = /^\p{L}{4,}$/u.test(word);
    const stem = word.length > 4 ? word.replace(/[aeiouy]$/, "") : word;
    return article + (isDeclined ? String.raw`${stem}\p{L}{0,3}` : word);
  });
  const isSpaced = !UNSPACED.test(way);
  return shapes.join(String.raw`[^\p{L}\p{N}]{0,3}`) +
    (isSpaced ? String.raw`(?![\p{L}\p{N}])` : "");
}

/** `2027-03-15`, `2027/3/15`, `15.3.2027`, `2027-03`, `Q1` and `4T`, `H1`, `2027`, `15th`, another number. */
function shapesOf(words: AskedWords): Shape[] {
  const end = "(?![\\p{L}\\p{N}])";
  // "Q1/2027", "Q1'27", "4T27": a year may follow at once.
  const beforeYear = `(?:['’](?=\\d\\d${end})|[-/]?(?=20\\d\\d${end})|${end})`;
  const sign = (concept: Concept) => anyOf(words.of(concept));
  const [quarter, half] = [sign("quarter_sign"), sign("half_sign")];
  const shapes: [string, string][] = [
    ["I", `(\\d{4}(?:-\\d{2}-\\d{2}|/\\d{1,2}/\\d{1,2})|\\d{1,2}\\.\\d{1,2}\\.20\\d\\d)${end}`],
    ["i", `(?:(?:19|20)\\d\\d-(?:0[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])/20\\d\\d)${end}`],
    ["q", `${quarter}([1-4])${beforeYear}`],
    ["q", `([1-4])${quarter}(?:${beforeYear}|(?=\\d\\d${end}))`],
    ["h", `${half}([12])${beforeYear}`],
    ["h", `([12])${half}${beforeYear}`],
    [
      "y",
      `((?:19|20)\\d\\d)(?:[-/]?(?=${quarter}[1-4]|${half}[12])|${
        words.isSpaced ? end : "(?!\\d)"
      })`,
    ],
    ["z", `(\\d{3,})${words.isSpaced ? end : ""}`],
    ["o", `(\\d{1,2})(?:(?:${sign("ordinal_sign")})${end}|\\.(?=\\s?\\p{L}))`],
    ["d", `(\\d{1,2})${words.isSpaced ? end : "(?!\\d)"}`],
  ];
  return shapes.map(([letter, shape]) => [letter, new RegExp(shape, "uy")]);
}

function readShape(shapes: readonly Shape[], text: string, at: number, before: Token | undefined) {
  // "Q1'27": the two digits that follow at once are a year.
  if (before?.end === at && /[qh]/.test(before.letter)) {
    const [year] = /^\d\d(?!\d)/.exec(text.slice(at, at + 3)) ?? [];
    if (year) return { length: 2, meaning: { letter: "y", value: 2000 + Number(year) } };
  }
  for (const [letter, shape] of shapes) {
    shape.lastIndex = at;
    const found = shape.exec(text);
    if (!found) continue;
    return { length: found[0].length, meaning: { letter, value: Number(found[1] ?? 0) } };
  }
  return null;
}

/** A word without the punctuation behind it. */
function bare(word: string): string {
  let end = word.length;
  while (end > 0 && CLOSING.includes(word[end - 1]!)) end--;
  return word.slice(0, end);
}
