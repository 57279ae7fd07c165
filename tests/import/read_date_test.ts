import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import fc from "fast-check";
import { isCalendarDate } from "../../lib/text/dates.ts";
import { compileDateFormat, readDate, surveyDates } from "../../lib/import/mapping/read_date.ts";
import { slowTest } from "../support/slow.ts";

const ASOF = "2026-07-20";

/** A day, or none, and what people and tools write for it. */
const DATES = `
2002-10-02 | Wed, 02 Oct 2002 13:00:00 GMT
2026-01-01 | 1767225600 | 1767225600000
2026-01-05 | 2026/1/5
2026-02-01 | 1. 2. 2026
2026-03-31 | 2026Q1
2026-05-05 | 5/5/2026 | 5 mei 2026
2026-06-15 | 6/15/26
2026-06-25 | Thu Jun 25 2026 23:00:00 GMT+0000 (GMT+00:00) | Thu Jun 25 23:00:00 UTC 2026
2026-06-25 | Thu Jun 25 23:00:00 2026
2026-06-30 | 2e trimestre 2026 | Q2/2026 | Second quarter 2026
2026-07-01 | Wed Jul 01 2026 11:51:28 GMT+0200 (Central European Summer Time)
2026-08-31 | Jul/Aug 2026
2026-09-01 | Sept 1, 2026
2026-09-03 | 2026/9/3
2026-09-15 | September 15, 2026 3:24 PM | 15/Sep/26 3:24 PM
2026-09-30 | 46295 | Q3 2026 | q3/2026 | Q3 CY2026 | 2026-Q3 | Q3\u00a02026 | Ｑ３ ２０２６
2026-09-30 | Q3\u200b 2026 | 2026‑09‑30 | 2026–09–30 | ٢٠٢٦-٠٩-٣٠ | \ufeffQ3 2026 | Q3\u202f2026
2026-09-30 | 3. Quartal 2026 | 30 de septiembre de 2026 | 30 września 2026 | 30 settembre 2026
2026-09-30 | 30 september 2026 | T3 2026 | Q3 CY26 | 2026-W40-3 | ~Q3 2026 | Q3 2026 (tentative)
2026-09-30 | Q3 26 | Q3'26 | 3Q 2026 | 3Q26 | July - September 2026 | 9/30/2026 12:00:00 AM
2026-09-30 | 2026-09-30 09:14:00 UTC | 30.09.2026 14:00 Uhr | Mittwoch, 30. September 2026
2026-09-30 | Wednesday, September 30, 2026 | mercredi 30 septembre 2026 | mar. 30 sept. 2026
2026-09-30 | 2026-09-30T00:00:00Z | Sep 30, 2026, 5:00 PM | 2026-09-30 5 PM | end of Sep 2026
2026-09-30 | End of Q3 2026 | by end of Q3 2026 | 2026 Sep 30 | 2026-Sep-30 | 30-Sep-2026
2026-09-30 | 30Sep2026 | 46295.5 | Sept. 2026 | 9/2026 | 3rd quarter of 2026 | Quarter 3, 2026
2026-09-30 | Q3, 2026 | 2026, Q3 | ETA: Q3 2026 | est. Q3 2026 | Q3 2026? | Sep '26
2026-09-30 | September, 2026 | Q3 of 2026 | Sep 30 2026 | 2026_Q3 | 09-2026 | 2026-9
2026-09-30 | 30/09/2026 14:00 CET
2026-10-01 | 1er octobre 2026 | 1º de outubro de 2026 | 1. Oktober 2026
2026-10-03 | 1-3 Oct 2026 | October 1-3, 2026
2026-10-04 | 2026-W40 | W40 2026 | KW 40/2026 | 2026W40
2026-10-30 | Fri, 30 Oct 2026 | Oct. 30th, 2026
2026-10-31 | Sat 31 Oct 2026
2026-12-18 | Oct 1 – Dec 18, 2026 | October 1, 2026 → December 18, 2026 | 2026-10-01 → 2026-12-18
2026-12-18 | 2026-10-01/2026-12-18 | 01.10.2026 - 18.12.2026 | 10/1/2026 - 12/18/2026
2026-12-18 | 2026-10-01 10:00 → 2026-12-18 12:00
2026-12-31 | 20261231 | 2026-12-31 | 2026-12-31T23:30:00.000-0500 | 2026-12-31 00:00:00
2026-12-31 | 31.12.2026 | 31.12.26 | 12/31/2026 | 31/12/2026 10:00 | 31-12-2026
2026-12-31 | 31/Dec/26 12:00 AM | 31 Dec 2026 | 31-Dec-2026 | December 31, 2026 | 31/Dez/26 | 2H26
2026-12-31 | H2'26 | 2026 H2 | Q3/Q4 2026 | Q3–Q4 2026 | 2026 Q3-Q4 | Q3 - Q4 2026 | Q3 or Q4 2026
2026-12-31 | H1/H2 2026 | late 2026 | EOY 2026 | end of 2026 | Ende 2026 | second half of 2026
2026-12-31 | 2. Halbjahr 2026 | S2 2026 | 12.31.2026
2027-01-01 | 1st January 2027
2027-01-31 | January 2027 | Jan 2027 | Jan-27 | Nov - Jan 2027
2027-03-01 | 1. März 2027
2027-03-31 | 2027-03 | 03/2027 | März 2027 | 1Q27 | Q4 2026 - Q1 2027 | 27Q1 | Q1-2027 | Q1.2027
2027-03-31 | Mrz 2027
2027-05-31 | Mai 2027
2027-06-30 | H1 2027 | 1H 2027
2027-12-31 | 2027 | CY2027 | 2026-2027
2028-02-29 | February 2028
none |  TBD  | n/a | – | Not set | #N/A
`.trim().split("\n").flatMap((line) => {
  const [day = "", ...texts] = line.split(" | ");
  return texts.map((text) => [text, day === "none" ? null : day] as const);
});

