import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { daysBefore } from "../../lib/text/dates.ts";
import { importItems, makeItem, startApp, type TestApp, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { readPages } from "../support/read_pages.ts";
import { slowOnDatabases } from "../support/slow.ts";

const ID = String(makeItem(1).release_item_id);

const MEGABYTE = 1024 * 1024;

/** Nearly as long as a description may be. */
const LONG = "Some words, and a needle. ".repeat(38_000);

interface Collection {
  data: { release_item_id: string; feature_description: string }[];
  pagination: { page_size: number; total_items: number; total_pages: number };
}

/** The texts go past the import, as finding words in so many of them takes seconds to prepare. */
async function importLong(database: Database, count: number): Promise<void> {
  const fields = { feature_description: "A needle" };
  const items = Array.from({ length: count }, (_, index) => makeItem(index + 1, fields));
  await importItems(database, items);
  await database.query(sql`update items set feature_description = ${LONG}`);
}

async function sizeAt(app: TestApp, path: string): Promise<number> {
  const response = await app.fetch(path);
  const { length } = await response.bytes();
  assertEquals([path, response.status], [path, 200]);
  return length;
}

testOnDatabases(
  "A page of very long texts has fewer releases, and its links lead to all",
  async (database) => {
    await importLong(database, 10);
    await importItems(database, [makeItem(11), makeItem(12)], { partial: true });
    await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
    for (const path of ["/api/releases", "/b/api/releases", "/api/releases?q=needle"]) {
      const pages = await readPages<Collection>(
        app,
        `${path}${path.includes("?") ? "&" : "?"}page_size=200`,
      );
      const [first] = pages;
      const { page_size, total_items } = first!.pagination;
      assertEquals(page_size, 4);
      assertEquals(pages.length, Math.ceil(total_items / page_size));
      assertEquals(new Set(pages.map(({ pagination }) => pagination.page_size)).size, 1);
      const items = pages.flatMap(({ data }) => data);
      assertEquals(new Set(items.map((item) => item.release_item_id)).size, total_items);
      const longest = items.find((item) => item.release_item_id === ID)!;
      assertEquals(longest.feature_description, LONG);
    }
    const third: Collection = await app.json("/api/releases?page_size=200&page=3");
    assertEquals(third.data.length, 4);
    assert(await sizeAt(app, "/api/releases?page_size=200") < 5 * MEGABYTE);
    const asked: Collection = await app.json("/api/releases?page_size=3");
    assertEquals(asked.pagination.page_size, 3);
    const { feature_description } = await app.json(`/api/releases?release_item_id=${ID}`);
    assertEquals(feature_description, LONG);
  },
);

testOnDatabases(
  "A page of texts that were very long on its day has fewer releases",
  async (database) => {
    await importLong(database, 10);
    await database.query(sql`update import_runs set as_of = as_of - 1`);
    await importItems(database, Array.from({ length: 10 }, (_, index) => makeItem(index + 1)));
    await using app = await startApp(database);
    const then = daysBefore(TODAY, 1);
    const known: Collection = await app.json(`/api/releases?as_of=${then}`);
    assertEquals([known.data.length, known.data[0]!.feature_description], [4, LONG]);
    const today: Collection = await app.json("/api/releases");
    assertEquals(today.data.length, 10);
  },
);

testOnDatabases("One very long text among short ones makes no page shorter", async (database) => {
  const short = Array.from({ length: 210 }, (_, index) => makeItem(index + 2));
  await importItems(database, [makeItem(1, { feature_description: LONG }), ...short]);
  await using app = await startApp(database);
  const { data, pagination }: Collection = await app.json("/api/releases?page_size=200");
  assertEquals([data.length, pagination.page_size, pagination.total_pages], [200, 200, 2]);
});

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

slowOnDatabases("A history shortens texts that take more than 4 MB", async (database) => {
  const write = (day: number, feature_description: string) =>
    importItems(database, [makeItem(1, { feature_description, last_modified: null })], {
      asOf: `2026-07-${String(day).padStart(2, "0")}`,
    });
  // Each change has the text before and after it.
  const most = Math.floor(4 * MEGABYTE / (2 * 65_000));
  const texts = Array.from({ length: most + 2 }, (_, place) => `${place} ${LONG.slice(0, 65_000)}`);
  for (const [index, text] of texts.slice(0, 3).entries()) await write(index + 1, text);
  await using app = await startApp(database);
  const path = `/api/releases/history/${ID}`;
  const whole = await app.json(path);
  assertEquals(whole[0].changed_columns, `Feature Description ${texts[1]} -> ${texts[2]}`);
  for (const text of texts.slice(3)) await write(20, text);
  await using later = await startApp(database);
  const shortened = await later.json(path);
  assertEquals(shortened.length, texts.length);
  const begin = (text: string) => `${text.slice(0, 2_000)}…`;
  assertEquals(
    shortened[0].changed_columns,
    `Feature Description ${begin(texts.at(-2)!)} -> ${begin(texts.at(-1)!)}`,
  );
});

testOnDatabases(
  "A response larger than the response cache is still served",
  async (database) => {
    await importLong(database, 8);
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
  },
);
