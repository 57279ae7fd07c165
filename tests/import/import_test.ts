import { deepStrictEqual as assertEquals, match as assertMatch, rejects } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { PREPARED } from "../../lib/import/prepared_sql.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { loadSample } from "../../lib/import/sample/sample.ts";
import { importItems, makeItem, serve, startApp, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { answerConditionally, serveSource } from "../support/servers/source_server.ts";
import { serveRoadmap } from "../support/servers/roadmap_server.ts";
import { slowOnDatabases } from "../support/slow.ts";

const ITEMS = [1, 2, 3, 4].map((number) => makeItem(number));
const NONE = { added: 0, changed: 0, removed: 0, restored: 0, unchanged: 0 };

async function readNames(database: Database): Promise<string[]> {
  await using app = await startApp(database);
  const { data } = await app.json("/api/releases");
  return data.map((item: { feature_name: string }) => item.feature_name).sort();
}

async function readItem(database: Database, number: number) {
  await using app = await startApp(database);
  return await app.json(`/api/releases?release_item_id=${makeItem(number).release_item_id}`);
}

testOnDatabases("An import counts its changes", async (database) => {
  assertEquals(await importItems(database, ITEMS), { ...NONE, added: 4 });
  assertEquals(await importItems(database, ITEMS), { ...NONE, unchanged: 4 });
  const next = [ITEMS[0], makeItem(2, { release_type: "Beta" }), ITEMS[2], makeItem(5)];
  const expected = { added: 1, changed: 1, removed: 1, restored: 0, unchanged: 2 };
  assertEquals(await importItems(database, next), expected);
  assertEquals(await importItems(database, [...next, ITEMS[3]]), {
    ...NONE,
    restored: 1,
    unchanged: 4,
  });
});

slowOnDatabases("Only tables that an import wrote to are cleaned up", async (database) => {
  const tidied: string[] = [];
  const note = (text: string) => {
    if (/vacuum/.test(text)) tidied.push(text.trim());
  };
  const watched: Database = {
    ...database,
    query: (statement) => (note(statement.compile().text), database.query(statement)),
    script: (text) => (note(text), database.script(text)),
  };
  let body = JSON.stringify(ITEMS);
  await using server = serveSource((request) =>
    body === "" ? new Response("", { status: 404 }) : answerConditionally(request, '"1"', body)
  );
  const take = async (source: string, options = {}) => {
    await importLocation(watched, source, { asOf: TODAY, ...options }).catch(() => {});
    return tidied.splice(0);
  };
  const tables = [
    "changes",
    "change_entries",
    "item_rows",
    "item_versions",
    "item_texts",
    ...PREPARED,
  ];
  const all = tables.map((table) => `vacuum ${table}`);
  assertEquals(await take(server.url), all);
  assertEquals(await take(server.url), [], "304");
  body = "";
  assertEquals(await take(server.url), [], "a source that fails");
  const folder = await Deno.makeTempDir();
  const file = `${folder}/items.json`;
  await Deno.writeTextFile(file, JSON.stringify(ITEMS));
  assertEquals(await take(file), [], "the same items");
  await Deno.writeTextFile(file, JSON.stringify([ITEMS[0]]));
  assertEquals(await take(file), [], "too much would be removed");
  await Deno.writeTextFile(file, "[]");
  assertEquals(await take(file, { allowMassRemoval: true }), all, "none is left");
  await Deno.remove(folder, { recursive: true });
});

testOnDatabases("An envelope and an array are the same snapshot", async (database) => {
  await importItems(database, ITEMS);
  const envelope = { captured_at: "x", pagination: {}, data: ITEMS, links: { next: null } };
  assertEquals(await importItems(database, envelope), { ...NONE, unchanged: 4 });
  // Of a file the next page is nowhere, and what is on it would be removed.
  await rejects(
    () => importItems(database, { ...envelope, links: { next: "/more" } }),
    /it is one page of more, with "links\.next": "\/more", but holds 4 items/,
  );
  const marked = `\ufeff \n${JSON.stringify(ITEMS, null, 2)}\n`;
  assertEquals(await importItems(database, marked), { ...NONE, unchanged: 4 });
});

testOnDatabases("Responses of the service can be imported again", async (database) => {
  await using app = await serve(database, ITEMS, { ROADMAP_VARIANT: "both" });
  for (const path of ["/api/releases?page_size=200", "/b/api/releases?page_size=200"]) {
    assertEquals(await importItems(database, await app.json(path)), { ...NONE, unchanged: 4 });
  }
});

testOnDatabases("An item's own last_modified counts, else the as-of day", async (database) => {
  await importItems(database, [
    makeItem(1, { last_modified: "2026-06-01" }),
    makeItem(2, { last_modified: null }),
    makeItem(3, { last_modified: "" }),
    makeItem(4, { last_modified: undefined }),
  ], { asOf: "2026-06-10" });
  const days = async () =>
    await Promise.all([1, 2, 3, 4].map(async (n) => (await readItem(database, n)).last_modified));
  assertEquals(await days(), ["2026-06-01", "2026-06-10", "2026-06-10", "2026-06-10"]);
  await importItems(database, [
    makeItem(1, { last_modified: "2026-06-01", release_status: "Shipped" }), // did not move
    makeItem(2, { last_modified: "2026-06-15", release_status: "Shipped" }), // moved forward
    makeItem(3, { last_modified: "2026-06-16" }), // moved without a change
    makeItem(4, { last_modified: "2026-05-01" }), // moved back without a change
  ], { asOf: "2026-06-20" });
  assertEquals(await days(), ["2026-06-20", "2026-06-15", "2026-06-16", "2026-06-10"]);
});

testOnDatabases("An item that says it is not active counts as missing", async (database) => {
  await importItems(database, ITEMS);
  const counts = await importItems(database, [
    ...ITEMS.slice(1),
    { ...ITEMS[0], active: false },
    makeItem(9, { active: false }),
  ]);
  const left = { left_out: 2, left_out_because: { "not active": 2 } };
  assertEquals(counts, { ...NONE, removed: 1, unchanged: 3, ...left });
});

testOnDatabases("A partial snapshot removes nothing", async (database) => {
  await importItems(database, ITEMS);
  const counts = await importItems(database, [makeItem(7)], { partial: true });
  assertEquals(counts, { ...NONE, added: 1 });
  assertEquals((await readNames(database)).length, 5);
  await rejects(() => importItems(database, [], { partial: true }), /The snapshot has no items/);
});

testOnDatabases("Removing more than half needs an explicit option", async (database) => {
  await importItems(database, ITEMS);
  await rejects(
    () => importItems(database, [ITEMS[0]]),
    /would remove 3 of 4 active items: nothing was stored\. They came from \S+: if this is another roadmap, remove the former one with `deno task sources remove default`, or use another DATA_DIR$/,
  );
  assertEquals((await readNames(database)).length, 4);
  assertEquals((await importItems(database, ITEMS.slice(2))).removed, 2);
  assertEquals((await importItems(database, [makeItem(8)], { allowMassRemoval: true })).removed, 2);
  assertEquals((await importItems(database, [], { allowMassRemoval: true })).removed, 1);
  assertEquals(await readNames(database), []);
});

slowOnDatabases("Hostile texts are stored and served as they are", async (database) => {
  const texts = {
    feature_name: "<b>\"Bold\"</b> & 'quoted' 😀 \u0001\u001f \u202eleft",
    product_name: "'; drop table items; -- %_\\",
    release_type: "{{constructor}} ${1}",
    release_status: "\u{10ffff}\u2028\u2029",
    feature_description: "line\r\nline\ttab \\u0000 &quot;&lt;br/&gt; " + "é".repeat(60_000),
    blog_title: "]]>",
    blog_url: "javascript:alert(1)",
  };
  await importItems(database, [makeItem(1, texts)]);
  assertEquals(await readItem(database, 1), { ...makeItem(1, texts), active: true });
  const { notes, ...again } = await importItems(database, [makeItem(1, texts)]);
  assertEquals(again, { ...NONE, unchanged: 1 });
  assertMatch(String(notes), /^1 of 1 release has a status that is not known/);
  const halves = `[${JSON.stringify(makeItem(1)).replace("Feature 1", "\\ud800 and \\udc00")}]`;
  await importItems(database, halves);
  assertEquals((await readItem(database, 1)).feature_name, " and ");
});

testOnDatabases("For a URL, links.next is followed to the end", async (database) => {
  const page = (items: unknown[], next: string | null) =>
    Response.json({ data: items, links: { next } });
  await using server = serveRoadmap({
    "/moved": () => Response.redirect(server.at("/feed/api/releases"), 301),
    "/feed/api/releases": ({ url }) => {
      switch (new URL(url).searchParams.get("page")) {
        case "2":
          return page(ITEMS.slice(1, 3), "releases?page=3");
        case "3":
          return page(ITEMS.slice(3), null);
        default:
          return page(ITEMS.slice(0, 1), "/feed/api/releases?page=2");
      }
    },
    "/last": () => page([makeItem(9)], "missing"),
  });
  const options = { asOf: TODAY };
  const counts = await importLocation(database, server.at("/moved"), options);
  assertEquals(counts, { ...NONE, added: 4 });
  assertEquals(server.asked, [
    "/moved",
    "/feed/api/releases",
    "/feed/api/releases?page=2",
    "/feed/api/releases?page=3",
  ]);
  await rejects(
    () => importLocation(database, server.at("/last"), { ...options, partial: true }),
    /Cannot read http:\/\/127\.0\.0\.1:\d+\/missing: the server responded 404/,
  );
  assertEquals((await readNames(database)).length, 4);
});

testOnDatabases("A service can be imported from another one, page by page", async (database) => {
  const items = Array.from({ length: 120 }, (_, number) => makeItem(number));
  await using app = await serve(database, items);
  await using server = serveRoadmap({
    "/api/releases": ({ url }) => app.fetch(url.slice(url.indexOf("/", 8))),
  });
  const counts = await importLocation(database, server.at("/api/releases"), { asOf: TODAY });
  assertEquals(counts, { ...NONE, unchanged: 120 });
  assertEquals(server.asked.length, 3);
});

slowOnDatabases("The first real import replaces the complete sample", async (database) => {
  const count = await loadSample(database, TODAY);
  assertEquals(count > 50, true);
  assertEquals(await loadSample(database, TODAY), 0);
  {
    await using app = await startApp(database);
    const { data } = await app.json("/api/releases?page_size=200&include_inactive=1");
    const histories = await Promise.all(
      data.map((item: { release_item_id: string }) =>
        app.json(`/api/releases/history/${item.release_item_id}`)
      ),
    );
    const happened = JSON.stringify(histories);
    for (const words of [/Removed from Roadmap/, /Restored to Roadmap/, / -> /]) {
      assertMatch(happened, words);
    }
    assertMatch(JSON.stringify(await app.json("/api/changelog")), / -> .*Removed from Roadmap/s);
  }
  await rejects(() => importItems(database, []), /The snapshot has no items/);
  assertEquals((await readNames(database)).length > 25, true);
  const first = { release_date: "Q1 2026", last_modified: "2026-01-02" };
  const asOf = "2026-01-02";
  assertEquals(await importItems(database, [makeItem(1, first)], { asOf }), { ...NONE, added: 1 });
  await using app = await startApp(database);
  const { watched } = await app.json("/api/insights");
  assertEquals(watched, [{ source: "default", from: asOf, to: asOf }]);
  assertMatch(
    await (await app.fetch("/?as_of=2025-12-01")).text(),
    /Nothing had been imported by then: the first import is as of 2 Jan 2026/,
  );
  assertEquals(await database.query(sql`select as_of::text from import_runs where error is null`), [
    { as_of: asOf },
  ]);
  const [left] = await database.query(sql`
    select (select count(*)::int from items) as items,
      (select count(*)::int from changes) as changes
  `);
  assertEquals({ ...left as object }, { items: 1, changes: 1 });
  assertEquals(await importItems(database, [makeItem(1, first)], { asOf }), {
    ...NONE,
    unchanged: 1,
  });
});

testOnDatabases(
  "A backup restored without the excluded tables accepts imports",
  async (database) => {
    await importItems(database, ITEMS);
    const text = await Deno.readTextFile(new URL("../../docs/operation.md", import.meta.url));
    const left = [...text.matchAll(/--exclude-table-data=(\w+)/g)].map(([, table]) => table!);
    assertEquals(left.sort(), ["cached_responses", "schedules"]);
    assertEquals(/--exclude-table=/.test(text), false);
    for (const table of left) await database.script(`delete from ${table}`);
    await using app = await startApp(database, { ADMIN_TOKEN: "a".repeat(16) });
    assertEquals(await importItems(database, [...ITEMS, makeItem(5)]), {
      ...NONE,
      added: 1,
      unchanged: 4,
    });
    const work = await app.fetch("/api/work", {
      method: "POST",
      headers: { Authorization: `Bearer ${"a".repeat(16)}` },
    });
    assertEquals(work.status, 200, await work.text()); // of every job
  },
);
