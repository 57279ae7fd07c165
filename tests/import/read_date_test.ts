import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { compileDateFormat, parseByFormat } from "../../lib/import/mapping/date_format.ts";
import { readDate, readDay } from "../../lib/import/mapping/read_date.ts";

/** What people and tools write, and the day that it stands for. */
const DATES: Record<string, string | null> = {
  "2026-12-31": "2026-12-31",
  "2026-12-31T23:30:00.000-0500": "2026-12-31",
  "2026-12-31 00:00:00": "2026-12-31",
  "2026/1/5": "2026-01-05",
  "31.12.2026": "2026-12-31",
  "1. 2. 2026": "2026-02-01",
  "31.12.26": "2026-12-31",
  "12/31/2026": "2026-12-31",
  "31/12/2026 10:00": "2026-12-31",
  "31-12-2026": "2026-12-31",
  "5/5/2026": "2026-05-05",
  "31/Dec/26 12:00 AM": "2026-12-31",
  "31 Dec 2026": "2026-12-31",
  "31-Dec-2026": "2026-12-31",
  "1st January 2027": "2027-01-01",
  "December 31, 2026": "2026-12-31",
  "Sept 1, 2026": "2026-09-01",
  "Q3 2026": "2026-09-30",
  "q3/2026": "2026-09-30",
  "Q3 CY2026": "2026-09-30",
  "2026-Q3": "2026-09-30",
  "2026Q1": "2026-03-31",
  "H1 2027": "2027-06-30",
  "January 2027": "2027-01-31",
  "Jan 2027": "2027-01-31",
  "Jan-27": "2027-01-31",
  "2027-03": "2027-03-31",
  "03/2027": "2027-03-31",
  "February 2028": "2028-02-29",
  "2027": "2027-12-31",
  "CY2027": "2027-12-31",
  " TBD ": null,
  "n/a": null,
  "–": null,
};

Deno.test("Dates are read as people and tools write them", () => {
  for (const [text, date] of Object.entries(DATES)) assertEquals(readDate(text), { date }, text);
});

/** What cannot be read, and why. */
const UNREADABLE: Record<string, RegExp> = {
  "03/04/2026": /either number may be the month: .* "DD\/MM\/YYYY" or "MM\/DD\/YYYY"$/,
  "03-04-2026": /either number may be the month: .* "DD-MM-YYYY" or "MM-DD-YYYY"$/,
  "03/04/26": /neither "Q# YYYY" nor "YYYY-MM-DD"$/,
  "2026-02-30": /neither/,
  "31.04.2026": /neither/,
  "13/13/2026": /neither/,
  "2026-13": /neither/,
  "Foo 2026": /neither/,
  "Q5 2026": /neither/,
  "soon": /^is "soon", neither/,
  "1900-01-01": /not between 1970 and 2199: leave it empty where there is no date$/,
  "01.01.1900": /not between/,
  "9999-12-31": /not between/,
  "0050": /not between/,
};

Deno.test("Invalid and ambiguous dates are reported", () => {
  for (const [text, reason] of Object.entries(UNREADABLE)) {
    const read = readDate(text);
    assert("reason" in read && reason.test(read.reason), `${text}: ${JSON.stringify(read)}`);
  }
  const long = readDate(`${" 1".repeat(1_000_000)}`);
  assert("reason" in long && long.reason.length < 150);
  assertEquals(readDay("Q3 2026"), null);
});

Deno.test("A format says how dates are written", () => {
  const parse = (text: string, format: string) => parseByFormat(text, compileDateFormat(format)!);
  assertEquals(parse("03/04/2026", "DD/MM/YYYY"), "2026-04-03");
  assertEquals(parse("03/04/2026", "MM/DD/YYYY"), "2026-03-04");
  assertEquals(parse("3.4.26", "D.M.YY"), "2026-04-03");
  assertEquals(parse("Apr 2026", "MMM YYYY"), "2026-04-30");
  assertEquals(parse("2026", "YYYY"), "2026-12-31");
  assertEquals(parse("31/04/2026", "DD/MM/YYYY"), null);
  assertEquals(parse("soon", "DD/MM/YYYY"), null);
  for (const format of ["DD.MM", "dd.mm.yyyy", "YYYY YYYY", "x"]) {
    assertEquals(compileDateFormat(format), null, format);
  }
});
