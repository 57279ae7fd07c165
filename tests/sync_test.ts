import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { FailureLog } from "../lib/import/failure_log.ts";
import { recordLog } from "./support/log.ts";

const HOUR_MS = 3_600_000;

Deno.test("Of failures in a row, each new reason is told, and the same one once a day", async () => {
  await using log = await recordLog();
  const failures = new FailureLog("roadmap.json");
  const told = () => log.lines.splice(0).map((line) => /^(\w+) .*"error":"(.*?)"/.exec(line)?.[2]);
  failures.note("gone", 0);
  failures.note("gone", HOUR_MS);
  assertEquals(told(), ["gone"]);
  failures.note("wrong", 2 * HOUR_MS);
  failures.note("gone", 3 * HOUR_MS);
  assertEquals(told(), ["wrong", "gone"]);
  for (let hour = 4; hour < 60; hour++) failures.note("gone", hour * HOUR_MS);
  assertEquals(told(), ["gone", "gone"]);
  failures.noteEnd(60);
  assertEquals(log.lines.splice(0), [
    'info roadmap.json can be read again after 60 failures {"source":"roadmap.json","failures":60}',
  ]);
  failures.note("gone", 60 * HOUR_MS);
  assertEquals(told(), ["gone"]);
});
