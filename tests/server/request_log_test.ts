import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { recordLog } from "../support/log.ts";

testOnDatabases("A log line has the path once, and shortens a long one", async (database) => {
  await using app = await startApp(database);
  await using log = await recordLog();
  for (const path of [`/${"x".repeat(60_000)}`, "/robots.txt", "/robots.txt"]) {
    await (await app.fetch(path)).body?.cancel();
  }
  const [long, robots, ...cached] = log.lines;
  assertEquals(long!.length < 2_000, true, long);
  match(robots!, /^info GET \/robots\.txt 200 \{.*"path":"\/robots\.txt"/);
  assertEquals(cached, []);
});

testOnDatabases("A proxy missing in TRUSTED_PROXIES is logged once", async (database) => {
  const warningsWith = async (settings: Record<string, string>, headers: HeadersInit) => {
    await using app = await startApp(database, settings);
    await using log = await recordLog();
    for (let request = 0; request < 120; request++) {
      await (await app.fetch(`/api/releases?page=${request + 1}`, { headers })).body?.cancel();
    }
    return log.lines.filter((line) => line.startsWith("warning"));
  };
  const forwarded = { "X-Forwarded-For": "203.0.113.7" };
  const [warning, ...more] = await warningsWith({}, forwarded);
  match(warning!, /^warning Requests come through a proxy at local, but TRUSTED_PROXIES is 0/);
  assertEquals(more, []);
  assertEquals(await warningsWith({ TRUSTED_PROXIES: "1" }, forwarded), []);
  assertEquals(await warningsWith({}, {}), []);
});
