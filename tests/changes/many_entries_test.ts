import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { noteEntries } from "../../bench/data/note_entries.ts";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, readPages, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { slowOnDatabases } from "../support/slow.ts";

const ID = String(makeItem(1).release_item_id);

const MEGABYTE = 1024 * 1024;

slowOnDatabases("A history is paged by 1,000 entries, newest first", async (database) => {
  await importItems(database, [makeItem(1), makeItem(2)], { asOf: "2026-07-01" });
  await database.query(sql`
    insert into import_runs (source, as_of, partial) select '', '2026-07-20', false
    from generate_series(2, 2501)
  `);
  await database.query(sql`
    insert into changes (release_item_id, run_id, day, kind, field, old_value, new_value)
    select ${ID}::uuid, run_id, '2026-07-02', 'changed', field, run_id::text, (run_id + 1)::text
    from generate_series(2, 2501) as run_id,
      unnest(array['feature_name', 'release_type', 'blog_title']) as field
    where field = 'blog_title' or run_id > 101
  `);
  await noteEntries(database);
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  const path = `/api/releases/history/${ID}`;
  type Entry = { changed_columns: string | string[] };
  const pagesOfA = await readPages<Entry[]>(app, path);
  assertEquals(pagesOfA.map(({ length }) => length), [
    1_000,
    1_000,
    1_000,
    1_000,
    1_000,
    1_000,
    1_000,
    301,
  ]);
  const entries = pagesOfA.flat().map(({ changed_columns }) => changed_columns);
  assertEquals(entries.slice(0, 4), [
    "Feature Name 2501 -> 2502",
    "Release Type 2501 -> 2502",
    "Blog Title 2501 -> 2502",
    "Feature Name 2500 -> 2501",
  ]);
  assertEquals(new Set(entries).size, 7_301);
  assertEquals(entries.at(-1), "Roadmap Item Added");
  // Variant B tells a modification by the names of its fields, and has no blog.
  const pagesOfB = await readPages<Entry[]>(app, `/b${path}`);
  assertEquals(pagesOfB.map(({ length }) => length), [1_000, 1_000, 401]);
  assertEquals(pagesOfB[1]![0]!.changed_columns, ["FeatureName", "ReleaseType"]);
  assertEquals(pagesOfB[2]!.at(-1)!.changed_columns.length, 7);
  const second = await app.fetch(`${path}?page=2`);
  assertEquals(
    second.headers.get("link"),
    `<${path}?page=3>; rel="next", <${path}?page=1>; rel="prev"`,
  );
  const beyond = await app.fetch(`${path}?page=99`);
  assertEquals(beyond.headers.get("link"), `<${path}?page=8>; rel="prev"`);
  assertEquals(await beyond.json(), []);
  assertEquals((await app.fetch(`${path}?page=x`)).status, 400);
  const page = await (await app.fetch(`/release/${ID}`)).text();
  assertEquals(page.match(/<li class="at-/g)!.length, 100);
  match(page, new RegExp(`Showing the last 100 of 2,501 changes. <a href="${path}">`));
  match(page, /"dateModified":"2026-07-01"/);
});

testOnDatabases("Forms list the values that most releases have, and say so", async (database) => {
  const items = Array.from(
    { length: 600 },
    (_, index) => makeItem(index, { product_name: `Product ${String(index).padStart(3, "0")}` }),
  );
  const popular = makeItem(700, { product_name: "Product 599" });
  await using app = await serve(database, [...items, popular]);
  for (const path of ["/", "/changelog", "/subscribe", "/?product_name=Product+598"]) {
    const response = await app.fetch(path);
    const html = (await response.text()).replace(/<script.*?<\/script>/gs, "");
    const values = html.match(/(<option|<input type="checkbox")[^>]* value="Product \d+"/g)!;
    assertEquals([path, values.length], [path, path.includes("598") ? 501 : 500]);
    assert(html.includes('value="Product 599"'), path);
    match(html, /Showing 500 of 600 products: those with the most releases\./);
    assert(!html.includes("types: those with the most releases"), path);
  }
  const { product_names } = await app.json("/api/filter-options");
  assertEquals(product_names.length, 600);
});

slowOnDatabases("Lists of filter options are limited to 4 MB", async (database) => {
  await importItems(database, [makeItem(1)]);
  await database.query(sql`
    insert into item_rows (
      release_item_id, feature_name, release_type, release_status, product_name, last_modified,
      product_names, text_id
    )
    select md5(n::text)::uuid, 'x', 'x', 'x', name, '2026-07-01', array[name],
      (select text_id from item_texts)
    from generate_series(1, 10000) as n,
      lateral (select lpad(n::text, 6, '0') || repeat('x', 494) as name) as named
  `);
  await using app = await startApp(database);
  const { product_names, release_types } = await app.json("/api/filter-options");
  assertEquals(release_types, ["General availability", "x"]);
  assertEquals(product_names.length, Math.floor(4 * MEGABYTE / 503));
  assertEquals(product_names[0].slice(0, 7), "000001x");
});

testOnDatabases("The overview omits what is far from today", async (database) => {
  await importItems(
    database,
    Array.from({ length: 800 }, (_, index) =>
      makeItem(index, {
        release_date: `Q${index % 4 + 1} ${1980 + Math.floor(index / 4)}`,
        release_status: `Status ${index}`,
      })),
  );
  await using app = await startApp(database);
  const html = await (await app.fetch("/")).text();
  const quarters = [...html.matchAll(/<th scope="row">Q(\d) (\d+)</g)].map(([, quarter, year]) =>
    Number(year) * 4 + Number(quarter)
  );
  const first = 2016 * 4 + 3;
  assertEquals(quarters, Array.from({ length: 80 }, (_, index) => first + index));
});

testOnDatabases(
  "A subscribe page accepts no more preferences than can be sent",
  async (database) => {
    await using app = await startApp(database);
    const preferences = Array.from({ length: 400 }, (_, index) => `products=${index}`).join("&");
    const html = await (await app.fetch(`/subscribe?${preferences}`)).text();
    assertEquals(html.match(/<input type="checkbox" name="products"/g)!.length, 100);
  },
);

slowOnDatabases("Above 49,000 releases the sitemap is an index of parts", async (database) => {
  await importItems(database, [makeItem(1)]);
  await database.query(sql`
    insert into item_rows (
      release_item_id, feature_name, release_type, release_status, product_name, last_modified,
      product_names, text_id
    )
    select md5(n::text)::uuid, 'x', 'x', 'x', 'x', '2026-07-01', '{x}', (select text_id from item_texts)
    from generate_series(1, 50000) as n
  `);
  await using app = await startApp(database);
  const locationsAt = async (path: string) => {
    const text = await (await app.fetch(path)).text();
    assert(text.length < 50 * MEGABYTE);
    return [...text.matchAll(/<loc>http:\/\/localhost:8000(.*?)<\/loc>/g)].map(([, at]) => at!);
  };
  const parts = await locationsAt("/sitemap.xml");
  assertEquals(parts, ["/sitemap.xml?page=1", "/sitemap.xml?page=2"]);
  const pages = [];
  for (const part of parts) {
    const locations = await locationsAt(part);
    assert(locations.length <= 50_000);
    pages.push(...locations);
  }
  assertEquals(new Set(pages).size, 50_001 + 6);
  assertEquals((await app.fetch("/sitemap.xml?page=3")).status, 404);
});

testOnDatabases("Values that clients invent create no metrics", async (database) => {
  await using app = await startApp(database);
  const linesOf = async () => {
    const text = await (await app.fetch("/metrics")).text();
    return text.split("\n").filter((line) => line.startsWith("roadcast_requests_total"));
  };
  const ask = async (number: number) => {
    for (const method of ["GET", "BREW", "POST"]) {
      const response = await app.fetch(`/made-up-${number}?x=${number}`, { method });
      await response.body?.cancel();
    }
  };
  await ask(0);
  await linesOf();
  const before = await linesOf();
  for (let number = 1; number < 20; number++) await ask(number);
  assertEquals((await linesOf()).length, before.length);
});
