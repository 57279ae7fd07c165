/** The languages in which exporters name months and days. */
const LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "pl", "da"];

/** What programs write besides the names that `Intl` knows: Excel in German, old ones, ours. */
const MORE_MONTHS: readonly (readonly [name: string, month: number])[] = [
  ["sept", 9],
  ["mrz", 3],
  ["maerz", 3],
  ["jaenner", 1],
  ["janner", 1],
  ["feber", 2],
  ["juin", 6],
  ["set", 9],
  ["setiembre", 9],
];

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
  ...namesOf(
    12,
    (month, format) => partsOf(format, new Date(Date.UTC(2026, month - 1, 15)), "month"),
    (month) => ({ month }),
  ),
  ...namesOf(
    12,
    (month, format) => partsOf(format, new Date(Date.UTC(2026, month - 1, 15)), "month"),
    (month) => ({ day: "numeric", month, year: "numeric" }),
  ),
  ...MORE_MONTHS,
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

/** Whether a folded word names a day of the week. */
export function isWeekday(word: string): boolean {
  return WEEKDAYS.has(word);
}
