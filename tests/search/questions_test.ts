import { deepStrictEqual as assertEquals } from "node:assert/strict";
import fc from "fast-check";
import { readQuestions } from "../../lib/roadmap/words/asked_words.ts";
import { readChangesInWords } from "../../lib/roadmap/words/asked_changes.ts";
import { readDatesInWords } from "../../lib/roadmap/words/dates_in_words.ts";
import { LANGUAGES } from "../../lib/text/languages.ts";
import { language, readLanguage, speak } from "../../lib/text/messages.ts";
import {
  daysBefore,
  formatDay,
  formatLongMonth,
  formatMonth,
  quarterDays,
  showQuarter,
} from "../../lib/text/dates.ts";

const TODAY = "2026-11-23";

/** What a question means: the query of the changelog, or what is left of it and its dates; null: words only. */
function read(q: string): string | null {
  const changes = readChangesInWords(q, TODAY);
  if (changes) return changes.query;
  const dates = readDatesInWords(q, TODAY);
  if (!dates) return null;
  const { rest, due, release_date_from = "", release_date_to = "" } = dates;
  return `${rest}|${due ?? `${release_date_from} to ${release_date_to}`}`;
}

Deno.test("Every language understands the questions of its file, and those of English", () => {
  const before = language();
  const faults: string[] = [];
  try {
    for (const tag of LANGUAGES) {
      speak(readLanguage(tag));
      for (const of of new Set([tag, "en"])) {
        for (const [q, wanted] of Object.entries(readQuestions(of).examples)) {
          const found = read(q);
          if (found !== wanted) faults.push(`${tag}: ${q}: ${found}, not ${wanted}`);
        }
      }
    }
  } finally {
    speak(before);
  }
  assertEquals(faults, []);
});

Deno.test("Each language has an example of everything that English has one of", () => {
  const missing = LANGUAGES.flatMap((tag) => {
    const meant = new Set(Object.values(readQuestions(tag).examples));
    return Object.entries(readQuestions("en").examples).filter(([, meaning]) => !meant.has(meaning))
      .map(([q]) => `${tag}: ${q}`);
  });
  assertEquals(missing, []);
});

/** Ways to type a question: in capitals, without accents, with digits of other scripts, with a blank. */
const TYPED: Readonly<Record<string, (q: string) => string>> = {
  "in capitals": (q) => q.toLocaleUpperCase(language().tag),
  "without accents": (q) =>
    q.normalize("NFD").replace(/(?<=[a-z])\p{Mn}/giu, "").replaceAll("ł", "l"),
  "with Arabic digits": (q) => q.replace(/\d/g, (digit) => "٠١٢٣٤٥٦٧٨٩"[Number(digit)]!),
  "with wide digits": (q) => q.replace(/\d/g, (digit) => "０１２３４５６７８９"[Number(digit)]!),
  "with blanks": (q) => ` ${q.replaceAll(" ", "  ")} `,
  "with a straight apostrophe": (q) => q.replaceAll("’", "'"),
};

Deno.test("A question means the same however it is typed", () => {
  const before = language();
  const faults: string[] = [];
  try {
    for (const tag of LANGUAGES) {
      speak(readLanguage(tag));
      for (const [q, wanted] of Object.entries(readQuestions(tag).examples)) {
        for (const [how, type] of Object.entries(TYPED)) {
          const found = read(type(q));
          if (found?.toLowerCase() !== wanted.toLowerCase()) {
            faults.push(`${tag} ${how}: ${type(q)}: ${found}, not ${wanted}`);
          }
        }
      }
    }
  } finally {
    speak(before);
  }
  assertEquals(faults, []);
});

/** A period by its first and last day: how a language writes it. */
interface Period {
  first: string;
  last: string;
  written: (tag: string) => string;
}

const months = fc.record({
  year: fc.integer({ min: 2000, max: 2099 }),
  month: fc.integer({ min: 1, max: 12 }),
});
const dayOf = (year: number, month: number, day: number) =>
  new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
const PERIODS = fc.oneof(
  fc.record({ month: months, day: fc.integer({ min: 1, max: 28 }), isLong: fc.boolean() }).map(
    ({ month: { year, month }, day, isLong }): Period => {
      const date = dayOf(year, month, day);
      const written = (tag: string) =>
        isLong
          ? new Date(date).toLocaleDateString(tag, { dateStyle: "long", timeZone: "UTC" })
          : formatDay(date);
      return { first: date, last: date, written };
    },
  ),
  fc.record({ month: months, isLong: fc.boolean() }).map(
    ({ month: { year, month }, isLong }): Period => {
      const first = dayOf(year, month, 1);
      const written = () => isLong ? formatLongMonth(first) : formatMonth(first);
      return { first, last: dayOf(year, month + 1, 0), written };
    },
  ),
  months.map(({ year, month }): Period => {
    const quarter = `Q${Math.ceil(month / 3)} ${year}`;
    return { ...quarterDays(quarter)!, written: () => showQuarter(quarter) };
  }),
  months.map(({ year }): Period => ({
    first: `${year}-01-01`,
    last: `${year}-12-31`,
    written: (tag) => tag === "ja" ? `${year}年` : String(year),
  })),
);

/** What the words around a period mean. */
const BOUNDS = {
  by: ({ last }: Period) => `| to ${last}`,
  before: ({ first }: Period) => `| to ${daysBefore(first, 1)}`,
  after: ({ last }: Period) => `|${daysBefore(last, -1)} to `,
  since: ({ first }: Period) => `|${first} to `,
  from: ({ first }: Period) => `|${first} to `,
} as const;

