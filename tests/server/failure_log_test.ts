import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { LastFailure } from "../../lib/work/failure_log.ts";

const HOUR_MS = 3_600_000;

Deno.test("Of repeated failures, each new reason is logged, and the same one once a day", () => {
  const last = new LastFailure(24 * HOUR_MS);
  const tellAt = (reason: string, hours: number) => last.isNews(reason, hours * HOUR_MS);
  assertEquals([tellAt("gone", 0), tellAt("gone", 1)], [true, false]);
  assertEquals([tellAt("wrong", 2), tellAt("gone", 3)], [true, true]);
  const hours = Array.from({ length: 56 }, (_, index) => index + 4);
  assertEquals(hours.filter((hour) => tellAt("gone", hour)), [27, 51]);
  assertEquals([last.end(), last.end()], [true, false]);
  assertEquals(tellAt("gone", 60), true);
});
