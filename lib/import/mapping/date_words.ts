/** The languages in which exporters name months and days. */
const LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "pl", "da"];

/** What programs write besides the names that `Intl` knows: Excel in German, old ones, ours. */
const MORE_MONTHS = "jaenner 1|janner 1|feber 2|mrz 3|maerz 3|juin 6|sept 9|set 9|setiembre 9";

/**
 * A text without accents, in lower case: a month may be written "März", "marz" or "MÄRZ".
 *
 * ```ts
 * if (foldWord("Février") !== "fevrier") throw new Error();
 * ```
 */
export function foldWord(text: string): string {
  return text.normalize("NFD").replace(/\p{Mn}/gu, "").replaceAll("ł", "l").toLowerCase();
}

/** The names of something in all languages; a name that means two things is left out. */
function namesOf(
  count: number,
  name: (place: number, format: Intl.DateTimeFormat) => string[],
  options: (width: "long" | "short") => Intl.DateTimeFormatOptions,
): Map<string, number> {
  const found = new Map<string, number | null>();
  for (const language of LANGUAGES) {
    for (const width of ["long", "short"] as const) {
      const format = new Intl.DateTimeFormat(language, { ...options(width), timeZone: "UTC" });
      for (let place = 1; place <= count; place++) {
        for (const raw of name(place, format)) {
          const folded = foldWord(raw).replace(/\.$/, "");
          const before = found.get(folded);
          found.set(folded, before === undefined || before === place ? place : null);
        }
      }
    }
  }
  return new Map([...found].filter((entry): entry is [string, number] => entry[1] !== null));
}

/** The months by their names, from 1; Slavic languages bend them beside a day. */
const MONTHS = new Map([
  ...[{}, { day: "numeric", year: "numeric" } as const].flatMap((beside) => [
    ...namesOf(
      12,
      (month, format) => partsOf(format, new Date(Date.UTC(2026, month - 1, 15)), "month"),
      (month) => ({ month, ...beside }),
    ),
  ]),
  ...MORE_MONTHS.split("|").map((entry) => {
    const [name, month] = entry.split(" ");
    return [name!, Number(month)] as const;
  }),
]);

/** The days of the week, which say nothing that a date does not. */
const WEEKDAYS = new Set(
  namesOf(
    7,
    (day, format) => partsOf(format, new Date(Date.UTC(2026, 5, day)), "weekday"),
    (weekday) => ({ weekday }),
  ).keys(),
).union(new Set(["tues", "thur", "thurs", "weds", "mar", "sab", "dom", "seg", "sex"]));

function partsOf(
  format: Intl.DateTimeFormat,
  moment: Date,
  type: "month" | "weekday",
): string[] {
  const part = format.formatToParts(moment).find((part) => part.type === type);
  return part && /\p{L}/u.test(part.value) ? [part.value] : [];
}

/** The number of a month, from 1, by its folded name; 0 if it is none. */
export function monthOf(name: string): number {
  return MONTHS.get(name.replace(/\.$/, "")) ?? 0;
}

/** One blank, one dash, one kind of digit; nothing that is not seen; no accents, lower case. */
export function foldDate(text: string): string {
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
export function tidy(folded: string): string {
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
  return WEEKDAYS.has(word) && (monthOf(word) === 0 || monthIn(rest)) ? rest : bare;
}

function monthIn(text: string): boolean {
  return (text.match(/[a-z]+/g) ?? []).some((word) => monthOf(word) > 0);
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
