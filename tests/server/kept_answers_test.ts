import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { readConfig } from "../../lib/config/config.ts";
import { createApp } from "../../routes/app.ts";
import { divideCacheMemory, startService } from "../../lib/service/start_service.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { waitFor } from "../support/wait_for.ts";
import { watchDatabase } from "../support/watched_database.ts";

const MEGABYTE = 1024 * 1024;
const ITEMS = Array.from({ length: 30 }, (_, index) => makeItem(index));

testOnDatabases("Concurrent requests for one response build it once", async (database) => {
  await importItems(database, ITEMS);
  const watched = watchDatabase(database);
  await using app = await startApp(watched, { ROADMAP_VARIANT: "both" });
  await app.json("/api/releases");
  watched.takeCount();
  for (const site of ["", "/b"]) {
    await app.json(`${site}/api/releases?q=${site}alone`);
    const alone = watched.takeCount();
    assert(alone > 0);
    const path = `${site}/api/releases?q=${site}together`;
    const responses = await Promise.all(Array.from({ length: 20 }, () => app.fetch(path)));
    assertEquals(new Set(responses.map(({ status }) => status)), new Set([200]));
    const bodies = await Promise.all(responses.map((response) => response.text()));
    assertEquals(new Set(bodies).size, 1);
    assertEquals(watched.takeCount(), alone);
    await app.json(path);
    assertEquals(watched.takeCount(), 0);
  }
});

testOnDatabases("Order and defaults of parameters do not matter", async (database) => {
  await importItems(database, ITEMS);
  const service = await startService(database, readConfig({ ROADMAP_VARIANT: "both" }));
  const app = createApp(service);
  const ask = async (path: string) =>
    await (await app(new Request(`http://localhost${path}`))).text();
  const same = [
    ["/api/releases?product_name=Product&page=2", "/api/releases?page=2&product_name=Product"],
    [
      "/api/releases",
      "/api/releases?page=1&page_size=50&sort=last_modified&q=+&include_inactive=0",
    ],
    ["/api/releases?page_size=200", "/api/releases?page_size=500&sort=unknown&unknown=1"],
    ["/api/changelog", "/api/changelog?days=30&include_inactive=TRUE"],
    ["/rss", "/rss?limit=99&product_name="],
    ["/feed.json?limit=100", "/feed.json?limit=1000&q=+"],
    ["/calendar.ics?release_status=B&q=x", "/calendar.ics?q=+x&release_status=B&limit=1000"],
    ["/b/api/releases", "/b/api/releases?include_inactive=true&sort=last_modified"],
    [
      `/api/releases?release_item_id=${makeItem(10).release_item_id}`,
      `/api/releases?page=7&q=x&release_item_id=${makeItem(10).release_item_id}`,
    ],
  ];
  for (const [first, second] of same) {
    const keptBefore = service.responseCache.size.count;
    const built = await ask(first!);
    assertEquals([first, service.responseCache.size.count], [first, keptBefore + 1]);
    assertEquals(await ask(second!), built);
    assertEquals([second, service.responseCache.size.count], [second, keptBefore + 1]);
  }
  await service.stop();
});

testOnDatabases(
  "The lists of all forms are read once for each state of the data",
  async (database) => {
    await importItems(database, ITEMS);
    const watched = watchDatabase(database);
    await using app = await startApp(watched);
    for (const path of ["/?q=a", "/subscribe?release_type=x"]) await app.fetch(path);
    watched.takeCount();
    for (const path of ["/subscribe", "/subscribe?product_name=Product"]) {
      const { status } = await app.fetch(path);
      assertEquals([path, status, watched.takeCount()], [path, 200, 0]);
    }
    await importItems(database, [...ITEMS, makeItem(99, { product_name: "A new product" })]);
    await waitFor("the new data", async () => {
      return (await (await app.fetch("/subscribe")).text()).includes("A new product");
    });
  },
);

testOnDatabases("Known items are not queried again", async (database) => {
  await importItems(database, ITEMS);
  const watched = watchDatabase(database);
  await using app = await startApp(watched);
  const { data: [first, second] } = await app.json("/api/releases?page_size=20");
  assert(watched.takeCount() > 0);
  assertEquals(await app.json(`/api/releases?release_item_id=${first.release_item_id}`), first);
  assertEquals((await app.json("/api/releases?page_size=1&page=2")).data, [second]);
  assertEquals(watched.takeCount(), 0);
  assertEquals((await app.json("/api/releases?page_size=25")).data.length, 25);
  assertEquals(watched.takeCount(), 1);
  const renamed = ITEMS.map((item) => ({ ...item, feature_name: `New ${item.feature_name}` }));
  await importItems(watched, renamed);
  await waitFor("the new names", async () => {
    const { data } = await app.json("/api/releases?page_size=30");
    // deno-lint-ignore no-explicit-any
    return data.every((item: any) => item.feature_name.startsWith("New "));
  });
});

