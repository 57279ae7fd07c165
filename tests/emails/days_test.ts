import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import fc from "fast-check";
import type { Database } from "../../lib/database/database.ts";
import { readConfig } from "../../lib/config/config.ts";
import { queueDueDigests } from "../../lib/delivery/digests/digest_schedule.ts";
import { describeCadence, latestSlot, nextSlot, WEEKDAYS } from "../../lib/text/cadence.ts";
import { makeItem } from "../support/app.ts";
import { emptyDatabase, testOnDatabases } from "../support/databases.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";
import { NOW, startDigests } from "../support/subjects/digests.ts";
import { postForm } from "../support/subjects/subscribing.ts";

const DAY_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const zone = fc.constantFrom(
  "UTC",
  "Pacific/Auckland",
  "America/Los_Angeles",
  "Europe/Berlin",
  "Asia/Kathmandu",
  "Australia/Lord_Howe", // its clocks change by half an hour
  "Pacific/Kiritimati", // 14 hours ahead
  "Pacific/Pago_Pago", // 11 hours behind
);
/** A time of the day as `HH:MM`. */
const time = fc.tuple(
  fc.integer({ min: 0, max: 23 }),
  fc.oneof(fc.constantFrom(0, 30, 59), fc.integer({ min: 0, max: 59 })),
).map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"));

/** The days after the first one, `YYYY-MM-DD`. */
function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** What a clock on a wall of the zone shows, as `YYYY-MM-DD HH:MM`. */
function onWall(moment: number, timeZone: string): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" })
    .format(moment);
}

/** The first moment at which a clock on a wall shows this time of a day, or a later one. */
function momentOf(day: string, time: string, zone: string): number {
  const from = Date.parse(day) - DAY_MS;
  let [before, after] = [from, from + 3 * DAY_MS];
  while (after - before > MINUTE_MS) {
    const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS;
    if (onWall(middle, zone) < `${day} ${time}`) before = middle;
    else after = middle;
  }
  return after;
}

interface Case {
  zone: string;
  time: string;
  /** The day on which it begins. */
  first: string;
  /** In how many days releases are planned, and pauses end; each has a subscriber. */
  planned: number[];
  pauses: number[];
}

/** Runs the schedule until all days are over, a minute before its moment of each day and at it. */
async function play(database: Database, { zone, time, first, planned, pauses }: Case) {
  await emptyDatabase(database);
  const settings = { DIGEST_ZONE: zone, DIGEST_TIME: time };
  await using services = await startDigests(database, settings);
  const config = readConfig(settings);
  let now = NOW.getTime();
  const moveTo = (moment: number) => {
    services.advance((moment - now) / 1000);
    now = moment;
  };
  const look = async () => {
    await queueDueDigests({ database, times: config.digestTimes!, clock: () => new Date(now) });
    return (await services.send()).map(({ envelopeTo, subject }) => `${envelopeTo[0]}: ${subject}`);
  };
  moveTo(momentOf(first, time, zone));
  const watched = planned.map((days, place) =>
    makeItem(place + 1, { release_date: addDays(first, days), last_modified: null })
  );
  await services.import(watched);
  for (const [place, { release_item_id }] of watched.entries()) {
    const asked = { releases: [release_item_id], cadence: "weekly", kinds: ["cancelled"] };
    await services.verify(`watch${place}@x.example`, asked);
  }
  const tokens: string[] = [];
  for (const [place, pause] of pauses.entries()) {
    const email = `pause${place}@x.example`;
    await services.verify(email, { cadence: "daily" });
    const link = new URL(linkOf(services.newestTo(email), "/preferences"));
    tokens.push(link.searchParams.get("token")!);
    const posted = { token: tokens[place]!, cadence: "daily", paused_until: addDays(first, pause) };
    assertEquals((await postForm(services.app, "/roadmap/preferences", posted)).status, 200);
  }
  await look();
  for (let day = 1; day <= Math.max(...planned, ...pauses) + 1; day++) {
    const today = addDays(first, day);
    const about = () => `${onWall(now, zone)} in ${zone}, day ${day} of ${planned} and ${pauses}`;
    const items = Array.from({ length: day }, (_, place) => makeItem(place + 100));
    moveTo(momentOf(today, time, zone) - 2 * MINUTE_MS);
    await services.import([...watched, ...items]);
    moveTo(momentOf(today, time, zone) - MINUTE_MS);
    assertEquals(await look(), [], about());
    moveTo(momentOf(today, time, zone));
    const told = await look();
    const isReminded = (place: number) => [1, 7].includes(planned[place]! - day);
    assertEquals(
      // Several connections send at once.
      told.map((line) => line.split(":")[0]).toSorted(),
      [
        ...pauses.flatMap((pause, place) => day >= pause ? [`pause${place}@x.example`] : []),
        ...planned.flatMap((_, place) => isReminded(place) ? [`watch${place}@x.example`] : []),
      ],
      about(),
    );
    for (const [place, days] of planned.entries()) {
      const reminder = told.find((line) => line.startsWith(`watch${place}@`));
      if (reminder) match(reminder, days - day === 1 ? /for tomorrow|ends tomorrow/ : /in 7 days/);
    }
    for (const [place, pause] of pauses.entries()) {
      const path = `/roadmap/preferences?token=${tokens[place]}`;
      const html = await (await services.app.fetch(path)).text();
      const field = (name: string) =>
        new RegExp(`name="paused_until"[^>]*${name}="([^"]*)"`).exec(html)?.[1];
      assertEquals(/is paused until/.test(html), day < pause, about());
      assertEquals(field("min"), today);
      assertEquals(field("value") ?? "", day < pause ? addDays(first, pause) : "");
    }
  }
}

