import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { holdDatabase } from "../support/held_database.ts";
import { waitFor } from "../support/wait_for.ts";

/** So many answers are built at one time, and so many requests wait for that. */
const BUILT = 8;
const WAITING = 500;

const HISTORY = `/api/releases/history/${makeItem(59).release_item_id}`;

const ITEMS = Array.from({ length: 60 }, (_, index) => makeItem(index));

testOnDatabases(
  "Requests beyond the build limit and its queue get 503",
  async (database) => {
    await importItems(database, ITEMS);
    const held = holdDatabase(database);
    await using app = await startApp(held, { ROADMAP_VARIANT: "both" });
    await app.json("/api/releases"); // what every answer needs is known now
    held.hold();
    const paths = Array.from(
      { length: BUILT + WAITING },
      (_, index) => `${HISTORY}?page=${index + 1}`,
    );
    const asked = paths.map((path) => app.fetch(path));
    await waitFor("the questions", () => held.held === BUILT);
    for (const path of ["/api/filter-options", `/b${HISTORY}`, "/rss", "/changelog", "/b/"]) {
      const response = await app.fetch(path);
      assertEquals([path, response.status], [path, 503]);
      assertEquals(response.headers.get("retry-after"), "5");
      assertEquals(response.headers.get("cache-control"), "no-store");
      const text = await response.text();
      assertEquals(text.includes("The server is too busy"), true);
      if (path.startsWith("/api")) {
        assertEquals(response.headers.get("content-type"), "application/problem+json");
        assertEquals(JSON.parse(text).status, 503);
      }
    }
    assertEquals((await app.fetch("/api/releases")).status, 200); // it is kept
    assertEquals(held.held, BUILT);
    held.release();
    const statuses = await Promise.all(asked.map(async (response) => {
      const { status, body } = await response;
      await body?.cancel();
      return status;
    }));
    assertEquals(statuses.slice(0, BUILT), Array(BUILT).fill(200));
    // On a slow machine the last ones may have waited in vain.
    assertEquals(statuses.filter((status) => status !== 200 && status !== 503), []);
    assertEquals((await app.fetch("/rss")).status, 200);
  },
);
