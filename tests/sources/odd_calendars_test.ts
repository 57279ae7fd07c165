import { deepStrictEqual as assertEquals, ok as assert, rejects } from "node:assert/strict";
import ICAL from "ical.js";
import { ics } from "../../lib/import/kinds/ics.ts";
import type { Document } from "../../lib/import/kinds/kind.ts";
import { TODAY } from "../support/app.ts";
import type { Table } from "../../lib/import/mapping/table.ts";

/** Reads a calendar in this process, where steps can be counted. */
async function read(...entries: readonly (readonly string[])[]): Promise<Table> {
  const lines = ["BEGIN:VCALENDAR", "VERSION:2.0", ...entries.flat(), "END:VCALENDAR", ""];
  const document: Document = {
    shown: "plan.ics",
    address: "plan.ics",
    bytes: new TextEncoder().encode(lines.join("\r\n")),
    contentType: null,
    charset: null,
    link: null,
    headers: {},
  };
  return await ics.read({
    location: "plan.ics",
    open: () => Promise.resolve(document),
    columns: [],
    settings: { github: { apiUrl: "" }, gitlab: { url: "" } },
    asOf: TODAY,
  });
}

const event = (uid: string, ...lines: string[]) => [
  "BEGIN:VEVENT",
  `UID:${uid}`,
  `SUMMARY:Event ${uid}`,
  ...lines,
  "END:VEVENT",
];
const START = "DTSTART:20260201T100000Z";
const daysOf = ({ rows }: Table) =>
  (rows as Record<string, string>[]).map((row) => row["LAST-DAY"]);

