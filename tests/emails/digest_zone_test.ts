import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import fc from "fast-check";
import { readConfig } from "../../lib/config/config.ts";
import { describeCadence, latestSlot, nextSlot, WEEKDAYS } from "../../lib/text/cadence.ts";
import { slowTest } from "../support/slow.ts";

const HOUR = 3600_000;
/** Both ends of 2026, a year in which the clocks of most of these zones change twice. */
const [FIRST, LAST] = [Date.parse("2026-01-01T00:00Z"), Date.parse("2027-01-01T00:00Z")];
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe", // its clocks change by half an hour
  "Pacific/Auckland",
  "Asia/Kathmandu",
];

function timesOf(zone: string, time = "07:00", weekday = "monday") {
  const settings = { DIGEST_ZONE: zone, DIGEST_TIME: time, DIGEST_WEEKDAY: weekday };
  return readConfig(settings).digestTimes!;
}

/** Weekday and time as a clock in the zone shows them. */
function clockOf(moment: Date, zone: string): { weekday: string; time: string } {
  const shown = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...options }).format(moment);
  return {
    weekday: shown({ weekday: "long" }).toLowerCase(),
    time: shown({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  };
}

/** All moments of a year, by going from each to the next. */
function slotsOf(cadence: "daily" | "weekly", times: ReturnType<typeof timesOf>): Date[] {
  const slots = [];
  let slot = nextSlot(cadence, new Date(FIRST - 1), times);
  for (; slot.getTime() < LAST; slot = nextSlot(cadence, slot, times)) slots.push(slot);
  return slots;
}

slowTest("Digests go out at the same time of the zone's clock all year", () => {
  for (const zone of ZONES) {
    const daily = slotsOf("daily", timesOf(zone));
    assertEquals([zone, daily.length], [zone, 365]);
    assertEquals(new Set(daily.map((slot) => clockOf(slot, zone).time)), new Set(["07:00"]));
    const weekly = slotsOf("weekly", timesOf(zone, "18:30", "sunday"));
    assertEquals([zone, weekly.length], [zone, 52]);
    const shown = new Set(weekly.map((slot) => JSON.stringify(clockOf(slot, zone))));
    assertEquals(shown, new Set(['{"weekday":"sunday","time":"18:30"}']));
  }
});

Deno.test("A time that the clocks skip or repeat has one digest a day", () => {
  const skipped = slotsOf("daily", timesOf("Europe/Berlin", "02:30"));
  assertEquals(skipped.length, 365);
  const odd = skipped.filter((slot) => clockOf(slot, "Europe/Berlin").time !== "02:30");
  assertEquals(odd.map((slot) => slot.toISOString()), ["2026-03-29T01:30:00.000Z"]);
  const repeated = skipped.filter((slot) => slot.toISOString().startsWith("2026-10-25"));
  assertEquals(repeated.map((slot) => slot.toISOString()), ["2026-10-25T00:30:00.000Z"]);
});

Deno.test("The last moment and the next one lie around each moment, with none between", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.constantFrom("daily" as const, "weekly" as const),
      fc.constantFrom(...WEEKDAYS),
      fc.integer({ min: 0, max: 24 * 60 - 1 }),
      fc.integer({ min: FIRST, max: LAST }),
      (zone, cadence, weekday, minute, at) => {
        const time = [Math.floor(minute / 60), minute % 60].map((n) => String(n).padStart(2, "0"));
        const times = timesOf(zone, time.join(":"), weekday);
        const now = new Date(at);
        const [last, next] = [latestSlot(cadence, now, times), nextSlot(cadence, now, times)];
        assert(last <= now && now < next);
        const hours = (next.getTime() - last.getTime()) / HOUR;
        assert(Math.abs(hours - (cadence === "daily" ? 24 : 168)) <= 1, `${hours} hours`);
        assertEquals(nextSlot(cadence, last, times), next);
        assertEquals(latestSlot(cadence, next, times), next);
        assertEquals(latestSlot(cadence, new Date(next.getTime() - 1), times), last);
      },
    ),
  );
});

Deno.test("Sentences name the zone of a digest's time", () => {
  assertEquals(describeCadence("weekly", timesOf("UTC")), "every Monday at 07:00 UTC");
  assertEquals(
    describeCadence("daily", timesOf("europe/berlin")),
    "every day at 07:00 (Europe/Berlin)",
  );
});
