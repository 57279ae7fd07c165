import { monthsIn } from "../../text/languages.ts";
import { digitOf } from "../../text/match_words.ts";
import { foldWord } from "./lexicon.ts";

/** The languages whose names of months count first: exporters and this service speak them. */
const FIRST = ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "pl", "da"];
/** Further languages that a sheet may be in; a name that means two months in them is none. */
const MORE = (
  "nb nn fi cs sk hu ro bg hr sr sr-Latn sl bs mk et lv lt el tr ru uk be ar ar-SY ar-MA he fa hi bn " +
  "mr ta te vi th id ms ca gl is ga cy sq af sw az kk hy ka ja ko zh zh-Hant"
).split(" ");

/** What programs write besides the names that `Intl` knows: Excel in German, old ones, ours. */
const MORE_MONTHS =
  "jaenner 1|janner 1|feber 2|mrz 3|maerz 3|juin 6|juill 7|sept 9|set 9|setiembre 9";
/** Weekdays in a form that `Intl` does not write. */
const MORE_WEEKDAYS = "tues|thur|thurs|weds|mar|sab|dom|seg|sex";

interface DateWords {
  /** The number of a month, from 1, by its name; null: the name means several. */
  months: Map<string, number | null>;
  weekdays: Set<string>;
  /** What makes a number a month, and where it stands: `tháng 9` before it, `9月` behind it. */
  monthMarks: Map<string, "before" | "behind">;
  /** What stands between the parts of a date, and says nothing: `de`, `г`, `年`. */
  fillers: Set<string>;
}

let first: DateWords | undefined;
let more: DateWords | undefined;
const inFirst = () => first ??= readWords(FIRST, MORE_MONTHS, MORE_WEEKDAYS);
const inMore = () => more ??= readWords(MORE, "", "");

/** Slavic languages bend the name of a month beside a day, and some languages join it to a word. */
function readWords(languages: readonly string[], months: string, weekdays: string): DateWords {
  const words: DateWords = {
    months: new Map(),
    weekdays: new Set(weekdays.split("|").filter(Boolean)),
    monthMarks: new Map(),
    fillers: new Set(),
  };
  for (const language of languages) {
    for (const month of ["long", "short"] as const) {
      for (const beside of [{}, DAY, { ...DAY, weekday: "long", era: "short" } as const]) {
        for (const [place, parts] of monthsIn(language, { month, ...beside }).entries()) {
          addParts(words, parts, place + 1);
        }
      }
    }
    for (const weekday of ["long", "short"] as const) {
      const format = new Intl.DateTimeFormat(language, { weekday, timeZone: "UTC" });
      for (let day = 1; day <= 7; day++) {
        const name = foldName(format.format(Date.UTC(2026, 5, day)));
        if (/^[\p{L}\p{M}]/u.test(name)) words.weekdays.add(name);
      }
    }
  }
  for (const entry of months.split("|").filter(Boolean)) {
    const [name, number] = entry.split(" ");
    words.months.set(name!, Number(number));
  }
  return words;
}

const DAY = { day: "numeric", year: "numeric" } as const;
/** A word, or one of abbreviations: "ก.ย". */
const LETTERS = /[\p{L}\p{M}]+(?:\.[\p{L}\p{M}]+)*/gu;

/** Signs of an abbreviation. */
const foldName = (text: string) => foldWord(text).replace(/\p{Cf}|\.$|[׳״॰]/gu, "");

function addParts(
  { months, monthMarks, fillers }: DateWords,
  parts: readonly Intl.DateTimeFormatPart[],
  number: number,
): void {
  for (const [place, { type, value }] of parts.entries()) {
    const folded = foldName(value);
    if (type === "literal" || type === "era") {
      // A letter of ours alone is a word of many things.
      for (const [word] of folded.matchAll(LETTERS)) if (!/^[a-z]$/.test(word)) fillers.add(word);
    }
    if (type !== "month") continue;
    const before = foldName(parts[place - 1]?.value ?? "").split(/[^\p{L}\p{M}]/u).at(-1)!;
    const [after = ""] = /^[\p{L}\p{M}]*/u.exec(foldName(parts[place + 1]?.value ?? "")) ?? [];
    if (/\p{Nd}/u.test(folded)) {
      const [start = "", end = ""] = folded.split(/\p{Nd}+/u).map((one) => one.trim());
      if (/^\p{L}/u.test(start)) monthMarks.set(start, "before");
      if (/^\p{L}/u.test(end + after)) monthMarks.set(end + after, "behind");
      continue;
    }
    if (!/\p{L}/u.test(folded)) continue;
    for (const name of new Set([folded, before + folded, folded + after])) {
      const known = months.get(name);
      months.set(name, known === undefined || known === number ? number : null);
    }
  }
}