Deno.test("Dates are read as people and tools write them", () => {
  for (const [text, date] of DATES) {
    assertEquals([text, readDate(text, { asOf: ASOF })], [text, { date }]);
  }
});

/** What has two readings, and both of them. */
const DOUBTFUL: Record<string, readonly [string, string]> = {
  "6/7/2026": ["2026-07-06", "2026-06-07"],
  "6/7/26": ["2026-07-06", "2026-06-07"],
  "6-7-2026 10:00": ["2026-07-06", "2026-06-07"],
  "26-09-30": ["2030-09-26", "2026-09-30"],
  "Sep 26": ["2026-09-30", "2026-09-26"],
  "Mrz 27": ["2027-03-31", "2026-03-27"],
  "Q4": ["Q4 2026", "Q4 2027"],
  "H1": ["H1 2026", "H1 2027"],
  "2. Quartal": ["Q2 2026", "Q2 2027"],
  "September": ["2026-09-30", "2027-09-30"],
  "30 Sep": ["2026-09-30", "2027-09-30"],
  "FY27 Q1": ["Q1 2027", "Q3 2026"],
  "Q4 FY2027": ["Q4 2027", "Q2 2027"],
  "FY27": ["2027-12-31", "2027-06-30"],
  "H1 FY27": ["H1 2027", "H2 2026"],
  "2026/27": ["2027-03-31", "2027-06-30"],
  "mid 2026": ["Q2 2026", "Q3 2026"],
  "early 2027": ["Q1 2027", "H1 2027"],
  "Anfang 2027": ["Q1 2027", "H1 2027"],
  "early Q3 2026": ["2026-07-31", "2026-09-30"],
  "mid September 2026": ["2026-09-15", "2026-09-30"],
  "Summer 2027": ["Q2 2027", "Q3 2027"],
  "Herbst 2027": ["Q3 2027", "Q4 2027"],
};

