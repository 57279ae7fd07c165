import { sql } from "../../lib/database/sql.ts";
import { setTimeout as delay } from "node:timers/promises";
import { deepStrictEqual as assertEquals, match, ok, rejects } from "node:assert/strict";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import type { Database } from "../../lib/database/database.ts";
import type { Caller } from "../../lib/work/async.ts";
import { OpenStreams } from "../../lib/http/streams/open_streams.ts";
import { emptyDatabase, openMigratedEmbedded, testOnDatabases } from "../support/databases.ts";
import { importItems, makeItem, serve, startApp, TODAY } from "../support/app.ts";
import { waitFor } from "../support/wait_for.ts";
import { slowOnDatabases } from "../support/slow.ts";

const PRODUCT_ID = "11111111-1111-4111-8111-111111111111";

/** The lines of a table, without its byte order mark. */
async function linesOf(response: Response): Promise<string[]> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  assertEquals([...bytes.slice(0, 3)], [0xef, 0xbb, 0xbf]);
  return new TextDecoder().decode(bytes).trimEnd().split("\r\n");
}

const REQUEST = new Request("http://localhost/releases.csv");

testOnDatabases("Releases can be downloaded as a table that Excel opens", async (database) => {
  await using app = await serve(database, [
    makeItem(1, {
      product_names: ["Word", "Excel"],
      product_name: "Word",
      tags: { Platform: ["Web", "iOS"], Team: ["=1+1"] },
      feature_description: 'Says "hello",\nand more',
    }),
    makeItem(2, { feature_name: "=HYPERLINK(1)", release_date: null, blog_url: null }),
  ]);
  const response = await app.fetch("/releases.csv?sort=release_date&order=asc");
  assertEquals(response.headers.get("content-type"), "text/csv; charset=utf-8; header=present");
  assertEquals(response.headers.get("content-disposition"), 'attachment; filename="releases.csv"');
  assertEquals(await linesOf(response), [
    "release_item_id,feature_name,product_name,all_products,release_type,release_status," +
    "release_date,feature_description,blog_title,blog_url,last_modified,product_id,active," +
    "Tag: Platform,Tag: Team",
    '00000000-0000-4000-8000-000000000001,Feature 1,Word,"Word; Excel",General availability,' +
    `Planned,Q3 2026,"Says ""hello"",\nand more",,,2026-07-01,${PRODUCT_ID},true,"Web; iOS",'=1+1`,
    "00000000-0000-4000-8000-000000000002,'=HYPERLINK(1),Product,Product,General availability," +
    `Planned,,A description,,,2026-07-01,${PRODUCT_ID},true,,`,
  ]);
  const rows = async (query: string) => (await linesOf(await app.fetch(query))).length - 1;
  assertEquals(await rows("/releases.csv?tag=Platform:Web"), 1);
  assertEquals(await rows("/releases.csv?q=hello&match=words"), 1);
  assertEquals(await rows("/releases.csv?product_name=None"), 0);
  const head = await app.fetch("/releases.csv", { method: "HEAD" });
  assertEquals([head.status, await head.text()], [200, ""]);
  const refused = await app.fetch("/releases.csv?release_date_from=soon");
  assertEquals(refused.status, 400);
  match(refused.headers.get("content-type")!, /problem\+json/);
});

async function testReadBack(database: Database, ROADMAP_VARIANT: "A" | "B"): Promise<void> {
  const hasBlog = ROADMAP_VARIANT === "A";
  const signs = ["=", "+", "-", "@", "＝", "－", "'=", "''-", "'", '"', "#"];
  const texts = signs.flatMap((sign) => [
    `${sign}SUM(A1) in cells`,
    `a; ${sign}b;${sign}c`,
    `a\t${sign}b, "${sign}c"`,
  ]);
  const lines = signs.flatMap((sign) => [
    `${sign} one\n${sign} two\n   ${sign}three\r\n${sign}4`,
    `\n${sign}x`,
    `\t${sign}x;\n${sign}`,
  ]);
  const items = [
    ...texts.map((feature_name) => ({ feature_name, blog_title: hasBlog ? feature_name : null })),
    ...lines.map((feature_description) => ({ feature_description })),
    ...["2027-01-10", "2026-11-05", "2026-12-31"].map((release_date) => ({ release_date })),
    { feature_description: "<p>In <b>HTML</b></p>" },
    { product_name: "=Word", product_names: ["=Word", "-Excel", "+1"] },
    { tags: { Team: ["=1+1", "-2", "x"], "-Group": ["@a"] }, release_date: null },
    { release_type: "-", release_status: "+ soon", product_name: "@home", product_id: null },
  ].map((fields, place) => makeItem(place + 1, fields));
  await using app = await serve(database, items, { ROADMAP_VARIANT });
  const file = await Deno.makeTempFile({ suffix: ".csv" });
  await Deno.writeFile(file, await (await app.fetch("/releases.csv")).bytes());
  const { changed, unchanged } = await importLocation(database, file, { asOf: "2026-07-21" });
  await Deno.remove(file);
  const changes = (await app.json("/api/changes?date=2026-07-21")).data;
  assertEquals(
    { changed, unchanged },
    { changed: 0, unchanged: items.length },
    JSON.stringify(changes),
  );
}

