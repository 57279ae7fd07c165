import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

testOnDatabases("A collection is an envelope of data, pagination and links", async (database) => {
  await importItems(database, [makeItem(1), makeItem(2), makeItem(3)]);
  await using app = await startApp(database);
  const { data, pagination, links } = await app.json("/api/releases?page_size=2");
  assertEquals(data.map((item: { feature_name: string }) => item.feature_name), [
    "Feature 3",
    "Feature 2",
  ]);
  assertEquals(data[0], { ...makeItem(3), active: true });
  assertEquals(pagination, {
    page: 1,
    page_size: 2,
    total_items: 3,
    total_pages: 2,
    has_next: true,
    has_prev: false,
    next_page: 2,
    prev_page: null,
  });
  assertEquals(links, {
    self: "/api/releases?page=1&page_size=2",
    first: "/api/releases?page=1&page_size=2",
    last: "/api/releases?page=2&page_size=2",
    next: "/api/releases?page=2&page_size=2",
    prev: null,
  });
});
