import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { startEmbeddingServer } from "../support/servers/embedding_server.ts";
import { settingsFor } from "../support/subjects/semantic.ts";

const ITEMS = [
  makeItem(1, { feature_name: "Repair of cars", product_name: "Atlas", feature_description: null }),
  makeItem(2, { feature_name: "Charts", product_name: "Beacon", feature_description: null }),
  makeItem(3, {
    feature_name: "Gallery of pictures",
    product_name: "Atlas",
    feature_description: null,
  }),
  makeItem(4, { feature_name: "Audit log", product_name: "Beacon", feature_description: null }),
];

testOnDatabases("A question is answered by words of a like meaning", async (database) => {
  await using app = await serve(database, ITEMS);
  const find = async (q: string, more = "") => {
    const response = await app.fetch(`/api/releases?match=words&q=${encodeURIComponent(q)}${more}`);
    const { data, pagination } = await response.json();
    return [
      response.headers.get("x-search-mode"),
      data.map((item: { feature_name: string }) => item.feature_name),
      pagination.total_items,
    ];
  };
  assertEquals(await find("automobile"), ["related", ["Repair of cars"], 1]);
  assertEquals(await find("vehicles repair"), ["related", ["Repair of cars"], 1]);
  assertEquals(await find("photos"), ["related", ["Gallery of pictures"], 1]);
  assertEquals(await find("cars"), ["words", ["Repair of cars"], 1]);
  assertEquals(await find("photos", "&product_name=Beacon"), ["related", [], 0]);
  assertEquals(await find("photos of the audit"), [
    "related",
    ["Audit log", "Gallery of pictures"],
    2,
  ]);
  assertEquals(
    await find("photos of the audit", "&sort=release_date&order=desc&page_size=1&page=2"),
    ["related", ["Gallery of pictures"], 2],
  );
  for (const nonsense of ["qwrtzx", "bagpipe lullaby", "zzzz yyyy", "🎉 ☂"]) {
    assertEquals((await find(nonsense))[1], [], nonsense);
  }
  const long = "photos that were taken by somebody else on holiday last summer";
  assertEquals((await find(long))[0], "words");
  const plain = await app.fetch("/api/releases?q=automobile");
  assertEquals([plain.headers.get("x-search-mode"), (await plain.json()).data], ["substring", []]);
});

testOnDatabases("A page says that it was answered by related words", async (database) => {
  await using app = await serve(database, ITEMS);
  const page = await (await app.fetch("/?q=automobile")).text();
  match(page, /Repair of cars/);
  match(page, /any of these or related words/);
  const { counts } = await app.json("/api/filter-options?match=words&q=automobile");
  assertEquals(counts.product_name, { Atlas: 1, Beacon: 0 });
  for (const feed of ["feed.json", "calendar.ics"]) {
    const text = await (await app.fetch(`/${feed}?match=words&q=automobile`)).text();
    assertEquals([feed, text.includes("Repair of cars")], [feed, false]);
  }
});

testOnDatabases("Related words are not searched if a service knows meanings", async (database) => {
  await importItems(database, ITEMS);
  await using server = startEmbeddingServer();
  server.trouble = { kind: "status", status: 500 };
  await using app = await startApp(database, settingsFor(server));
  const response = await app.fetch("/api/releases?match=words&q=automobile");
  assertEquals([response.headers.get("x-search-mode"), (await response.json()).data], [
    "words",
    [],
  ]);
});

testOnDatabases("A past day is not searched by related words", async (database) => {
  await importItems(database, ITEMS, { asOf: "2026-07-01" });
  await using app = await startApp(database);
  const response = await app.fetch("/api/releases?match=words&q=automobile&as_of=2026-07-05");
  assertEquals(response.headers.get("x-search-mode"), "words");
});