testOnDatabases("Cached responses never exceed their limit", async (database) => {
  await importItems(
    database,
    ITEMS.map((item) => ({
      ...item,
      feature_description: "word ".repeat(400),
    })),
  );
  const bound = MEGABYTE; // half of the memory for caches
  const service = await startService(database, readConfig({ CACHE_MEMORY_MB: "2" }));
  const app = createApp(service);
  const ask = (path: string, headers = {}) =>
    app(new Request(`http://localhost${path}`, { headers }));
  let most = 0;
  for (let number = 0; number < 60; number++) {
    const encoding = { "Accept-Encoding": ["identity", "gzip", "br"][number % 3]! };
    const response = await ask(`/api/releases?page_size=${number + 1}&q=word`, encoding);
    assertEquals(response.status, 200);
    await response.body?.cancel();
    most = Math.max(most, service.responseCache.size.bytes);
    assert(
      service.responseCache.size.bytes <= bound,
      `${service.responseCache.size.bytes} bytes after ${number}`,
    );
  }
  assert(most > bound / 2, `Only ${most} bytes were kept at most`);
  const before = service.responseCache.size.bytes;
  const keptBefore = service.responseCache.size.count;
  await (await ask("/api/releases?page_size=60&q=word", { "Accept-Encoding": "gzip" })).bytes();
  assertEquals(service.responseCache.size.count, keptBefore);
  assert(service.responseCache.size.bytes > before, "The gzip form does not count");
  await service.stop();
});

testOnDatabases("Errors are never cached", async (database) => {
  await importItems(database, ITEMS);
  const watched = watchDatabase(database);
  const service = await startService(watched, readConfig({ ROADMAP_VARIANT: "both" }));
  const app = createApp(service);
  const statusOf = async (path: string) => {
    const response = await app(new Request(`http://localhost${path}`));
    await response.body?.cancel();
    return [response.status, response.headers.get("cache-control")];
  };
  const unknown = makeItem(99).release_item_id;
  for (const site of ["", "/b"]) {
    const history = `${site}/api/releases/history/${unknown}`;
    assertEquals(await statusOf(`${site}/api/releases?page=x`), [400, "no-store"]);
    assertEquals(await statusOf(`${site}/api/releases?release_item_id=${unknown}`), [
      404,
      "no-store",
    ]);
    assertEquals(await statusOf(history), [404, "no-store"]);
    const unasked = `${site}/api/releases?q=${site}`;
    watched.fail(new Error("Out of order"));
    assertEquals(await statusOf(unasked), [500, "no-store"]);
    watched.fail(null);
    assertEquals(service.responseCache.size.count, site === "" ? 0 : 1);
    assertEquals((await statusOf(unasked))[0], 200);
  }
  await service.stop();
});

testOnDatabases("Stale responses are counted, including those from memory", async (database) => {
  await importItems(database, [makeItem(1)]);
  const watched = watchDatabase(database);
  await using app = await startApp(watched, { ROADMAP_VARIANT: "b" });
  await app.json("/api/releases");
  app.advance(25 * 3600);
  watched.fail(new Error("The answer cannot be built anew"));
  for (let request = 0; request < 3; request++) {
    const response = await app.fetch("/api/releases");
    assertEquals(response.headers.get("x-cache"), "STALE");
    await response.body?.cancel();
  }
  const metrics = await (await app.fetch("/metrics")).text();
  const valueOf = (name: string) => Number(new RegExp(`^${name} (.*)$`, "m").exec(metrics)![1]);
  assertEquals(valueOf("roadcast_stale_answers_total"), 3);
  assertEquals(valueOf("roadcast_memory_hits_total"), 2);
});

Deno.test("All caches together stay within the memory setting, and each gets a share", () => {
  for (const bytes of [1, 3, 64, 65_536].map((megabytes) => megabytes * 1024 * 1024)) {
    const parts = Object.values(divideCacheMemory(bytes));
    assert(parts.reduce((sum, part) => sum + part, 0) <= bytes);
    assert(parts.every((part) => part >= bytes / 32), "each is of use");
  }
});
