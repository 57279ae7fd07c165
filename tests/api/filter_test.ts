import { deepStrictEqual as assertEquals } from "node:assert/strict";
import fc from "fast-check";
import { makeItem, serve, startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { runs } from "../support/slow.ts";

const ITEMS = [
  makeItem(1, { product_name: "Maps", release_date: "2026-03-31", last_modified: "2026-07-01" }),
  makeItem(2, { product_name: "Mail", release_date: "2026-07-01", last_modified: "2026-07-05" }),
  makeItem(3, { product_name: "Mail", release_date: "2026-09-30", release_type: "Preview" }),
  makeItem(4, { product_name: "Chat", release_date: null, release_status: "Shipped" }),
  makeItem(5, { product_name: "Chat", release_date: "2026-10-01", last_modified: "2026-07-19" }),
];

async function idsAt(app: TestApp, path: string): Promise<number[]> {
  const { data } = await app.json(path);
  return data.map((item: { release_item_id: string }) => Number(item.release_item_id.slice(-12)));
}

testOnDatabases("A repeated parameter matches any of its values", async (database) => {
  await using app = await serve(database, ITEMS);
  const found = (query: string) => idsAt(app, `/api/releases?${query}`);
  assertEquals(await found("product_name=Maps&product_name=Chat"), [5, 1, 4]);
  assertEquals(await found("product_name=Maps&product_name=Chat&release_status=Shipped"), [4]);
  assertEquals(await found("product_name=Maps&product_name=&product_name=Gone"), [1]);
  const { links } = await app.json(
    "/api/releases?release_type=Preview&product_name=Mail&product_name=Chat&product_name=Mail",
  );
  assertEquals(
    links.self,
    "/api/releases?product_name=Chat&product_name=Mail&release_type=Preview&page=1&page_size=50",
  );
  const many = Array.from({ length: 101 }, (_, number) => `release_type=${number}`).join("&");
  const refused = await app.fetch(`/api/releases?${many}`);
  assertEquals(refused.status, 400);
  assertEquals((await refused.json()).errors, [
    { name: "release_type", reason: "must have at most 100 values" },
  ]);
});

testOnDatabases("Order and repetition of values do not change a response", async (database) => {
  await using app = await serve(database, ITEMS);
  const values = [
    "product_name=Maps",
    "product_name=Chat",
    "release_status=Shipped",
    "release_status=Planned",
  ];
  const plain = await (await app.fetch(`/api/releases?${values.join("&")}`)).text();
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([...values, ...values], { minLength: 8 }),
      async (query) => {
        const response = await app.fetch(`/api/releases?${query.join("&")}`);
        assertEquals(await response.text(), plain);
      },
    ),
    { numRuns: runs(20, database) },
  );
});

testOnDatabases("A date that does not exist is refused, naming the parameter", async (database) => {
  await using app = await startApp(database);
  for (
    const query of [
      "modified_since=2026-02-30",
      "modified_since=Q3+2026",
      "release_date_from=Q5+2026",
      "release_date_to=soon",
    ]
  ) {
    for (
      const path of [
        "/api/releases",
        "/api/changelog",
        "/api/filter-options",
        "/rss",
        "/atom.xml",
        "/feed.json",
        "/calendar.ics",
      ]
    ) {
      const response = await app.fetch(`${path}?${query}`);
      assertEquals(response.status, 400, `${path}?${query}`);
      const { errors: [{ name }] } = await response.json();
      assertEquals(name, query.split("=")[0]);
    }
  }
});

testOnDatabases(
  "order=asc reverses only the first key; items without a date stay last",
  async (database) => {
    await using app = await serve(database, ITEMS);
    const found = (query: string) => idsAt(app, `/api/releases?${query}`);
    assertEquals(await found("sort=release_date"), [5, 3, 2, 1, 4]);
    assertEquals(await found("sort=release_date&order=asc"), [1, 2, 3, 5, 4]);
    assertEquals(await found("order=asc"), [3, 1, 4, 2, 5]);
    assertEquals(await found("order=upwards"), [5, 2, 3, 1, 4]);
    const { links } = await app.json("/api/releases?order=asc&page_size=2");
    assertEquals(links.next, "/api/releases?order=asc&page=2&page_size=2");
  },
);

testOnDatabases("sort=relevance puts the best match first", async (database) => {
  const newest = "2026-07-19";
  await using app = await serve(database, [
    makeItem(1, { feature_name: "Lake", last_modified: "2026-06-01" }),
    makeItem(2, { feature_name: "Lakehouse", last_modified: "2026-06-01" }),
    makeItem(3, { feature_name: "One (lake) view", last_modified: "2026-06-01" }),
    makeItem(4, { feature_name: "OneLake", last_modified: "2026-06-01" }),
    makeItem(5, { feature_name: "Tables", product_name: "Lake", last_modified: newest }),
    makeItem(6, { feature_name: "Rows", feature_description: "a LAKE", last_modified: newest }),
    makeItem(7, {
      feature_name: "Files",
      feature_description: "lakes",
      last_modified: "2026-07-18",
    }),
  ], { ROADMAP_VARIANT: "both" });
  for (const site of ["", "/b"]) {
    const found = (query: string) => idsAt(app, `${site}/api/releases?${query}`);
    assertEquals(await found("q=lake&sort=relevance"), [1, 2, 3, 4, 5, 6, 7]);
    assertEquals(await found("q=lake&sort=relevance&order=asc"), [1, 2, 3, 4, 5, 6, 7]);
    assertEquals(await found("q=(lake)&sort=relevance"), [3]);
    assertEquals((await found("q=lake")).slice(0, 3), [6, 5, 7]);
    const withoutWords = await app.fetch(`${site}/api/releases?sort=relevance`);
    const plain = await app.fetch(`${site}/api/releases`);
    assertEquals(withoutWords.headers.get("etag"), plain.headers.get("etag"));
  }
  const page = await (await app.fetch("/?q=lake")).text();
  const names = [...page.matchAll(/href="\/release\/[^"]*-0*(\d+)"/g)].map(([, id]) => Number(id));
  assertEquals(names, [1, 3, 2, 5, 6, 7], "By words, of which OneLake is one");
});
