import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { testOnOne } from "../support/databases.ts";
import { readTable } from "../support/read_table.ts";
import { answerConditionally, serveSource } from "../support/servers/source_server.ts";

const event = (uid: string, ...lines: string[]) => [
  ...["BEGIN:VEVENT", `UID:${uid}`, `SUMMARY:Event ${uid}`],
  ...["DTSTART;VALUE=DATE:20261001", ...lines, "END:VEVENT"],
];
const calendar = (...events: string[][]) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", ...events.flat(), "END:VCALENDAR", ""].join("\r\n");

/** What is read of a calendar: the names, and what is left out. */
async function read(text: string) {
  const { items, leftOut, refused } = await readTable("plan.ics", text);
  return {
    ...{ count: items.length, leftOut, refused },
    names: items.map(({ feature_name }) => feature_name),
    texts: items.map(({ feature_description }) => feature_description),
  };
}

Deno.test("A series is read to its end, one without an end two years ahead", async () => {
  const rules: [rule: string, count: number][] = [
    ["FREQ=YEARLY;COUNT=4", 4],
    ["FREQ=YEARLY;UNTIL=20310101", 5],
    ["FREQ=MONTHLY;INTERVAL=6;COUNT=9", 9],
    ["FREQ=DAILY;COUNT=1200", 1_200],
    ["FREQ=WEEKLY;BYDAY=TH;UNTIL=20291001T000000Z", 157],
    ["FREQ=YEARLY", 2],
    ["FREQ=MONTHLY;BYMONTHDAY=1", 22],
  ];
  for (const [rule, count] of rules) {
    assertEquals([rule, (await read(calendar(event("a", `RRULE:${rule}`)))).count], [
      rule,
      count,
    ]);
  }
  const { refused } = await read(calendar(event("a", "RRULE:FREQ=DAILY;COUNT=6000")));
  match(refused!, /has more than 5000 events: a release does not repeat so often/);
});

Deno.test("Events that are not public are left out and counted", async () => {
  const { names, leftOut } = await read(calendar(
    event("1", "CLASS:PRIVATE"),
    event("2", "CLASS:confidential"),
    event("3", "CLASS:PUBLIC"),
    event("4"),
    event("5", "CLASS:PRIVATE", "RRULE:FREQ=YEARLY;COUNT=3"),
  ));
  assertEquals([names, leftOut], [["Event 3", "Event 4"], { private: 3 }]);
});

Deno.test("An event that is wrong does not refuse the others", async () => {
  const wrong = [
    event("1", "RRULE:FREQ=OFTEN"),
    event("1", "RRULE:COUNT=x;FREQ=YEARLY"),
    event("1", "RRULE:FREQ=YEARLY;BYMONTH=40"),
    event("1", "DURATION:soon"),
    event("1").slice(0, -1),
  ];
  for (const one of wrong) {
    const { names, leftOut } = await read(calendar(event("0"), one, event("2")));
    assertEquals([one, names, leftOut], [one, ["Event 0", "Event 2"], { unreadable: 1 }]);
  }
});

Deno.test(
  "A line that was broken without a blank goes on, and the newest of an id counts",
  async () => {
    const { names, texts, leftOut } = await read(calendar(
      event("1", "DESCRIPTION:One line", "and the rest of it", "STATUS:CONFIRMED"),
      event("2", "SEQUENCE:2", "DESCRIPTION:Second"),
      event("2", "SEQUENCE:1", "DESCRIPTION:First"),
      event("3", "DESCRIPTION:Earlier"),
      event("3", "DESCRIPTION:Later"),
    ));
    assertEquals([names, leftOut], [["Event 1", "Event 2", "Event 3"], {}]);
    assertEquals(texts, ["One line and the rest of it", "Second", "Later"]);
  },
);

testOnOne(
  "A series without an end goes on, although its server calls the calendar unchanged",
  async (database) => {
    const rules = ["FREQ=MONTHLY", "FREQ=MONTHLY;COUNT=60"];
    for (const [at, rule] of rules.entries()) {
      const text = calendar(event("a", `RRULE:${rule}`));
      await using server = serveSource((request) => answerConditionally(request, '"1"', text));
      const read = (asOf: string) =>
        importLocation(database, server.url, { asOf, sourceName: rule, kind: "ics" });
      assertEquals((await read("2026-08-20")).added, [23, 60][at]);
      assertEquals((await read("2026-11-20")).added, [3, 0][at]);
      assertEquals(server.asked, ["/ 200", ["/ 200", "/ 304"][at]]);
    }
  },
);
