import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { type Database, DatabaseBusy } from "../../lib/database/database.ts";
import { openEmbedded } from "../../lib/database/embedded/embedded.ts";
import { sql } from "../../lib/database/sql.ts";
import { represent } from "../../lib/http/responses/representation.ts";
import { SharedResponses } from "../../lib/http/responses/shared_responses_sql.ts";
import { importItems, makeItem, serve, startApp, type TestApp } from "../support/app.ts";
import { copyMigrated, testOnDatabases } from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { waitFor } from "../support/wait_for.ts";
import { watchDatabase } from "../support/watched_database.ts";
import { recordLog } from "../support/log.ts";
import { slowTest } from "../support/slow.ts";

const HOUR = 3_600;

const B = { ROADMAP_VARIANT: "b" };

const PATH = "/api/releases";

async function look(app: TestApp, path = PATH): Promise<{ name: string; cache: string | null }> {
  const response = await app.fetch(path);
  assertEquals(response.status, 200);
  const { data } = await response.json();
  return { name: data[0].feature_name, cache: response.headers.get("x-cache") };
}

testOnDatabases("A copy is fresh for 24 h, then stale while it is refreshed", async (database) => {
  await using app = await serve(database, [makeItem(1, { feature_name: "Old" })], B);
  assertEquals(await look(app), { name: "Old", cache: null });
  await importItems(database, [makeItem(1, { feature_name: "New" })]);
  app.advance(24 * HOUR - 1);
  assertEquals(await look(app), { name: "Old", cache: null });
  app.advance(2);
  assertEquals(await look(app), { name: "Old", cache: "STALE" });
  await waitFor("the refreshed copy", async () => {
    app.advance(2);
    return (await look(app)).name === "New";
  });
  assertEquals(await look(app), { name: "New", cache: null });
});

testOnDatabases("After the stale window the response is rebuilt", async (database) => {
  await using app = await serve(database, [makeItem(1, { feature_name: "Old" })], B);
  await look(app);
  await importItems(database, [makeItem(1, { feature_name: "New" })]);
  app.advance(48 * HOUR);
  assertEquals(await look(app), { name: "New", cache: null });
});

testOnDatabases("The windows are settings", async (database) => {
  await importItems(database, [makeItem(1, { feature_name: "Old" })]);
  const settings = { ...B, CACHE_FRESH_SECONDS: "60", CACHE_STALE_SECONDS: "30" };
  await using app = await startApp(database, settings);
  await look(app);
  await importItems(database, [makeItem(1, { feature_name: "New" })]);
  app.advance(59);
  assertEquals(await look(app), { name: "Old", cache: null });
  app.advance(31);
  assertEquals(await look(app), { name: "New", cache: null });
});

testOnDatabases("History, filter options, feeds and items are copies too", async (database) => {
  await using app = await serve(database, [makeItem(1)], B);
  const id = makeItem(1).release_item_id;
  const paths = [
    `/api/releases/history/${id}`,
    `/api/releases?release_item_id=${id}`,
    "/api/filter-options",
    "/rss",
    "/rss.xml",
    "/atom.xml",
    "/feed.json",
    "/calendar.ics",
  ];
  const textOf = async (path: string) => (await app.fetch(path)).text();
  const before = await Promise.all(paths.map(textOf));
  await importItems(database, [makeItem(1, { release_status: "Launched" })]);
  app.advance(HOUR);
  assertEquals(await Promise.all(paths.map(textOf)), before);
  app.advance(24 * HOUR);
  for (const path of paths) {
    assertEquals((await app.fetch(path)).headers.get("x-cache"), "STALE", path);
    await waitFor(`${path} anew`, async () => {
      app.advance(2);
      return await textOf(path) !== before[paths.indexOf(path)];
    });
  }
});

testOnDatabases("Every parameter is part of the cache key, including sort", async (database) => {
  await importItems(database, [
    makeItem(1, { last_modified: "2026-07-02", release_date: "2026-08-01" }),
    makeItem(2, { last_modified: "2026-07-01", release_date: "2026-09-01" }),
  ]);
  for (const settings of [{}, B]) {
    await using app = await startApp(database, settings);
    assertEquals((await look(app)).name, "Feature 1");
    for (const query of ["sort=release_date", "page_size=1&page=2", "q=feature+2"]) {
      assertEquals([query, (await look(app, `${PATH}?${query}`)).name], [query, "Feature 2"]);
    }
    const { links } = await app.json(`${PATH}?sort=release_date`);
    assertEquals(links.self.includes("sort=release_date"), true);
  }
});

testOnDatabases("A copy survives a restart, and a second process shares it", async (database) => {
  await importItems(database, [makeItem(1, { feature_name: "Old" })]);
  const watched = watchDatabase(database);
  {
    await using app = await startApp(watched, B);
    await look(app);
  }
  await importItems(database, [makeItem(1, { feature_name: "New" })]);
  watched.takeCount();
  await using restarted = await startApp(watched, B);
  restarted.advance(HOUR);
  assertEquals(await look(restarted), { name: "Old", cache: null });
  assertEquals(watched.takeCount(), 0);
  restarted.advance(24 * HOUR);
  await using later = await startApp(watched, B);
  later.advance(25 * HOUR);
  assertEquals(await look(later), { name: "Old", cache: "STALE" });
  await waitFor("the refresh", async () => {
    later.advance(2);
    return (await look(later)).name === "New";
  });
  // The other process has the old copy in memory; it looks before it calls it stale.
  assertEquals(await look(restarted), { name: "New", cache: null });
});

