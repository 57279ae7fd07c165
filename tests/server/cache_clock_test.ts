import {
  deepStrictEqual as assertEquals,
  notDeepStrictEqual as assertDiffer,
} from "node:assert/strict";
import { claimWork, makeDue, releaseWork } from "../../lib/database/leases.ts";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { openPostgres } from "../../lib/database/postgres/postgres.ts";
import { sql } from "../../lib/database/sql.ts";
import { Gate } from "../../lib/http/clients/gate.ts";
import { Metrics } from "../../lib/http/server/metrics.ts";
import { UntilDataChanges } from "../../lib/http/responses/cache_rule.ts";
import type { Content } from "../../lib/http/responses/representation.ts";
import { ResponseCache } from "../../lib/http/responses/response_cache.ts";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { createScratchDatabase, TEST_DATABASE_URL, testOnDatabases } from "../support/databases.ts";
import { waitFor } from "../support/wait_for.ts";

const EVENING = "2026-07-20T23:59:50Z";
const MORNING = "2026-07-21T00:00:10Z";
const DAY = 1_440;

testOnDatabases("Across midnight and back, every response is that of its day", async (database) => {
  await using app = await serve(database, [makeItem(1, { last_modified: "2026-07-15" })]);
  const paths = ["/api/releases?modified_within_days=5", "/api/changelog?days=5"];
  const readAt = async (moment: string) => {
    app.setClock(moment);
    const answers = await Promise.all(paths.map((path) => app.fetch(path)));
    return await Promise.all(answers.map(async (answer) => [
      answer.headers.get("etag"),
      await answer.text(),
    ]));
  };
  const evening = await readAt(EVENING);
  const morning = await readAt(MORNING);
  assertDiffer(morning, evening);
  assertEquals(await readAt(EVENING), evening);
  assertEquals(await readAt(MORNING), morning);
});

/** A response cache with a clock that a test sets. */
function startCache(moment: string) {
  let now = new Date(moment);
  const clock = () => now;
  const cache = new ResponseCache({ responses: 1_000_000, addresses: 1_000 }, {
    clock,
    gate: new Gate(),
    metrics: new Metrics(),
    dataVersion: { isAway: false },
    oneState: { read: (answer) => answer() },
  });
  const rule = new UntilDataChanges({ current: 1 }, clock);
  const build = (content: Partial<Content>, meanwhile = () => {}) =>
    cache.get({
      key: "key",
      rule,
      cacheControl: "public",
      build: () =>
        Promise.resolve({ contentType: "text/plain", body: "", ...content }).finally(meanwhile),
    });
  return {
    build,
    setClock: (moment: string) => void (now = new Date(moment)),
    find: () => cache.find({ key: "key", rule })?.representation ?? null,
  };
}

Deno.test("A response built across midnight is not cached", async () => {
  const { build, setClock, find } = startCache(EVENING);
  await build({ body: "of which day?" }, () => setClock(MORNING));
  setClock(EVENING);
  assertEquals(find(), null);
  await build({ body: "of the evening" });
  assertEquals(await find()?.plain.answer().text(), "of the evening");
});

Deno.test("A short-lived response expires in time after the clock goes back", async () => {
  const { build, setClock, find } = startCache("2026-07-20T12:00:00Z");
  await build({ body: "short", shortLived: { seconds: 60 } });
  const isCachedAt = (time: string) => {
    setClock(`2026-07-20T${time}Z`);
    return find() !== null;
  };
  assertEquals(["12:00:59", "11:59:59", "12:01:00", "11:00:00"].map(isCachedAt), [
    true,
    true,
    false,
    false,
  ]);
});

testOnDatabases(
  "A copy from a clock that was ahead does not outlive its window",
  async (database) => {
    await using app = await serve(database, [makeItem(1, { feature_name: "Old" })], {
      ROADMAP_VARIANT: "b",
    });
    const look = async () => {
      const response = await app.fetch("/api/releases");
      const { data } = await response.json();
      return [data[0].feature_name, response.headers.get("x-cache")];
    };
    app.setClock("2026-08-20T12:00:00Z");
    assertEquals(await look(), ["Old", null]);
    await importItems(database, [makeItem(1, { feature_name: "New" })]);
    app.setClock("2026-07-20T12:00:00Z");
    assertEquals(await look(), ["New", null]);
    await using other = await startApp(database, { ROADMAP_VARIANT: "b" });
    await importItems(database, [makeItem(1, { feature_name: "Newest" })]);
    const { data } = await other.json("/api/releases");
    assertEquals(data[0].feature_name, "New", "the copy that is right has taken its place");
  },
);

testOnDatabases("A refresh claimed by a clock that was ahead is repeated", async (database) => {
  await using app = await serve(database, [makeItem(1, { feature_name: "Old" })], {
    ROADMAP_VARIANT: "b",
  });
  const readName = async () => (await app.json("/api/releases")).data[0].feature_name;
  assertEquals(await readName(), "Old");
  await importItems(database, [makeItem(1, { feature_name: "New" })]);
  await database.query(
    sql`update cached_responses set revalidate_until = built_at + interval '30 days'`,
  );
  app.advance(DAY * 60 + 1);
  assertEquals(await readName(), "Old");
  await waitFor("the refresh", async () => {
    app.advance(2);
    return await readName() === "New";
  });
});

testOnDatabases("Work postponed or claimed by a clock that was ahead is due", async (database) => {
  const claim = { holder: "one", seconds: 60, maxPause: 3_600 };
  const isClaimed = async () => await claimWork(database, "sync", claim) !== null;
  await makeDue(database, "sync");
  assertEquals([await isClaimed(), await isClaimed()], [true, false]);
  await database.query(sql`update schedules set held_until = now() + interval '1 day'`);
  assertEquals([await isClaimed(), await isClaimed()], [true, false]);
  await releaseWork(database, "sync", { holder: "one", seconds: 3_500, failures: 0 });
  assertEquals(await isClaimed(), false);
  await database.query(sql`update schedules set due_at = now() + interval '1 day'`);
  assertEquals([await isClaimed(), await isClaimed()], [true, false]);
});

Deno.test({
  name: "Work that another process just claimed or did is not claimed again (PostgreSQL)",
  ignore: TEST_DATABASE_URL === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const { url, drop } = await createScratchDatabase();
    const database = await openPostgres(url);
    const one = { holder: "one", seconds: 60, maxPause: 3_600 };
    const other = { ...one, holder: "other" };
    try {
      await migrate(database, await readMigrations());
      await makeDue(database, "sync");
      await database.transaction(async (begunBefore) => {
        await begunBefore.query(sql`select now()`);
        assertEquals(await claimWork(database, "sync", one) !== null, true);
        assertEquals(await claimWork(begunBefore, "sync", other), null);
        await releaseWork(database, "sync", { holder: "one", seconds: 3_600, failures: 0 });
        assertEquals(await claimWork(begunBefore, "sync", other), null);
      });
    } finally {
      await database.close();
      await drop();
    }
  },
});
