import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { startEmbeddingServer } from "../support/servers/embedding_server.ts";
import { readPage } from "../support/pages.ts";
import {
  embedAll,
  settingsFor,
  startEmbedded,
  watchComparisons,
} from "../support/subjects/semantic.ts";

const ID = String(makeItem(1).release_item_id);

/** Two that mean the same in different products, and one that only shares the product. */
const ITEMS = [
  makeItem(1, { feature_name: "Car, car, car", product_name: "Garage", feature_description: null }),
  makeItem(2, { feature_name: "Automobile", product_name: "Road", feature_description: null }),
  makeItem(3, { feature_name: "Zebra", product_name: "Garage", feature_description: null }),
];

/** The names of the related releases on a page, in their order. */
function relatedOn(html: string): string[] {
  const related = html.split("Related releases</h2>")[1] ?? "";
  return ITEMS.map(({ feature_name }) => String(feature_name)).filter((name) =>
    related.includes(`>${name}<`)
  ).sort((a, b) => related.indexOf(`>${a}<`) - related.indexOf(`>${b}<`));
}

testOnDatabases("Related releases are found by meaning if there are vectors", async (database) => {
  await using server = startEmbeddingServer();
  const settings = settingsFor(server);
  await using before = await serve(database, ITEMS, settings);
  const byProduct = await (await before.fetch(`/release/${ID}`)).text();
  assertEquals(relatedOn(byProduct), ["Zebra"]);
  await embedAll(database, settings);
  await using app = await startApp(database, settings);
  const byMeaning = await (await app.fetch(`/release/${ID}`)).text();
  assertEquals(relatedOn(byMeaning)[0], "Automobile");
});

testOnDatabases("Variant B relates releases by product only", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await startEmbedded(
    database,
    settingsFor(server, { ROADMAP_VARIANT: "b" }),
    ITEMS,
  );
  assertEquals(relatedOn(await (await app.fetch(`/release/${ID}`)).text()), ["Zebra"]);
});

testOnDatabases("The search page searches by meaning as the API does", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await startEmbedded(database, settingsFor(server), ITEMS);
  const found = await app.fetch("/?q=vehicle");
  assertEquals(found.headers.get("cache-control"), "public, no-cache");
  const html = await found.text();
  assert(html.includes("Automobile") && !html.includes(">Zebra<"));
  match(html, /by meaning/);
  server.trouble = { kind: "status", status: 500 };
  const fallback = await app.fetch("/?q=zebra");
  assertEquals(fallback.headers.get("cache-control"), "public, max-age=60");
  const substring = await fallback.text();
  assert(substring.includes("Zebra") || substring.includes("<mark>"));
});

testOnDatabases("A search of a page compares vectors once, in every view", async (database) => {
  await using server = startEmbeddingServer();
  const settings = settingsFor(server);
  await importItems(database, ITEMS);
  await embedAll(database, settings);
  const watched = watchComparisons(database);
  await using app = await startApp(watched, settings);
  const paths = ["/?q=car", "/?q=dark&sort=release_date"];
  for (const path of [...paths, "/?q=night&view=board", "/?q=message&view=board&group=status"]) {
    await readPage(app, path);
    assertEquals([path, watched.takeComparisons()], [path, 1]);
  }
  await readPage(app, "/?q=chat&modified_within_days=30");
  assertEquals(watched.takeComparisons(), 1, "without its filter it is the same question");
});
