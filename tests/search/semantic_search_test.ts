import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { importItems, makeItem, serve, startApp, type TestApp, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { startEmbeddingServer } from "../support/servers/embedding_server.ts";
import { embedAll, settingsFor, startEmbedded } from "../support/subjects/semantic.ts";
import { waitFor } from "../support/wait_for.ts";
import { slowOnDatabases } from "../support/slow.ts";

const ITEMS = [
  makeItem(1, { feature_name: "Rent an automobile", feature_description: null }),
  makeItem(2, {
    feature_name: "Night theme",
    feature_description: null,
    release_status: "Launched",
    last_modified: TODAY,
  }),
  makeItem(3, { feature_name: "Conversation export", feature_description: null }),
  makeItem(4, {
    feature_name: "Car, car, car",
    feature_description: null,
    product_name: "Car",
    release_date: "Q1 2026",
  }),
];

async function search(app: TestApp, query: string) {
  const response = await app.fetch(`/api/releases?${query}`);
  const body = await response.json();
  return {
    status: response.status,
    mode: response.headers.get("x-search-mode"),
    cacheControl: response.headers.get("cache-control"),
    names: body.data.map((item: { feature_name: string }) => item.feature_name),
    total: body.pagination.total_items,
    links: body.links,
  };
}

testOnDatabases("Words find items by their meaning, nearest first", async (database) => {
  await using server = startEmbeddingServer();
  const settings = settingsFor(server);
  await importItems(database, ITEMS);
  assertEquals(await embedAll(database, settings), { embedded: 4, refused: 0 });
  await using app = await startApp(database, settings);
  const found = await search(app, "q=vehicle");
  assertEquals(found.status, 200);
  assertEquals(found.mode, "semantic");
  assertEquals(found.cacheControl, "public, max-age=14400, stale-while-revalidate=3600");
  assertEquals(found.names, ["Car, car, car", "Rent an automobile"]);
  assertEquals(found.total, 2);
  assertEquals((await search(app, "q=zebra")).names, []);
});

testOnDatabases("Filters, a requested order and pages work with words", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await startEmbedded(database, settingsFor(server), ITEMS);
  assertEquals((await search(app, "q=vehicle&product_name=Product")).names, ["Rent an automobile"]);
  assertEquals((await search(app, "q=dark&release_status=Planned")).names, []);
  assertEquals((await search(app, "q=dark&modified_within_days=1")).names, ["Night theme"]);
  assertEquals((await search(app, "q=vehicle&modified_within_days=1")).names, []);
  const sorted = await search(app, "q=vehicle&sort=release_date");
  assertEquals(sorted.names, ["Rent an automobile", "Car, car, car"]);
  const byChange = await search(app, "q=vehicle&sort=last_modified&page_size=1");
  assertEquals(byChange.names, ["Rent an automobile"]);
  assertEquals(
    byChange.links.next,
    "/api/releases?q=vehicle&sort=last_modified&page=2&page_size=1",
  );
  const second = await search(app, "q=vehicle&page_size=1&page=2");
  assertEquals([second.names, second.total], [["Rent an automobile"], 2]);
  assertEquals((await search(app, "q=vehicle&page_size=1&page=3")).names, []);
});

testOnDatabases("Removed items are found by meaning if they are requested", async (database) => {
  await using server = startEmbeddingServer();
  const settings = settingsFor(server);
  await importItems(database, ITEMS);
  await importItems(database, ITEMS.slice(1));
  await embedAll(database, settings);
  await using app = await startApp(database, settings);
  assertEquals((await search(app, "q=vehicle")).names, ["Car, car, car"]);
  assertEquals((await search(app, "q=vehicle&include_inactive=true")).names, [
    "Car, car, car",
    "Rent an automobile",
  ]);
});

testOnDatabases("Variant B searches substrings and calls no service", async (database) => {
  await using server = startEmbeddingServer();
  const settings = settingsFor(server, { ROADMAP_VARIANT: "b" });
  await importItems(database, ITEMS);
  await embedAll(database, settings);
  const before = server.requests.length;
  await using app = await startApp(database, settings);
  const found = await search(app, "q=CAR");
  assertEquals([found.mode, found.names], ["substring", ["Car, car, car"]]);
  assertEquals(found.cacheControl, "public, max-age=1800, stale-while-revalidate=900");
  assertEquals(server.requests.length, before);
});

testOnDatabases("Items without a current vector are found by their words", async (database) => {
  await using server = startEmbeddingServer();
  const settings = settingsFor(server);
  await importItems(database, ITEMS);
  await embedAll(database, settings);
  await using app = await serve(database, [
    ...ITEMS.slice(0, 3),
    makeItem(4, { feature_name: "Cargo bikes", feature_description: null, product_name: "Car" }),
    makeItem(5, { feature_name: "Night theme for your car", feature_description: null }),
    makeItem(6, { feature_name: "Scarf", feature_description: null }),
  ], settings);
  const partly = await search(app, "q=car");
  assertEquals(partly.mode, "semantic");
  assertEquals(partly.names, ["Night theme for your car", "Rent an automobile", "Cargo bikes"]);
  assertEquals(partly.total, 3);
  assertEquals(await embedAll(database, settings), { embedded: 3, refused: 0 });
  await using later = await startApp(database, settings);
  assertEquals((await search(later, "q=car")).names, [
    "Night theme for your car",
    "Cargo bikes",
    "Rent an automobile",
  ]);
});

