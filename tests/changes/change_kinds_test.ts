import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import type { StatusTone } from "../../lib/roadmap/status_tone.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

testOnDatabases("Changes can be requested by kind", async (database) => {
  await importItems(database, [makeItem(1), makeItem(2), makeItem(3)]);
  await importItems(database, [
    makeItem(1, { release_status: "Launched" }),
    makeItem(2, { release_date: "Q1 2027" }),
    makeItem(3, { feature_name: "Another" }),
  ], { asOf: "2026-07-21" });
  await using app = await startApp(database);
  const asked = await app.json("/api/changes?kind=slipped&kind=shipped");
  assertEquals(asked.data.map(({ kinds }: { kinds: string[] }) => kinds), [
    ["shipped"],
    ["slipped"],
  ]);
  const { data, next_after } = await app.json("/api/changes?kind=added&limit=2");
  assertEquals(data.length, 2);
  const rest = await app.json(`/api/changes?kind=added&after=${next_after}`);
  assertEquals(rest.data.length, 1);
  const refused = await app.fetch("/api/changes?kind=slipped&kind=late");
  assertEquals(refused.status, 400);
  match(
    (await refused.json()).detail,
    /^kind must be one of shipped, cancelled, removed, slipped,/,
  );
  for (const path of ["/changelog", `/release/${makeItem(1).release_item_id}`]) {
    const html = await (await app.fetch(path)).text();
    match(html, /<span class="badge kind-shipped">Shipped<\/span>/);
  }
});

testOnDatabases("A mapping says how far along a status is", async (database) => {
  const mapping = (tone: StatusTone) => ({
    release_status: { from: "release_status", tones: { "live in eu": tone } },
  });
  const live = makeItem(1, { release_status: "Live in EU" });
  await importItems(database, [makeItem(1), makeItem(2, { release_status: "Waved 2" })], {
    fields: mapping("in_progress"),
  });
  await importItems(database, [live, makeItem(2, { release_status: "Waved 2" })], {
    fields: mapping("in_progress"),
    asOf: "2026-07-21",
  });
  await using app = await startApp(database);
  const kinds = async () => {
    const { data } = await app.json("/api/changes");
    return data.map(({ kinds }: { kinds: string[] }) => kinds.join());
  };
  assertEquals(await kinds(), ["added", "added", "started"]);
  const tone = async () => {
    const { items } = await app.json("/search.json");
    return items.map(({ tone }: { tone: string }) => tone);
  };
  assertEquals(await tone(), ["in_progress", "planned"]);
  // What another mapping says holds at once, and is no change.
  await importItems(database, [live, makeItem(2, { release_status: "Waved 2" })], {
    fields: mapping("shipped"),
    asOf: "2026-07-22",
  });
  assertEquals(await kinds(), ["added", "added", "started"]);
  app.setClock("2026-07-22T12:00:05Z");
  // In a quarter, what is closed comes last.
  assertEquals(await tone(), ["planned", "shipped"]);
});