Deno.test("What has two readings is refused with both, and each of them can be read", () => {
  for (const [text, readings] of Object.entries(DOUBTFUL)) {
    const read = readDate(text, { asOf: ASOF });
    assert("reason" in read, text);
    assertEquals([text, read.readings], [text, readings]);
    for (const reading of readings) {
      assert(read.reason.includes(reading), read.reason);
      assert("date" in readDate(reading), reading);
    }
  }
});

Deno.test("The format that a refused date asks for settles it, whatever time stands behind it", () => {
  for (const text of ["6/7/2026", "6/7/26", "6/7/2026 12:00:00 AM", "6-7-2026T10:00", "26-09-30"]) {
    const read = readDate(text);
    assert("reason" in read && read.readings, text);
    const formats = [...read.reason.matchAll(/"([DMY]+[-/][DMY]+[-/][DMY]+)"/g)].map(([, one]) =>
      one!
    );
    assertEquals(
      formats.map((format) => readDate(text, { format })),
      read.readings.map((date) => ({ date })),
    );
  }
});

/** What cannot be read, and why. */
const UNREADABLE: Record<string, RegExp> = {
  "2026-02-30": /is "2026-02-30", which is not a day of the calendar$/,
  "31.04.2026": /not a day of the calendar/,
  "13/13/2026": /not a day of the calendar/,
  "2026-31-12": /not a day of the calendar/,
  "30 February 2026": /not a day of the calendar/,
  "2026-W60": /not a week of 2026/,
  "Q4 2026 - Q1 2026": /ends before it begins/,
  "2026-13": /not a date such as 2026-09-30, Q3 2026 or Sep 2026/,
  "Foo 2026": /not a date/,
  "Q5 2026": /not a date/,
  "Later": /is "Later", which is not a date .* \{"none": \["Later"\]\}$/,
  "after Q3 2026": /not a date/,
  "12": /not a date/,
  "3.2": /not a date/,
  "constructor": /not a date/,
  "1900-01-01": /not between 1970 and 2199: leave it empty where there is no date$/,
  "01.01.1900": /not between/,
  "9999-12-31": /not between/,
  "0050": /not between/,
};

Deno.test("A date that cannot be read is refused with the reason", () => {
  for (const [text, reason] of Object.entries(UNREADABLE)) {
    const read = readDate(text, { asOf: ASOF });
    assert("reason" in read && reason.test(read.reason), `${text}: ${JSON.stringify(read)}`);
  }
  const long = readDate(`${" 1".repeat(1_000_000)}`);
  assert("reason" in long && long.reason.length < 400);
});

Deno.test("A format says how dates are written", () => {
  const cases = [
    ["03/04/2026", "DD/MM/YYYY", "2026-04-03"],
    ["03/04/2026", "MM/DD/YYYY", "2026-03-04"],
    ["3.4.26", "D.M.YY", "2026-04-03"],
    ["Apr 2026", "MMM YYYY", "2026-04-30"],
    ["März 2027", "MMMM YYYY", "2027-03-31"],
    ["2026", "YYYY", "2026-12-31"],
    ["9/30/2026 12:00:00 AM", "MM/DD/YYYY", "2026-09-30"],
    ["03/04/2026 14:00", "DD/MM/YYYY HH:mm", "2026-04-03"],
    ["Fri 03/04/2026", "DD/MM/YYYY", "2026-04-03"],
    ["1767225600", "epoch", "2026-01-01"],
    ["1767225600000", "epoch", "2026-01-01"],
    ["1767225600.5", "epoch", "2026-01-01"],
    ["0", "epoch", "1970-01-01"],
    // What the format does not fit is read as without it, in its order.
    ["Q3 2026", "DD/MM/YYYY", "2026-09-30"],
    ["03-04-2026", "DD/MM/YYYY", "2026-04-03"],
  ] as const;
  for (const [text, format, date] of cases) {
    assertEquals([text, format, readDate(text, { format })], [text, format, { date }]);
  }
  assert("reason" in readDate("31/04/2026", { format: "DD/MM/YYYY" }));
  assert("reason" in readDate("soon", { format: "epoch" }));
  for (const format of ["DD.MM", "dd.mm.yyyy", "YYYY YYYY", "x"]) {
    assertEquals(compileDateFormat(format), null, format);
  }
});

