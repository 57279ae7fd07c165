import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, readPages, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { watchDatabase } from "../support/watched_database.ts";
import { slowOnDatabases } from "../support/slow.ts";

interface Changelog {
  total_items: number;
  days: { date: string; count: number; items: Record<string, unknown>[] }[];
}

/** Days with the names of their items, and what changed of each. */
function outline({ days }: Changelog): [string, [unknown, unknown][]][] {
  return days.map((
    { date, items },
  ) => [date, items.map(({ feature_name, changed_columns }) => [feature_name, changed_columns])]);
}

testOnDatabases("The changelog groups items by the day of their last change", async (database) => {
  const undated = (number: number, fields = {}) =>
    makeItem(number, { last_modified: null, ...fields });
  const start = [undated(1), undated(2), undated(3), undated(4)];
  await importItems(database, start, { asOf: "2026-07-01" });
  const changed = [undated(1, { release_status: "Shipped" }), undated(2), undated(4)];
  await importItems(database, changed, { asOf: "2026-07-10" });
  const again = [undated(1, { release_status: "Shipped", release_date: null }), undated(2)];
  await importItems(database, [...again, undated(4)], { asOf: "2026-07-10" });
  await importItems(database, [...again, undated(3), undated(4)], { asOf: "2026-07-12" });
  await importItems(database, [...again, undated(3)], { asOf: "2026-07-12" });
  await using app = await startApp(database);
  const changelog: Changelog = await app.json("/api/changelog");
  assertEquals(outline(changelog), [["2026-07-12", [["Feature 3", ["Restored to Roadmap"]], [
    "Feature 4",
    ["Removed from Roadmap"],
  ]]], ["2026-07-10", [["Feature 1", [
    "Release Status Planned -> Shipped",
    "Release Date 2026-09-30 -> (none)",
  ]]]], ["2026-07-01", [["Feature 2", ["Roadmap Item Added"]]]]]);
  assertEquals(changelog.total_items, 4);
  assertEquals(changelog.days.map(({ count }) => count), [2, 1, 1]);
  assertEquals(changelog.days[0]!.items[1], {
    release_item_id: makeItem(4).release_item_id,
    feature_name: "Feature 4",
    product_name: "Product",
    release_type: "General availability",
    release_status: "Planned",
    release_date: "Q3 2026",
    last_modified: "2026-07-12",
    active: false,
    changed_columns: ["Removed from Roadmap"],
  });
  const active: Changelog = await app.json("/api/changelog?include_inactive=false");
  assertEquals([active.total_items, active.days[0]!.items.length], [3, 1]);
  for (const word of ["true", "1", "TRUE", ""]) {
    const all: Changelog = await app.json(`/api/changelog?include_inactive=${word}`);
    assertEquals(all.total_items, 4);
  }
});

testOnDatabases("The changelog looks back 30 days, at most 90", async (database) => {
  const days = ["2026-04-20", "2026-04-21", "2026-06-19", "2026-06-20", "2026-07-19", "2026-07-20"];
  await using app = await serve(
    database,
    days.map((last_modified, n) => makeItem(n, { last_modified })),
  );
  const daysAt = async (query: string) => {
    const { days }: Changelog = await app.json(`/api/changelog?${query}`);
    return days.map(({ date }) => date).reverse();
  };
  assertEquals(await daysAt(""), days.slice(3));
  assertEquals(await daysAt("days=1"), days.slice(4));
  assertEquals(await daysAt("days=0"), days.slice(4));
  assertEquals(await daysAt("days=31"), days.slice(2));
  assertEquals(await daysAt("days=90"), days.slice(1));
  assertEquals(await daysAt("days=365"), days.slice(1));
  const refused = await app.fetch("/api/changelog?days=soon");
  assertEquals(refused.status, 400);
  assertEquals((await refused.json()).errors, [{ name: "days", reason: "must be a whole number" }]);
});

testOnDatabases(
  "Within a day the changelog is sorted by product, name and ID",
  async (database) => {
    const names = [["b", "Z"], ["B", "a"], ["a", "z"], ["A", "Y"], ["é", "e"], ["a", "z"]];
    await importItems(
      database,
      names.map(([product_name, feature_name], n) =>
        makeItem(n + 1, { product_name, feature_name, last_modified: "2026-07-19" })
      ),
    );
    await using app = await startApp(database);
    const { days: [day] }: Changelog = await app.json("/api/changelog");
    assertEquals(day!.items.map((item) => Number(String(item.release_item_id).slice(-2))), [
      4,
      3,
      6,
      2,
      1,
      5,
    ]);
  },
);