for (const variant of ["A", "B"] as const) {
  testOnDatabases(
    `A table of variant ${variant} read back into its source changes nothing`,
    (database) => testReadBack(database, variant),
  );
}

testOnDatabases(
  "A quarter that is changed in a table of variant A is its last day",
  async (database) => {
    await using app = await serve(database, [
      makeItem(1, { release_date: "2027-01-10" }),
      makeItem(2),
    ]);
    const text = await (await app.fetch("/releases.csv")).text();
    const file = await Deno.makeTempFile({ suffix: ".csv" });
    await Deno.writeTextFile(file, text.replace("Q1 2027", "Q2 2027"));
    const { changed } = await importLocation(database, file, { asOf: "2026-07-21" });
    await Deno.remove(file);
    const [day] = await database.query(sql`
    select release_date::text from items where release_date > '2027-01-01' and release_date < '2028-01-01'
  `);
    assertEquals([changed, day], [1, { release_date: "2027-06-30" }]);
  },
);

testOnDatabases(
  "A cell starts no formula, also where lists are divided by semicolons",
  async (database) => {
    const names = ["x;=1+1", "x; @SUM(1)", "x\t-1", "x;＝1", "a\n=1", "a\n- item", "a; b", "1-2"];
    await importItems(
      database,
      names.map((name, number) => makeItem(number + 1, { feature_description: name })),
    );
    await using app = await startApp(database);
    const text = await (await app.fetch("/releases.csv")).text();
    const cells = ["x;'=1+1", "x; '@SUM(1)", "x\t'-1", "x;'＝1", "a\n'=1", "a\n- item", "a; b"];
    for (const cell of cells) match(text, new RegExp(`"${RegExp.escape(cell)}"`));
    match(text, /,1-2,/);
  },
);

slowOnDatabases("A table has every row, and can be reimported", async (database) => {
  const items = Array.from(
    { length: 450 },
    (_, number) => makeItem(number + 1, { feature_description: `Says, "${number}"` }),
  );
  await using app = await serve(database, items);
  const csv = await (await app.fetch("/releases.csv")).text();
  const file = await Deno.makeTempFile({ suffix: ".csv" });
  await Deno.writeTextFile(file, csv);
  const copy = await openMigratedEmbedded();
  await emptyDatabase(copy);
  const counts = await importLocation(copy, file, { asOf: TODAY });
  assertEquals(counts.added, 450);
  await using other = await startApp(copy);
  const path = "/api/releases?page_size=200&page=2";
  assertEquals((await other.json(path)).data, (await app.json(path)).data);
  await Deno.remove(file);
  await other[Symbol.asyncDispose]();
  await copy.close();
});

testOnDatabases("Tables show an earlier day, and the changes since", async (database) => {
  const plan = (release_date: string, release_status: string) =>
    makeItem(1, { release_date, release_status, last_modified: null });
  await importItems(database, [plan("Q2 2026", "Planned")], { asOf: "2026-01-10" });
  await importItems(database, [plan("Q3 2026", "In development"), makeItem(2)], {
    asOf: "2026-03-10",
  });
  await using app = await startApp(database);
  const before = await linesOf(await app.fetch("/releases.csv?as_of=2026-02-01"));
  assertEquals(before.length, 2);
  match(before[1]!, /,Planned,Q2 2026,/);
  const all = await linesOf(await app.fetch("/changes.csv"));
  assertEquals(all[0], "date,release_item_id,feature_name,product_name,kinds,field,old,new");
  const ofFirst = all.filter((line) => line.includes("000000000001"));
  assertEquals(ofFirst.map((line) => line.replace(/,0{8}-.*?Product,/, " ")), [
    "2026-01-10 added,,,",
    '2026-03-10 "slipped; started",Release Date,Q2 2026,Q3 2026',
    '2026-03-10 "slipped; started",Release Status,Planned,In development',
  ]);
  const slipped = await linesOf(await app.fetch("/changes.csv?kind=slipped"));
  assertEquals(slipped.length, 3);
  const { next_after } = await app.json("/api/changes?limit=1");
  const later = await linesOf(await app.fetch(`/changes.csv?after=${next_after}`));
  ok(later.length < all.length);
  assertEquals((await app.fetch("/changes.csv?kind=moved")).status, 400);
});