Deno.test("One number over 12 decides the order of day and month for its whole column", () => {
  const order = (...texts: (string | null)[]) => surveyDates(texts).order;
  assertEquals(order("05/11/2026", null, "30/09/2026", "TBD"), "DMY");
  assertEquals(order("6/7/2026 9:14", "12/31/2026 0:00"), "MDY");
  assertEquals(order("6/7/26", "31/12/26"), "DMY");
  assertEquals(order("6/7/2026", "5/11/2026", "2026-12-31", "Q3 2026"), null);
  assertEquals(order("6/7/2026 - 12/31/2026"), "MDY");
  const both = surveyDates(["6/7/2026", "31/12/2026", null, "12/31/2026"]);
  assertEquals([both.order, both.contradiction], [null, [1, 3]]);
  assertEquals(surveyDates(["1767225600000", null, "1767225600"]).isEpoch, true);
  assertEquals(surveyDates(["1767225600000", "2026"]).isEpoch, false);
  assertEquals(surveyDates([null, ""]).isEpoch, false);
  for (const [order, date] of [["DMY", "2026-07-06"], ["MDY", "2026-06-07"]] as const) {
    assertEquals(readDate("6/7/2026", { order }), { date });
    assertEquals(readDate("6/7/26", { order }), { date });
    assertEquals(readDate("1.2.2026", {}), { date: "2026-02-01" });
  }
});

const LANGUAGES = ["en-US", "en-GB", "de", "fr", "es", "it", "pt-BR", "nl", "sv", "pl"];
const day = fc.date({
  min: new Date("1990-01-01"),
  max: new Date("2199-12-31"),
  noInvalidDate: true,
});

Deno.test("Every day is read as Intl writes it in the languages of exporters", () => {
  fc.assert(
    fc.property(
      day,
      fc.constantFrom(...LANGUAGES),
      fc.constantFrom("full", "long", "medium"),
      fc.boolean(),
      (moment, language, dateStyle, isTimed) => {
        const format = new Intl.DateTimeFormat(language, {
          dateStyle: dateStyle as "full" | "long" | "medium",
          ...isTimed && { timeStyle: "short" },
          timeZone: "UTC",
        });
        const text = format.format(moment);
        const [{ order }, date] = [surveyDates([text]), moment.toISOString().slice(0, 10)];
        const read = readDate(text, { order });
        // Dutch and Portuguese abbreviate to numbers: those may have two readings.
        assert(
          "date" in read ? read.date === date : read.readings?.includes(date),
          `${language} ${text}: ${JSON.stringify(read)}`,
        );
      },
    ),
    { numRuns: 2_000 },
  );
});

slowTest("Any text is a day of the calendar, none, or a sentence", () => {
  const part = fc.constantFrom(
    "Q3",
    "2026",
    "26",
    "H1",
    "-",
    "/",
    " ",
    ".",
    "Sep",
    "30",
    "FY",
    "W40",
    "→",
    "mid",
    "T",
    "10:00",
    "'",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(part, { maxLength: 8 }).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, fc.constantFrom(null, "DMY" as const, "MDY" as const), (text, order) => {
      const read = readDate(text, { order, asOf: ASOF });
      if ("date" in read) {
        assert(read.date === null || isCalendarDate(read.date), JSON.stringify(read));
      } else assert(read.reason.startsWith("is "), read.reason);
    }),
    { numRuns: 3_000 },
  );
});