testOnDatabases("A failed refresh is logged, and the stale copy stays", async (database) => {
  await importItems(database, [makeItem(1, { feature_name: "Old" })]);
  const watched = watchDatabase(database);
  await using app = await startApp(watched, B);
  await look(app);
  await importItems(database, [makeItem(1, { feature_name: "New" })]);
  app.advance(24 * HOUR);
  await using log = await recordLog();
  watched.fail(new Error("Out of order"));
  assertEquals(await look(app), { name: "Old", cache: "STALE" });
  await waitFor("the log", () => log.lines.some((line) => line.includes("Out of order")));
  watched.takeCount();
  app.advance(2);
  assertEquals(await look(app), { name: "Old", cache: "STALE" });
  watched.fail(null);
  await waitFor("the refresh", async () => {
    app.advance(2);
    return (await look(app)).name === "New";
  });
  assertEquals(await look(app), { name: "New", cache: null });
});

testOnDatabases("Copies never exceed their limit", async (database) => {
  const clock = () => new Date();
  const maxBytes = 50_000;
  const bounds = { freshMs: 60_000, staleMs: 60_000, maxBytes, version: "1.0.0" };
  const copies = new SharedResponses({ forRequests: database, forJobs: database }, bounds, clock);
  const body = () => Array.from({ length: 100 }, () => crypto.randomUUID()).join(" ");
  for (let number = 0; number < 50; number++) {
    const representation = represent(
      { contentType: "text/plain", body: body() },
      { cacheControl: "public" },
      clock(),
    );
    const response = { representation, builtAt: Date.now(), expiresAt: Infinity, dataState: "" };
    await copies.store(String(number), response);
  }
  await waitFor("the pruning", async () => {
    const [{ bytes, count }] = await database.query<{ bytes: number; count: number }>(sql`
      select sum(octet_length(body))::int as bytes, count(*)::int as count from cached_responses
    `) as [{ bytes: number; count: number }];
    assert(count > 10, `Only ${count} copies are left`);
    return bytes <= maxBytes * 1.1;
  });
});

testOnDatabases(
  "A response that cannot be stored is served, and logged",
  async (database) => {
    await importItems(database, [makeItem(1, { feature_name: "Old" })]);
    let attempts = 0;
    const failing: Database = {
      ...database,
      query(statement, caller) {
        if (!/insert into cached_responses/.test(statement.compile().text)) {
          return database.query(statement, caller);
        }
        attempts++;
        return Promise.reject(new DatabaseBusy("Too much to do"));
      },
    };
    await using app = await startApp(failing, B);
    await using log = await recordLog();
    assertEquals(await look(app), { name: "Old", cache: null });
    assertEquals(log.lines.filter((line) => /Cannot store .*Too much to do/.test(line)).length, 1);
    // It is in the memory of this process.
    await importItems(database, [makeItem(1, { feature_name: "New" })]);
    assertEquals([await look(app), attempts], [{ name: "Old", cache: null }, 1]);
  },
);

testOnDatabases("A copy built by another version is not used", async (database) => {
  const clock = () => new Date();
  const bounds = { freshMs: 60_000, staleMs: 60_000, maxBytes: 1_000_000 };
  const databases = { forRequests: database, forJobs: database };
  const openFor = (version: string) =>
    new SharedResponses(databases, { ...bounds, version }, clock);
  const representation = represent({ contentType: "text/plain", body: "Hi" }, {
    cacheControl: "public",
  }, clock());
  const response = { representation, builtAt: Date.now(), expiresAt: Infinity, dataState: "" };
  await openFor("1.0.0").store("key", response);
  const loaded = await openFor("1.0.0").load("key");
  assertEquals(await loaded?.representation.plain.answer().text(), "Hi");
  assertEquals(await openFor("1.1.0").load("key"), null);
});

testOnDatabases("Copies are compressed, and not in the write-ahead log", async (database) => {
  await using app = await serve(database, [
    makeItem(1, { feature_description: "word ".repeat(4_000) }),
  ], B);
  const { length } = JSON.stringify(await app.json(PATH));
  const [copy] = await database.query<{ bytes: number; relpersistence: string }>(sql`
    select octet_length(body) as bytes, relpersistence
    from cached_responses, pg_class where relname = 'cached_responses'
  `);
  assert(copy!.bytes < length / 10, `${copy!.bytes} of ${length} bytes`);
  assertEquals(copy!.relpersistence, "u"); // unlogged
});

slowTest("A copy survives closing the embedded database", () =>
  withFolder(async (folder) => {
    await copyMigrated(folder);
    for (const name of ["Old", "New"]) {
      const database = await openEmbedded(folder);
      await using app = await serve(database, [makeItem(1, { feature_name: name })], B);
      assertEquals(await look(app), { name: "Old", cache: null });
      await database.close();
    }
  }));