slowOnDatabases("At most the 1,000 nearest are found", async (database) => {
  await using server = startEmbeddingServer();
  const settings = settingsFor(server);
  const items = Array.from(
    { length: 1_100 },
    (_, number) => makeItem(number + 1, { feature_name: `Car ${number + 1}` }),
  );
  await importItems(database, items);
  await embedAll(database, settings);
  await using app = await startApp(database, settings);
  const ids = new Set<string>();
  let next = "/api/releases?q=vehicle&page_size=200";
  while (next) {
    const { data, pagination, links } = await app.json(next);
    assertEquals(pagination.total_items, 1_000);
    for (const item of data) ids.add(item.release_item_id);
    next = links.next;
  }
  assertEquals(ids.size, 1_000);
});

testOnDatabases("Each question is sent to the service once, for all clients", async (database) => {
  await using server = startEmbeddingServer();
  const settings = settingsFor(server);
  await importItems(database, ITEMS);
  await embedAll(database, settings);
  server.requests.length = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  server.gate = promise;
  await using app = await startApp(database, settings);
  const answers = Array.from(
    { length: 50 },
    (_, number) => search(app, `q=vehicle&page=${number + 1}`),
  );
  await waitFor("a request", () => server.requests.length > 0);
  resolve();
  for (const answer of await Promise.all(answers)) assertEquals(answer.mode, "semantic");
  assertEquals(server.requests.map(({ input }) => input), [["vehicle"]]);
  assertEquals((await search(app, "q=%20Vehicle%20")).names.length, 2);
  await using restarted = await startApp(database, settings);
  assertEquals((await search(restarted, "q=VEHICLE")).mode, "semantic");
  assertEquals(server.requests.length, 1);
});

testOnDatabases("Without a key the service is called without one", async (database) => {
  await using server = startEmbeddingServer();
  await importItems(database, ITEMS);
  await embedAll(database, settingsFor(server));
  assertEquals(server.requests[0]!.authorization, "Bearer none");
  await importItems(database, [makeItem(9)], { partial: true });
  await embedAll(database, settingsFor(server, { OPENAI_API_KEY: "sk-test" }));
  assertEquals(server.requests.at(-1)!.authorization, "Bearer sk-test");
  assert(server.requests.length === 2);
});

testOnDatabases("Words and meaning are fused, and agree everywhere", async (database) => {
  await using server = startEmbeddingServer();
  const far = "Storage of old items in an archive with very many other words besides";
  await using app = await startEmbedded(database, settingsFor(server), [
    makeItem(1, { feature_name: "Automobile", feature_description: null }),
    makeItem(2, { feature_name: "Vehicle for the car", feature_description: null }),
    makeItem(3, { feature_name: "Car", feature_description: null }),
    makeItem(4, { feature_name: far, feature_description: `${far} and a car` }),
    makeItem(5, { feature_name: "Night", feature_description: null, product_name: "Dark" }),
  ]);
  const names = ["Car", "Vehicle for the car", far, "Automobile"];
  for (const match of ["", "&match=words"]) {
    const found = await search(app, `q=car${match}`);
    assertEquals([found.mode, found.names], ["semantic", names]);
    const { counts } = await app.json(`/api/filter-options?q=car${match}`);
    assertEquals(counts.product_name, { Dark: 0, Product: 4 });
  }
  const page = await app.json("/search.json?q=car");
  const shown = page.items.map((item: { feature_name: string }) => item.feature_name);
  assertEquals([page.total, shown], [4, names]);
  for (const view of ["board", "board&group=status"]) {
    assertEquals((await app.json(`/search.json?q=car&view=${view}`)).total, 4);
  }
});

testOnDatabases("If no release has every word, 20 with any word are found", async (database) => {
  await using server = startEmbeddingServer();
  const items = Array.from(
    { length: 30 },
    (_, number) =>
      makeItem(number, {
        feature_name: `Archive ${number}`,
        feature_description: "One of many words that make it far from what it is compared with",
      }),
  );
  await using app = await startEmbedded(
    database,
    settingsFor(server, { SEMANTIC_MIN_SIMILARITY: "0.9" }),
    [...items, makeItem(40, { feature_name: "Restore" })],
  );
  assertEquals((await search(app, "q=archive")).total, 30);
  assertEquals((await search(app, "q=restore+archive")).total, 20);
  assertEquals((await search(app, "q=nothing+whatsoever")).total, 0);
});