testOnDatabases(
  "A client gets four tables at a time, and an abandoned one frees its place",
  async (database) => {
    await using app = await serve(
      database,
      Array.from({ length: 500 }, (_, number) => makeItem(number + 1)),
    );
    const open = () => app.fetch("/releases.csv");
    const bodies = await Promise.all([open(), open(), open(), open()]);
    const refused = await open();
    assertEquals([refused.status, refused.headers.get("retry-after")], [503, "60"]);
    match((await refused.json()).detail, /Too many tables are being downloaded/);
    await bodies[0]!.body!.cancel();
    const again = await open();
    assertEquals((await again.text()).split("\r\n").length, 502);
    assertEquals((await open()).status, 200);
  },
);

Deno.test("Nothing is buffered for a client that has stopped reading", async () => {
  const streams = new OpenStreams({ ofNetwork: 1, idleMs: 20 });
  let isOver = false;
  async function* write() {
    try {
      while (true) yield "row\r\n";
    } finally {
      isOver = true;
    }
  }
  const stopped = await streams.open(REQUEST, "192.0.2.1", write);
  await rejects(() => streams.open(REQUEST, "192.0.2.1", write), /Too many tables/);
  await waitFor("the table to end", () => isOver);
  const { value } = await (await streams.open(REQUEST, "192.0.2.1", write)).getReader().read();
  ok(value!.length > 0);
  await rejects(() => new Response(stopped).text(), /stopped reading/);
});

Deno.test("A client that reads too slowly loses its place", async () => {
  // Faster than the time between two pieces, but slower than so many bytes per second.
  const streams = new OpenStreams({ ofNetwork: 1, idleMs: 200, bytesPerSecond: 1_000_000 });
  async function* write() {
    while (true) yield "row\r\n";
  }
  const reader = (await streams.open(REQUEST, "192.0.2.1", write)).getReader();
  let pieces = 0;
  const read = async () => {
    while (true) {
      await reader.read();
      pieces++;
      await delay(10);
    }
  };
  await rejects(read, /stopped reading/);
  ok(pieces > 1);
  await streams.open(REQUEST, "192.0.2.1", write);
});

slowOnDatabases(
  "Every statement of a table is that of its client, and has a limit",
  async (database) => {
    await importItems(database, Array.from({ length: 500 }, (_, number) => makeItem(number + 1)));
    const callers: (Caller | undefined)[] = [];
    await using app = await startApp({
      ...database,
      query: (statement, caller) => {
        if (!caller || caller.signal) callers.push(caller);
        return database.query(statement, caller);
      },
    }, { TRUSTED_PROXIES: "1" });
    callers.length = 0;
    for (const path of ["/releases.csv", "/changes.csv"]) {
      const headers = { "X-Forwarded-For": "192.0.2.7" };
      const text = await (await app.fetch(path, { headers })).text();
      assertEquals(text.split("\r\n").length, 502);
    }
    ok(callers.length > 10);
    assertEquals(new Set(callers.map((caller) => caller?.client)), new Set(["192.0.2.7"]));
  },
);

testOnDatabases("All networks of one site together get four tables at a time", async (database) => {
  await using app = await serve(
    database,
    Array.from({ length: 500 }, (_, number) => makeItem(number + 1)),
  );
  const open = (path: string, from: string) => app.fetch(path, {}, from);
  for (let network = 0; network < 4; network++) {
    const { status } = await open("/releases.csv", `2001:db8:1:${network}::1`);
    assertEquals(status, 200);
  }
  assertEquals((await open("/changes.csv", "2001:db8:1:ffff::1")).status, 503);
  assertEquals((await open("/changes.csv", "2001:db8:2::1")).status, 200);
});

Deno.test("A failed table frees its place", async () => {
  const streams = new OpenStreams({ ofNetwork: 1 });
  async function* fail(): AsyncGenerator<string> {
    yield "head\r\n";
    yield "row\r\n";
    throw new Error("away");
  }
  await rejects(
    async () => new Response(await streams.open(REQUEST, "192.0.2.1", fail)).text(),
    /away/,
  );
  async function* failAtOnce(): AsyncGenerator<string> {
    yield "head\r\n";
    throw new Error("gone");
  }
  await rejects(() => streams.open(REQUEST, "192.0.2.1", failAtOnce), /gone/);
  await rejects(() => streams.open(REQUEST, "192.0.2.1", failAtOnce), /gone/);
});