for (const tag of LANGUAGES) {
  Deno.test(`Each way of ${tag} to bound a date bounds it as the language writes it`, () => {
    const before = language();
    speak(readLanguage(tag));
    const questions = readQuestions(tag);
    const waysOf = (concept: keyof typeof BOUNDS | "between" | "to") =>
      (questions[concept] ?? "").split("|").filter((way) => way !== "");
    const join = (...words: string[]) => words.join(" ").replace(/(?<=[’'-]) /g, "");
    // What also bounds or places a date joins none: “tra marzo a giugno” is no Italian.
    const others = `${questions.by}|${questions.in}`.split("|");
    const tos = waysOf("to").filter((way) => !others.includes(way));
    const bounds = (Object.keys(BOUNDS) as (keyof typeof BOUNDS)[]).flatMap((concept) =>
      waysOf(concept).map((way) => [way, BOUNDS[concept]] as const)
    );
    try {
      fc.assert(
        fc.property(PERIODS, PERIODS, (one, two) => {
          const [first, last] = [one.written(tag), two.written(tag)];
          for (const [way, meaning] of bounds) {
            const q = tag === "ja" ? first + way : join(way, first);
            assertEquals([q, read(q)], [q, meaning(one)]);
          }
          const ranges = tag === "ja"
            ? [`${first}から${last}まで`]
            : waysOf("between").flatMap((way) => tos.map((to) => join(way, first, to, last)));
          for (const q of ranges) {
            assertEquals([q, read(q)], [q, `|${one.first} to ${two.last}`]);
          }
        }),
        { numRuns: 50 },
      );
    } finally {
      speak(before);
    }
  });
}

Deno.test("Dates of English questions are read as a reader means them", () => {
  const expected: Record<string, string | null> = {
    "copilot in Q4": "copilot|2026-10-01 to 2026-12-31",
    "in Q2": "|2027-04-01 to 2027-06-30",
    "sync planned for Q1 2027 mobile": "sync mobile|2027-01-01 to 2027-03-31",
    "next quarter": "|2027-01-01 to 2027-03-31",
    "excel this year": "excel|2026-01-01 to 2026-12-31",
    "next month": "|2026-12-01 to 2026-12-31",
    "vector search by March 2027": "vector search| to 2027-03-31",
    "in 2025": "|2025-01-01 to 2025-12-31",
    "overdue connectors": "connectors|overdue",
    "SQL Server 2025": null,
    "Q4": "|2026-10-01 to 2026-12-31",
    "december 2027 teams": "teams|2027-12-01 to 2027-12-31",
    "2027": "|2027-01-01 to 2027-12-31",
    "in Q5": null,
    '"in Q4" copilot': null,
    "plan ahead": null,
    "in May": "|2027-05-01 to 2027-05-31",
    "may": null,
    "end of next quarter": "|2027-01-01 to 2027-03-31",
    "teams by the end of 2026": "teams| to 2026-12-31",
    "before march 2027": "| to 2027-02-28",
    "after Q1 2027": "|2027-04-01 to ",
    "since october": "|2026-10-01 to ",
    "from November to January": "|2026-11-01 to 2027-01-31",
    "between November and January 2027": "|2026-11-01 to 2027-01-31",
    "between September and March": "|2026-09-01 to 2027-03-31",
    "from January": "|2027-01-01 to ",
    "shipped in Q3": "shipped|2026-07-01 to 2026-09-30",
    "what is planned for december?": "|2026-12-01 to 2026-12-31",
    "december 2027, teams": "teams|2027-12-01 to 2027-12-31",
    "data factory (Q1/2027)": "data factory|2027-01-01 to 2027-03-31",
    "Q1'27": "|2027-01-01 to 2027-03-31",
    "2027Q1": "|2027-01-01 to 2027-03-31",
    "first quarter of 2027": "|2027-01-01 to 2027-03-31",
    "5th quarter 2027": null,
    "H2 2027": "|2027-07-01 to 2027-12-31",
    "early 2027": "|2027-01-01 to 2027-03-31",
    "mid-2027": "|2027-04-01 to 2027-09-30",
    "next 30 days": "|2026-11-23 to 2026-12-23",
    "within 3 months": "|2026-11-23 to 2027-02-28",
    "next week": "|2026-11-30 to 2026-12-06",
    "free for 30 days": null,
    "between January and March 2027": "|2027-01-01 to 2027-03-31",
    "Q4 2026 – Q1 2027": "|2026-10-01 to 2027-03-31",
    "2026-12": "|2026-12-01 to 2026-12-31",
    "31 December 2026": "|2026-12-31 to 2026-12-31",
    "31 February 2026": null,
    "2026-02-31": null,
    "copilot in sept 2026": "copilot|2026-09-01 to 2026-09-30",
    "copilot for Dec. 2026": "copilot|2026-12-01 to 2026-12-31",
    "plan for marketing 2026": null,
    "copilot for mayor 2026": null,
    "rules for decimals 2026": null,
    "windows server for 2025": "windows server|2025-01-01 to 2025-12-31",
    "in May 0050": null,
    "in Q2 0001": null,
  };
  for (const [q, wanted] of Object.entries(expected)) assertEquals(read(q), wanted, q);
});