testOnDatabases("The changelog accepts the three filters", async (database) => {
  await using app = await serve(database, [
    makeItem(1, { product_name: "One", last_modified: "2026-07-19" }),
    makeItem(2, { release_type: "Beta", last_modified: "2026-07-19" }),
    makeItem(3, { release_status: "Shipped", last_modified: "2026-07-19" }),
  ]);
  const namesAt = async (query: string) => {
    const { days }: Changelog = await app.json(`/api/changelog?${query}`);
    return days.flatMap(({ items }) => items.map(({ feature_name }) => feature_name));
  };
  assertEquals(await namesAt("product_name=One"), ["Feature 1"]);
  assertEquals(await namesAt("release_type=Beta"), ["Feature 2"]);
  assertEquals(await namesAt("release_status=Shipped"), ["Feature 3"]);
  assertEquals(await namesAt("release_status=shipped"), []);
  assertEquals(await app.json("/api/changelog?product_name=none"), { total_items: 0, days: [] });
});

testOnDatabases("Variant B has no changelog", async (database) => {
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  assertEquals((await app.fetch("/api/changelog")).status, 200);
  const response = await app.fetch("/b/api/changelog");
  assertEquals(response.status, 404);
  assertEquals(response.headers.get("content-type"), "application/problem+json");
});

slowOnDatabases("The changelog is paged by 1,000 releases, newest days first", async (database) => {
  const items = Array.from(
    { length: 2_300 },
    (_, index) =>
      makeItem(index, {
        last_modified: index < 1_500 ? "2026-07-18" : "2026-07-10",
        release_status: index === 0 ? "Shipped" : "On the way & more",
      }),
  );
  await using app = await serve(database, items);
  const path = "/api/changelog?days=29&release_status=On%20the%20way%20%26%20more" +
    "&include_inactive=false";
  const pages = await readPages<Changelog>(app, path);
  assertEquals(pages.map(({ total_items }) => total_items), [2_299, 2_299, 2_299]);
  assertEquals(
    pages.map(({ days }) => days.map(({ date, count, items }) => [date, count, items.length])),
    [[["2026-07-18", 1_000, 1_000]], [["2026-07-18", 499, 499], ["2026-07-10", 501, 501]], [[
      "2026-07-10",
      299,
      299,
    ]]],
  );
  const ids = pages.flatMap(({ days }) => days).flatMap(({ items }) => items).map((
    { release_item_id },
  ) => release_item_id);
  assertEquals(ids.toSorted(), items.slice(1).map((item) => item.release_item_id).toSorted());
  const linksAt = async (path: string) => (await app.fetch(path)).headers.get("link");
  assertEquals(await linksAt(`${path}&page=1`), `<${path}&page=2>; rel="next"`);
  assertEquals(
    await linksAt("/api/changelog?page=2"),
    '</api/changelog?page=3>; rel="next", </api/changelog>; rel="prev"',
  );
  assertEquals(await linksAt("/api/changelog?page=3"), '</api/changelog?page=2>; rel="prev"');
  assertEquals(await linksAt("/api/changelog?page=9"), '</api/changelog?page=3>; rel="prev"');
  assertEquals(await linksAt("/api/changelog?release_status=Shipped"), null);
  assertEquals(await app.json("/api/changelog?page=9"), { total_items: 2_300, days: [] });
  assertEquals(await app.json("/api/changelog?page=-1"), await app.json("/api/changelog"));
  const refused = await app.fetch("/api/changelog?page=two");
  assertEquals([refused.status, (await refused.json()).errors[0].name], [400, "page"]);
});

slowOnDatabases(
  "The changelog neither reads nor returns complete descriptions",
  async (database) => {
    const long = (word: string) => `${word} `.repeat(100_000);
    const items = (word: string) =>
      [1, 2, 3].map((number) =>
        makeItem(number, { feature_description: long(word), last_modified: null })
      );
    await importItems(database, items("old"), { asOf: "2026-07-01" });
    await importItems(database, items("new"), { asOf: "2026-07-10" });
    const watched = watchDatabase(database);
    await using app = await startApp(watched);
    const changelog: Changelog = await app.json("/api/changelog");
    const shown = `Feature Description ${long("old").slice(0, 200)}… -> ${
      long("new").slice(0, 200)
    }…`;
    assertEquals(changelog.days[0]!.items.map(({ changed_columns }) => changed_columns), [[shown], [
      shown,
    ], [shown]]);
    const page = await (await app.fetch("/changelog")).text();
    assert(page.length < 20_000, `${page.length} characters`);
    const size = watched.takeSize();
    assert(size < 40_000, `${size} characters were read`);
  },
);

testOnDatabases("The changelog lists the last 50 of many changes on one day", async (database) => {
  await importItems(database, [makeItem(1)]);
  await database.query(sql`
    insert into changes (release_item_id, run_id, day, kind, field, old_value, new_value)
    select release_item_id, 1, last_modified, 'changed', 'feature_name', n::text, (n + 1)::text
    from items, generate_series(1, 500) as n
  `);
  await using app = await startApp(database);
  const { days: [day] }: Changelog = await app.json("/api/changelog");
  assertEquals(
    day!.items[0]!.changed_columns,
    Array.from({ length: 50 }, (_, n) => `Feature Name ${n + 451} -> ${n + 452}`),
  );
});
