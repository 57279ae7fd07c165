import { deepStrictEqual as assertEquals, rejects } from "node:assert/strict";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { importItems, makeItem, serve, startApp, TODAY } from "../support/app.ts";
import { emptyDatabase, openMigratedEmbedded, testOnDatabases } from "../support/databases.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { slowOnDatabases } from "../support/slow.ts";

const ID = makeItem(1).release_item_id as string;
const undated = (fields: Record<string, unknown>) =>
  makeItem(1, { last_modified: null, ...fields });
const products = (...product_names: string[]) => ({
  product_name: product_names[0],
  product_names,
});
const tags = (groups: Record<string, string[]>) => ({ tags: groups });

type Fields = Record<string, unknown>;

/** What becomes of a release, and what both variants say of it. */
const CHANGES: [before: Fields, after: Fields, a: string[], b: string[]][] = [
  [products("A"), products("B"), ["Product Name A -> B"], ["ProductName"]],
  [products("A", "B"), products("A", "C"), ["Products A, B -> A, C"], ["Products"]],
  [products("A", "B"), products("B", "A"), [], []],
  [products("A", "B", "C"), products("A", " C", "B ", "B"), [], []],
  [products("A"), products("B", "A"), ["Products A -> A, B"], ["Products"]],
  [products("A", "B"), products("C"), ["Products A, B -> C"], ["Products"]],
  [{}, tags({ Platform: ["Web"] }), ["Tags (Platform) (none) -> Web"], ["Tags"]],
  [tags({ Platform: ["Web"] }), tags({ Platform: ["iOS", "Web"] }), [
    "Tags (Platform) Web -> Web, iOS",
  ], ["Tags"]],
  [tags({ Platform: ["Web"] }), tags({ Platform: [] }), ["Tags (Platform) Web -> (none)"], [
    "Tags",
  ]],
  [tags({ "Platform": ["Web"], "A ring": ["GA"] }), tags({ "A ring": ["Preview"] }), [
    "Tags (A ring) GA -> Preview",
    "Tags (Platform) Web -> (none)",
  ], ["Tags"]],
  [tags({ "P": ["a"], " P ": ["b"] }), tags({ P: ["b", "a"] }), [], []],
  [tags({ P: ["a", "b"], Q: ["c"] }), tags({ Q: ["c"], P: ["b", "a ", "a"] }), [], []],
];

slowOnDatabases(
  "A change of products or tags is listed once, in both variants",
  async (database) => {
    for (const [before, after, a, b] of CHANGES) {
      await emptyDatabase(database);
      await importItems(database, [undated(before)], { asOf: "2026-07-10" });
      const counts = await importItems(database, [undated(after)], { asOf: "2026-07-15" });
      assertEquals(counts.changed, a.length > 0 ? 1 : 0, JSON.stringify(after));
      await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
      const historyAt = async (path: string) =>
        (await app.json(`${path}/api/releases/history/${ID}`))
          .map(({ changed_columns }: { changed_columns: string | string[] }) => changed_columns)
          .slice(0, -1);
      assertEquals(await historyAt(""), a);
      assertEquals(await historyAt("/b"), b.length > 0 ? [b] : []);
      const past = await app.json("/api/releases?as_of=2026-07-12");
      await emptyDatabase(database);
      await importItems(database, [undated(before)], { asOf: "2026-07-10" });
      const { data: [expected] } = await app.json("/api/releases");
      assertEquals(past.data, [expected]);
    }
  },
);

testOnDatabases(
  "A release with one product and no tags has only the fields of the interface",
  async (database) => {
    await using app = await serve(database, [
      undated({ ...products("A"), tags: { Platform: [] } }),
    ]);
    const { data: [item] } = await app.json("/api/releases");
    assertEquals(["product_names" in item, "tags" in item], [false, false]);
    assertEquals("tags" in await app.json("/api/filter-options"), false);
    const { counts } = await app.json("/api/filter-options?q=Feature");
    assertEquals(Object.keys(counts), ["product_name", "release_type", "release_status"]);
    const { data: [{ kind, fields }] } = await app.json("/api/changes");
    assertEquals([kind, fields], ["added", []]);
  },
);

