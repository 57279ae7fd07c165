import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { importItems, makeItem, startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { slowOnDatabases } from "../support/slow.ts";

const ID = String(makeItem(1).release_item_id);

/** Nearly as long as a description may be. */
const LONG = "Some words, and a needle. ".repeat(2_500);

async function importLong(database: Database, count: number): Promise<void> {
  const fields = { feature_description: LONG };
  await importItems(
    database,
    Array.from({ length: count }, (_, index) => makeItem(index + 1, fields)),
  );
}

async function sizeAt(app: TestApp, path: string): Promise<number> {
  const response = await app.fetch(path);
  const { length } = await response.bytes();
  assertEquals([path, response.status], [path, 200]);
  return length;
}

slowOnDatabases("Pages and feeds of very long texts stay small", async (database) => {
  await importLong(database, 26);
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  for (const path of ["/", "/?view=board", "/?q=needle", "/changelog", `/release/${ID}`, "/b/"]) {
    const size = await sizeAt(app, path);
    assert(size < 200_000, `${path} has ${size} bytes`);
  }
  for (const path of ["/rss", "/b/rss.xml"]) {
    const size = await sizeAt(app, path);
    assert(size > 25 * 20_000 && size < 25 * 22_000, `${path} has ${size} bytes`);
  }
  const release = await (await app.fetch(`/release/${ID}`)).text();
  match(
    release,
    new RegExp(
      `Only the beginning of this long description is shown. <a href="/api/releases\\?release_item_id=${ID}">`,
    ),
  );
});

testOnDatabases("A response larger than the response cache is still served", async (database) => {
  await importLong(database, 20);
  await using app = await startApp(database, { CACHE_MEMORY_MB: "1", ROADMAP_VARIANT: "both" });
  for (const path of ["/api/releases", "/b/api/releases"]) {
    const etags = new Set<string | null>();
    for (const coding of ["identity", "br", "gzip", "br"]) {
      const response = await app.fetch(path, { headers: { "Accept-Encoding": coding } });
      assertEquals([path, response.status], [path, 200]);
      assertEquals(response.headers.get("content-encoding") ?? "identity", coding);
      etags.add(response.headers.get("etag"));
      await response.body?.cancel();
    }
    assertEquals(etags.size, 1);
  }
});