/**
 * The number of a month, from 1, by its folded name; 0 if it is none.
 *
 * @param isForeign the column is in none of the first languages: "listopada" is October in Croatian
 */
export function monthOf(name: string, isForeign = false): number {
  const bare = name.replace(/\.$/, "");
  if (!/^[\p{L}\p{M}]/u.test(bare)) return 0;
  const known = inFirst().months.get(bare);
  if (known !== undefined && !isForeign) return known ?? 0;
  return inMore().months.get(bare) ?? known ?? 0;
}

/** Whether a folded text names a month as only another language than the first ones does. */
export function isForeignDate(folded: string): boolean {
  const { months, weekdays } = inFirst();
  return (folded.match(LETTERS) ?? []).some((word) =>
    word.length > 2 && !months.has(word) && !weekdays.has(word) && inMore().months.has(word)
  );
}

/** Whether a folded word is a day of the week, which says nothing that a date does not. */
export function isWeekday(word: string): boolean {
  return inFirst().weekdays.has(word) || inMore().weekdays.has(word);
}

/** Where the number of a month stands beside a folded word; undefined: it makes none. */
export function monthMarkOf(word: string): "before" | "behind" | undefined {
  return inMore().monthMarks.get(word);
}

/** Whether a folded word stands in dates and says nothing. */
export function isFiller(word: string): boolean {
  return inFirst().fillers.has(word) || inMore().fillers.has(word);
}

/** One blank, one dash, one kind of digit; nothing that is not seen; no accents, lower case. */
export function foldDate(text: string): string {
  const plain = text.normalize("NFKC").replace(/\p{Cf}/gu, "").replace(/[\p{Z}\s]+/gu, " ")
    .replace(/[\p{Pd}−‑]/gu, "-").replace(/\p{Nd}/gu, digitOf).replace(/[،、]/g, ",").replace(
      /[׳״॰]/g,
      "",
    );
  return foldWord(plain).replace(/[‘’`´]/g, "'").trim();
}

const TIME =
  /(?:t|,? (?:(?:at|um|a|as|a las|alle|alle ore|om|o|kl\.?|godz\.?|-) )?)\d{1,2}[:h]\d{2}/;

/** The same date without its time, its weekday, and what is said about it. */
export function tidy(folded: string): string {
  const plain = folded.replace(/ ?[([][^()[\]]*[)\]]$/, "").replace(/ ?[?*!]{1,5}$/, "")
    .replace(/^\d{1,2}:\d{2}(?::\d{2})? ?(?:[ap]\.?m\.?)?,? (?=\S)/, "")
    // `Thu Jun 25 23:00:00 UTC 2026`: the year stands behind the time.
    .replace(/ \d{1,2}:\d{2}(?::\d{2})?(?: [a-z]{3,4})?(?= \d{4}$)/, "");
  const time = plain.search(TIME);
  const bare = (time === -1 ? plain : plain.slice(0, time))
    .replace(/,? (?:at )?\d{1,2} ?[ap]\.?m\.?$/, "").replace(/[ ,-]{1,5}$/, "")
    .replace(/(?<=\d)(?:\.| \p{L}\.)$/u, "");
  const [start = "", word = ""] = WEEKDAY.exec(bare) ?? [];
  const rest = bare.slice(start.length);
  // "mar" is a day in Spanish, and a month too.
  return word !== "" && isWeekday(word) && (monthOf(word) === 0 || monthIn(rest)) ? rest : bare;
}

/** What may be a day of the week, in one word or in two before a comma. */
const WEEKDAY =
  /^([\p{L}\p{M}]{2,14} [\p{L}\p{M}]{1,14}(?=,)|[\p{L}\p{M}]{2,16}(?:-feira)?)\.?,? ?(?=\S)/u;

function monthIn(text: string): boolean {
  return (text.match(LETTERS) ?? []).some((word) => monthOf(word) > 0);
}

const APPROXIMATE =
  /^(?:[~≈±] ?|(?:c|ca|circa|approx|approximately|about|around|est|estimated|expected|planned|planned for|target|targeted|targeting|tentatively|by|due|in|on|for|eta|voraussichtlich|geplant|im|am|vers|env|environ|prevu|previsto|en|em)[.:]? )/;

/** Words that say nothing about the day. */
export function withoutRemarks(text: string): string {
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