testOnDatabases("A day begins where DIGEST_ZONE has its midnight", async (database) => {
  const zones = { "Pacific/Auckland": "07:00", "America/Los_Angeles": "20:00" };
  for (const [zone, time] of Object.entries(zones)) {
    await play(database, { zone, time, first: "2026-07-21", planned: [2], pauses: [2] });
  }
});

slowOnDatabases("Reminders and pauses keep to the days of any zone", async (database) => {
  const days = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 3, maxLength: 3 });
  // Clocks change on 29 March and 25 October in Berlin.
  const first = fc.constantFrom("2026-07-21", "2026-10-20", "2027-03-20", "2026-12-26");
  await fc.assert(
    fc.asyncProperty(
      fc.record({ zone, time, first, planned: days, pauses: days }),
      (one) => play(database, one),
    ),
    { numRuns: runs(6, database) },
  );
});

function timesOf(zone: string, time = "07:00", weekday = "monday") {
  const settings = { DIGEST_ZONE: zone, DIGEST_TIME: time, DIGEST_WEEKDAY: weekday };
  return readConfig(settings).digestTimes!;
}

Deno.test("Digests have the same time of the zone's clock all year, with none between", () => {
  fc.assert(fc.property(
    zone,
    fc.constantFrom("daily" as const, "weekly" as const),
    fc.constantFrom(...WEEKDAYS),
    time,
    // The clocks of most of these zones change twice in it.
    fc.date({ min: new Date("2026-01-01"), max: new Date("2027-01-01"), noInvalidDate: true }),
    (zone, cadence, weekday, time, now) => {
      const times = timesOf(zone, time, weekday);
      const [last, next] = [latestSlot(cadence, now, times), nextSlot(cadence, now, times)];
      assert(last <= now && now < next);
      const between = next.getTime() - last.getTime();
      assert(Math.abs(between - (cadence === "daily" ? 1 : 7) * DAY_MS) <= HOUR_MS, `${between}`);
      assertEquals(nextSlot(cadence, last, times), next);
      assertEquals(latestSlot(cadence, next, times), next);
      assertEquals(latestSlot(cadence, new Date(next.getTime() - 1), times), last);
      const [day, shown] = onWall(next.getTime(), zone).split(" ");
      // Where the clock skips the time, the first moment behind it is meant.
      if (shown !== time) assertEquals(next.getTime(), momentOf(day!, time, zone));
      const options = { weekday: "long", timeZone: "UTC" } as const;
      const shownDay = new Intl.DateTimeFormat("en", options).format(new Date(day!)).toLowerCase();
      if (cadence === "weekly") assertEquals(shownDay, weekday);
    },
  ));
});

Deno.test("A time that the clocks skip or repeat has one digest a day", () => {
  const times = timesOf("Europe/Berlin", "02:30");
  const after = (moment: string) => nextSlot("daily", new Date(moment), times).toISOString();
  const days = ["2026-03-28T01:30:00.000Z", "2026-03-29T01:30:00.000Z", "2026-03-30T00:30:00.000Z"];
  assertEquals(after(days[0]!), days[1]);
  assertEquals(after(days[1]!), days[2]);
  assertEquals(after("2026-10-24T00:30:00.000Z"), "2026-10-25T00:30:00.000Z");
  assertEquals(after("2026-10-25T00:30:00.000Z"), "2026-10-26T01:30:00.000Z");
});

Deno.test("Sentences name the zone of a digest's time", () => {
  assertEquals(describeCadence("weekly", timesOf("UTC")), "every Monday at 07:00 UTC");
  assertEquals(
    describeCadence("daily", timesOf("europe/berlin")),
    "every day at 07:00 (Europe/Berlin)",
  );
});