/** All properties of an event that are read, and some that are not. */
const PROPERTIES = [
  ...["DTSTART", "DTEND", "DUE", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID"],
  ...["CREATED", "LAST-MODIFIED", "SEQUENCE", "CLASS", "STATUS", "CATEGORIES", "URL", "UID"],
  ...["COMPLETED", "DESCRIPTION", "X-ODD", "PRIORITY", "GEO"],
];
/** Values that no property should have, or no two of them. */
const VALUES = [
  "",
  "garbage",
  "-1",
  "99999999999999999999",
  "20260230",
  "00000000T000000",
  "99991231T235959Z",
  "20260201T250000Z",
  "20260201T100000Z/PT1H",
  "P",
  "P99999999999D",
  "-P99999999999W",
  "PT9999999999999999S",
  "FREQ=DAILY;INTERVAL=99999999",
  "FREQ=MONTHLY;INTERVAL=1200;BYDAY=5MO",
  "FREQ=MONTHLY;INTERVAL=99999999",
  "FREQ=SECONDLY;INTERVAL=99999999999",
  "FREQ=YEARLY;INTERVAL=0",
  "FREQ=DAILY;INTERVAL=-5",
  "FREQ=DAILY;BYDAY=1MO",
  "FREQ=DAILY;BYMONTHDAY=30;BYMONTH=2",
  "FREQ=YEARLY;BYMONTHDAY=30;BYMONTH=2",
  "FREQ=HOURLY;BYMONTHDAY=31;BYMONTH=2",
  "FREQ=MONTHLY;BYDAY=6MO",
  "FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1",
  "FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO,TU,WE;BYSETPOS=99",
  "FREQ=OFTEN",
  "FREQ=DAILY;COUNT=x",
  "FREQ=DAILY;UNTIL=never",
  "FREQ=YEARLY;BYMONTH=40",
  "COUNT=3",
];

/** Counts how often a calendar's days are walked while something is done. */
async function countSteps(act: () => Promise<unknown>): Promise<number> {
  const { daysInMonth } = ICAL.Time;
  let steps = 0;
  ICAL.Time.daysInMonth = (month, year) => {
    steps++;
    return daysInMonth(month, year);
  };
  try {
    await act();
  } finally {
    ICAL.Time.daysInMonth = daysInMonth;
  }
  return steps;
}

Deno.test("Whatever a property holds, the other events stay, and little is walked", async () => {
  for (const name of PROPERTIES) {
    for (const parameter of ["", ";TZID=Nowhere/None", ";VALUE=DATE"]) {
      for (const value of VALUES) {
        const line = `${name}${parameter}:${value}`;
        for (const others of [[], [START], [START, "RRULE:FREQ=WEEKLY;COUNT=3"]]) {
          let rows: string[] = [];
          const steps = await countSteps(async () => {
            const { rows: read } = await readBetween(event("odd", ...others, line));
            rows = read;
          });
          assert(rows.includes("before") && rows.includes("after"), `${line} took the others`);
          assert(steps < 400_000, `${line} walked ${steps} steps`);
        }
      }
    }
  }
});

async function readBetween(odd: string[]): Promise<{ rows: string[] }> {
  const { rows } = await read(event("before", START), odd, event("after", START));
  return { rows: (rows as { UID: string }[]).map(({ UID }) => UID) };
}

Deno.test("An event that cannot be read is counted", async () => {
  const odd = [
    "RECURRENCE-ID:garbage",
    "RRULE:FREQ=DAILY;INTERVAL=99999999",
    "RRULE:FREQ=MONTHLY;INTERVAL=1200;BYDAY=5MO",
    "RRULE:FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1",
    "RRULE:",
    "DURATION:P99999999999D",
    "DURATION:P",
    "CREATED:yesterday",
    "RDATE:garbage",
    "DTEND:never",
  ];
  for (const line of odd) {
    const { rows, leftOut } = await read(event("1", START), event("2", START, line));
    assertEquals([line, rows.length, leftOut], [line, 1, { private: 0, unreadable: 1 }]);
  }
  const changed = await read(
    event("1", START, "RRULE:FREQ=WEEKLY;COUNT=2"),
    event("1", "DTSTART:20260301T100000Z", "RECURRENCE-ID:garbage"),
  );
  assertEquals([daysOf(changed), changed.leftOut], [["2026-02-01", "2026-02-08"], {
    private: 0,
    unreadable: 1,
  }]);
});

Deno.test("A calendar whose rules walk for ever is refused, or they are left out", async () => {
  const rule = "RRULE:FREQ=DAILY;BYMONTHDAY=30;BYMONTH=2";
  const many = Array.from({ length: 100 }, (_, at) => event(String(at), START, rule));
  const steps = await countSteps(() =>
    rejects(read(...many), /its series are too long to be releases/)
  );
  assert(steps < 6_000_000, String(steps));
  const zone = (rrule: string) => [
    ...["BEGIN:VTIMEZONE", "TZID:Ours", "BEGIN:STANDARD", "DTSTART:19700101T000000"],
    ...["TZOFFSETFROM:+0100", "TZOFFSETTO:+0100", rrule, "END:STANDARD", "END:VTIMEZONE"],
  ];
  const start = "DTSTART;TZID=Ours:20270111T101500";
  const broken = await read(zone("RRULE:FREQ=DAILY;INTERVAL=99999999"), event("1", start));
  assertEquals(daysOf(broken), ["2027-01-11"]);
});

Deno.test("An occurrence is named by its moment, in any zone, with or without a VTIMEZONE", async () => {
  const berlin = ["DTSTART;TZID=Europe/Berlin:20270111T101500", "RRULE:FREQ=WEEKLY;COUNT=4"];
  const names = [
    "RECURRENCE-ID:20270118T091500Z",
    "RECURRENCE-ID;TZID=Europe/Berlin:20270118T101500",
    "RECURRENCE-ID;TZID=America/New_York:20270118T041500",
    "RECURRENCE-ID;TZID=/example.org/20260101/Asia/Tokyo:20270118T181500",
    "RECURRENCE-ID:20270118T101500",
    "RECURRENCE-ID;VALUE=DATE:20270118",
  ];
  for (const name of names) {
    const { rows } = await read(
      event("1", ...berlin),
      event("1", "DTSTART;TZID=Europe/Berlin:20270118T101500", name, "STATUS:CANCELLED"),
    );
    const statuses = (rows as { STATUS: string | null }[]).map(({ STATUS }) => STATUS);
    assertEquals([name, statuses], [name, [null, "Cancelled", null, null]]);
    const out = await read(event("1", ...berlin, name.replace("RECURRENCE-ID", "EXDATE")));
    assertEquals([name, daysOf(out)], [name, ["2027-01-11", "2027-01-25", "2027-02-01"]]);
  }
  const monthly = await read(event(
    "1",
    "DTSTART;TZID=America/New_York:20270123T190000",
    "RRULE:FREQ=MONTHLY;COUNT=3",
    "EXDATE:20270101T000000Z,20270102T000000Z,20270224T000000Z",
  ));
  assertEquals(daysOf(monthly), ["2027-01-23", "2027-03-23"]);
  // A clock that jumps between two occurrences moves their moment, not their hour.
  const summer = await read(event(
    "1",
    "DTSTART;TZID=Europe/Berlin:20270321T233000",
    "RRULE:FREQ=WEEKLY;COUNT=3",
    "EXDATE:20270328T213000Z",
  ));
  assertEquals(daysOf(summer), ["2027-03-21", "2027-04-04"]);
});

Deno.test("A to-do is due on a day, and its status counts", async () => {
  const todo = (uid: string, ...lines: string[]) => [
    "BEGIN:VTODO",
    `UID:${uid}`,
    `SUMMARY:To do ${uid}`,
    ...lines,
    "END:VTODO",
  ];
  const { rows } = await read(
    todo("1", "DUE;VALUE=DATE:20270131", "STATUS:NEEDS-ACTION"),
    todo("2", "DUE:20270131T000000Z", "STATUS:IN-PROCESS"),
    todo("3", "DTSTART;VALUE=DATE:20270130", "DURATION:P2D", "COMPLETED:20270131T100000Z"),
    todo("4", "DUE;VALUE=DATE:20270131", "DTSTART;VALUE=DATE:20270131", "RRULE:FREQ=WEEKLY"),
    todo("5", "CLASS:PRIVATE"),
  );
  assertEquals(
    (rows as Record<string, string>[]).map((row) => [row.UID, row["LAST-DAY"], row.STATUS]),
    [
      ["1", "2027-01-31", "Needs action"],
      ["2", "2027-01-31", "In process"],
      ["3", "2027-01-31", "Completed"],
      ["4", "2027-01-31", null],
    ],
  );
});

Deno.test("A series of many events is said, with the mapping that leaves it out", async () => {
  const weekly = event("1", START, "RRULE:FREQ=WEEKLY;COUNT=13");
  const { notes, rows } = await read(weekly, event("2", START));
  assertEquals([rows.length, notes], [14, [
    '"Event 1" is a series of 13 events, each of which is read as a release; if it is a meeting, ' +
    'leave it out with a mapping: {"where":{"SUMMARY":{"not":"Event 1"}}}',
  ]]);
  const few = await read(event("1", START, "RRULE:FREQ=WEEKLY;COUNT=12"));
  assertEquals(few.notes, []);
});
