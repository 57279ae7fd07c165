import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { readSource } from "../../lib/import/read_source.ts";
import { TODAY } from "../support/app.ts";

/** Lines that no calendar should have, in an event that starts on a day. */
const ODD = [
  "RRULE:FREQ=DAILY;BYDAY=1MO",
  "RRULE:FREQ=DAILY;BYMONTHDAY=30;BYMONTH=2",
  "RRULE:FREQ=MONTHLY;BYDAY=6MO",
  "RRULE:FREQ=MONTHLY;INTERVAL=99999999",
  "RRULE:FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1",
  "RRULE:",
  "CREATED:yesterday",
  "RDATE:garbage",
  "DURATION:P",
  "DTEND:never",
];

Deno.test("An event that cannot be read is left out, and takes no other with it", async () => {
  const file = await Deno.makeTempFile({ suffix: ".ics" });
  for (const line of ODD) {
    const events = ["DTEND:20260202T100000Z", line].map((
      line,
      at,
    ) => [
      "BEGIN:VEVENT",
      `UID:${at}`,
      `SUMMARY:Event ${at}`,
      "DTSTART:20260201T100000Z",
      line,
      "END:VEVENT",
    ]);
    const lines = ["BEGIN:VCALENDAR", "VERSION:2.0", ...events.flat(), "END:VCALENDAR", ""];
    await Deno.writeTextFile(file, lines.join("\r\n"));
    const { read } = (await readSource(file, { asOf: TODAY }))!;
    const { rowCount, problems, leftOut } = read;
    assertEquals([line, rowCount, problems.total, leftOut], [line, 1, 0, {
      private: 0,
      unreadable: 1,
    }]);
  }
  await Deno.remove(file);
});
