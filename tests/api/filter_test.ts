import {
  deepStrictEqual as assertEquals,
  notDeepStrictEqual as assertNotEquals,
} from "node:assert/strict";
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

testOnDatabases("Due releases are neither shipped nor stopped", async (database) => {
  const due = (number: number, release_date: string | null, release_status = "Planned") =>
    makeItem(number, { release_date, release_status });
  await using app = await serve(database, [
    due(1, "2026-07-19"),
    due(2, "2026-07-19", "Shipped"),
    due(3, "2026-07-20", "In development"),
    due(4, "2026-07-27"),
    due(5, "2026-07-28"),
    due(6, "2026-07-21", "Cancelled"),
    due(7, "2026-08-19"),
    due(8, "2026-10-18"),
    due(9, "2026-10-19"),
    due(10, null),
  ]);
  const found = async (period: string) =>
    (await idsAt(app, `/api/releases?due=${period}`)).sort((a, b) => a - b);
  assertEquals(await found("overdue"), [1]);
  assertEquals(await found("next7"), [3, 4]);
  assertEquals(await found("next30"), [3, 4, 5, 7]);
  assertEquals(await found("next90"), [3, 4, 5, 7, 8]);
  const { counts } = await app.json("/api/filter-options?due=next7");
  assertEquals(counts.release_status, {
    Cancelled: 0,
    "In development": 1,
    Planned: 1,
    Shipped: 0,
  });
  const refused = await app.fetch("/api/releases?due=tomorrow");
  assertEquals(refused.status, 400);
  const { errors } = await refused.json();
  assertEquals(errors, [{
    name: "due",
    reason: "must be `overdue` or `next7` or `next30` or `next90`",
  }]);
});

testOnDatabases("Planned dates are filtered by day and by quarter", async (database) => {
  await using app = await serve(database, ITEMS);
  const found = async (query: string) => (await idsAt(app, `/api/releases?${query}`)).sort();
  assertEquals(await found("release_date_from=2026-07-01"), [2, 3, 5]);
  assertEquals(await found("release_date_from=Q3+2026&release_date_to=Q3+2026"), [2, 3]);
  assertEquals(await found("release_date_to=2026-03-31"), [1]);
  assertEquals(await found("release_date_to=2026-03-30"), []);
});

testOnDatabases("modified_since accepts a day, and the later start counts", async (database) => {
  await using app = await serve(database, ITEMS);
  const found = async (query: string) => (await idsAt(app, `/api/releases?${query}`)).sort();
  assertEquals(await found("modified_since=2026-07-05"), [2, 5]);
  assertEquals(await found("modified_since=2026-07-05&modified_within_days=3"), [5]);
  assertEquals(await found("modified_since=2026-07-19&modified_within_days=30"), [5]);
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

testOnDatabases(
  "Counts say what each value would find with the other filters unchanged",
  async (database) => {
    await using app = await serve(database, ITEMS);
    const { counts, product_names } = await app.json(
      "/api/filter-options?product_name=Mail&release_status=Planned",
    );
    assertEquals(product_names, ["Chat", "Mail", "Maps"]);
    assertEquals(counts, {
      product_name: { Chat: 1, Mail: 2, Maps: 1 },
      release_type: { "General availability": 1, Preview: 1 },
      release_status: { Planned: 2, Shipped: 0 },
    });
    const all = await app.json("/api/filter-options?q=feature");
    for (const [name, values] of Object.entries<Record<string, number>>(all.counts)) {
      for (const [value, count] of Object.entries(values)) {
        const query = new URLSearchParams({ q: "feature", [name]: value });
        const { pagination } = await app.json(`/api/releases?${query}`);
        assertEquals(count, pagination.total_items, `${name}=${value}`);
      }
    }
  },
);

testOnDatabases("The changelog and the feed accept the same filter", async (database) => {
  await using app = await serve(database, ITEMS);
  const days = await app.json(
    "/api/changelog?product_name=Maps&product_name=Chat&release_date_from=Q4+2026",
  );
  assertEquals(days.total_items, 1);
  assertEquals((await app.json("/api/changelog?q=feature+2")).total_items, 1);
  assertEquals((await app.json("/api/changelog?modified_since=2026-07-05&days=90")).total_items, 2);
  const feed = await (await app.fetch("/rss.xml?q=feature+2&product_name=Mail&product_name=Chat"))
    .text();
  assertEquals([...feed.matchAll(/<title>(Feature \d)/g)].map(([, title]) => title), ["Feature 2"]);
  assertEquals(
    feed.includes("/rss.xml?product_name=Chat&amp;product_name=Mail&amp;q=feature%202"),
    true,
  );
  const whole = await (await app.fetch("/rss.xml")).text();
  assertNotEquals(feed, whole);
});

testOnDatabases("Pages carry the complete filter in their form and links", async (database) => {
  await using app = await serve(database, ITEMS);
  const query = "product_name=Chat&product_name=Mail&release_date_from=2026-07-01&q=feature";
  const page = await (await app.fetch(`/?${query}&order=asc`)).text();
  assertEquals([...page.matchAll(/name="product_name" value="(\w+)" checked/g)].length, 2);
  assertEquals(
    /<select id="release_date_from"[^>]*>.*?<option selected value="Q3 2026">/.test(page),
    true,
  );
  assertEquals(page.includes('<input type="hidden" name="order" value="asc"'), true);
  const followed = `/rss.xml?${query.replace("2026-07-01", "Q3+2026")}`;
  assertEquals(page.includes(followed.replaceAll("&", "&amp;")), true);
  const changes = await (await app.fetch("/changelog?product_name=Chat&product_name=Mail")).text();
  assertEquals([...changes.matchAll(/name="product_name" value="(\w+)" checked/g)].length, 2);
});
