import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { readQuestions } from "../../lib/roadmap/words/asked_words.ts";
import { readChangesInWords } from "../../lib/roadmap/words/asked_changes.ts";
import { readDatesInWords } from "../../lib/roadmap/words/dates_in_words.ts";
import { LANGUAGES } from "../../lib/text/languages.ts";
import { language, readLanguage, speak } from "../../lib/text/messages.ts";

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

/** What can be asked in every language, by what it means. */
const INTENTS = {
  "a month without its year": "|2026-12-01 to 2026-12-31",
  "before a month": "| to 2027-02-28",
  "from a month on": "|2027-07-01 to ",
  "between two months": "|2027-03-01 to 2027-06-30",
  "a half year": "|2027-01-01 to 2027-06-30",
  "a quarter by its name": "|2027-10-01 to 2027-12-31",
  "the next days": "|2026-11-23 to 2026-12-23",
  "next week": "|2026-11-30 to 2026-12-06",
  "what is overdue": "|overdue",
  "what shipped last month": "?kind=shipped&month=2026-10",
};

Deno.test("Each language has an example of everything that can be asked", () => {
  const missing = LANGUAGES.flatMap((tag) => {
    const meant = Object.values(readQuestions(tag).examples);
    return Object.entries(INTENTS).filter(([, meaning]) => !meant.includes(meaning))
      .map(([intent]) => `${tag}: ${intent}`);
  });
  assertEquals(missing, []);
});

Deno.test("Each way to bound a date bounds each month, as the language names it", () => {
  const before = language();
  const faults: string[] = [];
  try {
    for (const tag of LANGUAGES) {
      speak(readLanguage(tag));
      const questions = readQuestions(tag);
      const isSpaced = tag !== "ja";
      for (let month = 1; month <= 12; month++) {
        const moment = new Date(Date.UTC(2027, month - 1, 1));
        const first = moment.toISOString().slice(0, 10);
        const [last, dayBefore, dayAfter] = [[month, 0], [month - 1, 0], [month, 1]].map(
          ([month, day]) => new Date(Date.UTC(2027, month!, day)).toISOString().slice(0, 10),
        );
        const name = moment.toLocaleDateString(tag, { month: "long", timeZone: "UTC" });
        const bounds = {
          by: `| to ${last}`,
          before: `| to ${dayBefore}`,
          after: `|${dayAfter} to `,
          from: `|${first} to `,
        };
        for (const [concept, wanted] of Object.entries(bounds)) {
          for (const way of questions[concept as keyof typeof bounds]?.split("|") ?? []) {
            const q = isSpaced
              ? `${way}${/[’'-]$/.test(way) ? "" : " "}${name} 2027`
              : `2027年${name}${way}`;
            const found = read(q);
            if (found !== wanted) faults.push(`${tag}: ${q}: ${found}, not ${wanted}`);
          }
        }
      }
    }
  } finally {
    speak(before);
  }
  assertEquals(faults, []);
});

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
