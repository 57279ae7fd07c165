import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { watchDatabase } from "../support/watched_database.ts";

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
