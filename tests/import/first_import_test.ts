import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { startDigests } from "../support/subjects/digests.ts";

const silent = { announce: false };

testOnDatabases("A source's first import sends no digest, later ones do", async (database) => {
  await using services = await startDigests(database);
  await services.verify("ann@example.com");
  await importItems(database, [makeItem(1), makeItem(2)], silent);
  assertEquals(await services.digest(), []);
  await importItems(database, [makeItem(1), makeItem(2), makeItem(3)], silent);
  const [mail] = await services.digest();
  match(mail!.text!, /^Feature 3 is new on the roadmap\n/m);
});

testOnDatabases("The first import of a second source sends no digest either", async (database) => {
  await importItems(database, [makeItem(1)], silent);
  await using app = await startApp(database);
  const { next_after } = await app.json("/api/changes/releases");
  await importItems(database, [makeItem(2), makeItem(3)], { ...silent, sourceName: "second" });
  await importItems(database, [makeItem(1, { release_status: "Launched" })], silent);
  app.setClock("2026-07-20T12:00:05Z");
  const news = await app.json(`/api/changes/releases?after=${next_after}`);
  assertEquals(news.release_item_ids, [makeItem(1).release_item_id]);
  const { data } = await app.json("/api/changes");
  assertEquals(data.length, 4);
});

testOnDatabases("A first import can be announced", async (database) => {
  await using services = await startDigests(database);
  await services.verify("ann@example.com");
  await importItems(database, [makeItem(1)], { announce: true });
  const [mail] = await services.digest();
  match(mail!.text!, /^Feature 1 is new on the roadmap\n/m);
});
