import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

const CACHE_A = "public, max-age=14400, stale-while-revalidate=3600";
const CACHE_B = "public, max-age=1800, stale-while-revalidate=900";
const READS = ["/api/releases", "/api/filter-options", "/rss", "/rss.xml"];
const HISTORY = `/api/releases/history/${makeItem(1).release_item_id}`;
const ITEM = `/api/releases?release_item_id=${makeItem(1).release_item_id}`;

testOnDatabases("Every read has the Cache-Control of its variant", async (database) => {
  await using app = await serve(database, [makeItem(1)], { ROADMAP_VARIANT: "both" });
  for (const path of [...READS, HISTORY, ITEM]) {
    const [a, b] = await Promise.all([app.fetch(path), app.fetch(`/b${path}`)]);
    assertEquals([path, a.status, b.status], [path, 200, 200]);
    assertEquals(a.headers.get("cache-control"), CACHE_A);
    assertEquals(b.headers.get("cache-control"), CACHE_B);
  }
  const changelog = await app.fetch("/api/changelog");
  assertEquals(changelog.headers.get("cache-control"), CACHE_A);
});

testOnDatabases("One variant alone is served at the base address", async (database) => {
  await using a = await serve(database, [makeItem(1)]);
  await using b = await startApp(database, { ROADMAP_VARIANT: "b" });
  const [itemA, itemB] = await Promise.all([a.json(ITEM), b.json(ITEM)]);
  assertEquals([itemA.release_date, itemB.release_date], ["Q3 2026", "2026-09-30"]);
  assertEquals(
    ["active", "blog_title", "blog_url"].map((field) => [field in itemA, field in itemB]),
    [[true, false], [true, false], [true, false]],
  );
  for (const app of [a, b]) {
    assertEquals((await app.fetch("/b/api/releases")).status, 404);
  }
});

testOnDatabases("With a path in the base URL, links begin with it", async (database) => {
  await importItems(database, [makeItem(1), makeItem(2)]);
  await using app = await startApp(database, {
    ROADMAP_VARIANT: "both",
    BASE_URL: "https://example.com/some/road/",
  });
  // A proxy may or may not have taken the path away: both ways lead to the same answers.
  for (const prefix of ["", "/some/road"]) {
    const { links } = await app.json(`${prefix}/api/releases?page_size=1`);
    assertEquals(links.next, "/some/road/api/releases?page=2&page_size=1");
    const answer = await app.fetch(`${prefix}/b/api/releases?page_size=1`);
    assertEquals(answer.status, 200);
    assertEquals(
      answer.headers.get("link"),
      '</some/road/b/api/releases?page=2&page_size=1>; rel="next"',
    );
    assertEquals((await answer.json()).links.last, "/some/road/b/api/releases?page=2&page_size=1");
    const feed = await (await app.fetch(`${prefix}/b/rss`)).text();
    assertEquals(feed.includes(`<link>https://example.com/some/road/b/release/`), true);
    for (const home of [`${prefix}/`, `${prefix}/b`, `${prefix}/b/`]) {
      assertEquals([home, (await app.fetch(home)).status], [home, 200]);
    }
  }
});