testOnDatabases("Invalid products, tags and filters are refused", async (database) => {
  const wrong: [Fields, RegExp][] = [
    [{ product_names: "A" }, /"product_names" must be a list of texts/],
    [{ product_names: [""] }, /"product_names" must not be empty/],
    [tags({ "A:B": ["x"] }), /"tags" .*colon/],
    [{
      product_names: Array.from({ length: 101 }, (_, n) => `P${n}`),
    }, /"product_names" has more than 100 products/],
    [
      tags(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`G${n}`, ["x"]]))),
      /"tags" has more than 100 groups/,
    ],
    [{ tags: { A: "x" } }, /"tags" must be a list of texts/],
    [{ tags: { A: [5] } }, /"tags" must be text/],
  ];
  for (const [fields, reason] of wrong) {
    await rejects(importItems(database, [undated(fields)]), reason);
  }
  await using app = await startApp(database);
  for (const tag of ["Web", ":Web", "Platform:"]) {
    for (const path of ["/api/releases", "/api/changes", "/rss.xml", "/calendar.ics", "/"]) {
      const response = await app.fetch(`${path}?tag=${tag}`);
      assertEquals(response.status, 400, path);
    }
  }
});

slowOnDatabases("A mirror copies products and tags", async (database) => {
  const origin = await openMigratedEmbedded();
  const app = await startApp(origin);
  await importItems(origin, [undated({ ...products("C", "B"), tags: { P: ["1", "2"] } })]);
  await using source = serveSource((request, { pathname, search }) =>
    app.fetch(pathname + search, { headers: request.headers })
  );
  await importLocation(database, source.url, { asOf: TODAY, kind: "roadcast", pausesMs: [] });
  await using mirror = await startApp(database);
  assertEquals(await mirror.json("/api/releases"), await app.json("/api/releases"));
  await app[Symbol.asyncDispose]();
  await origin.close();
});

testOnDatabases(
  "A product that becomes empty is noticed even as a second product",
  async (database) => {
    const of = (number: number, ...names: string[]) => makeItem(number, products(...names));
    const shared = (number: number) => of(number, "Word", "Editor");
    const others = Array.from({ length: 8 }, (_, place) => of(place + 20, "Outlook"));
    const five = [1, 2, 3, 4, 5].map(shared);
    await importItems(database, [...five, ...others]);
    await rejects(() => importItems(database, [of(9, "Outlook", "Editor"), ...others]), /"Editor"/);
    await importItems(database, [of(9, "Outlook"), ...others]);
  },
);

testOnDatabases(
  "Insights count a release for each of its products, and once in all",
  async (database) => {
    const at = (fields: Record<string, unknown>) =>
      [
        makeItem(1, {
          release_date: "Q2 2026",
          last_modified: null,
          ...products("Word", "Editor"),
        }),
        makeItem(2, { release_date: "Q2 2026", last_modified: null, product_name: "Word" }),
        makeItem(3, { release_date: "Q3 2026", last_modified: null, ...products("Word", "Teams") }),
      ].map((item) => ({ ...item, ...fields }));
    await importItems(database, at({ release_type: "Preview" }), { asOf: "2026-01-15" });
    await importItems(database, at({ release_type: "Preview", release_status: "Shipped" }), {
      asOf: "2026-06-10",
    });
    await importItems(database, [...at({ release_status: "Shipped" }).slice(0, 2), at({})[2]!], {
      asOf: "2026-07-10",
    });
    await using app = await startApp(database);
    const { promises, shipped, preview } = await app.json("/api/insights");
    assertEquals([promises.due, shipped.planned, preview.finished, preview.current], [2, 1, 2, 1]);
    const named = (rows: Record<string, unknown>[], field: string) =>
      rows.map((row) => [row.product_name, row[field]]);
    assertEquals(named(promises.by_product, "due"), [["Word", 2], ["Editor", 1]]);
    assertEquals(named(shipped.by_product, "planned"), [["Teams", 1], ["Word", 1]]);
    assertEquals(named(preview.by_product, "finished"), [["Word", 2], ["Editor", 1], ["Teams", 0]]);
  },
);
