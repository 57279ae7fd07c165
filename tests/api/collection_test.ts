import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { importItems, makeItem, serve, startApp, type TestApp, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { waitFor } from "../support/wait_for.ts";

/** Six items, the newest last; two of the same day, one without a date, one removed. */
const ITEMS = [
  makeItem(1, { last_modified: "2026-06-20", release_date: "Q4 2026" }),
  makeItem(2, { last_modified: "2026-07-10", release_date: null }),
  makeItem(3, { last_modified: "2026-07-10", release_date: "Q1 2027", product_name: "R&D / Ünï" }),
  makeItem(4, { last_modified: "2026-07-10", release_date: "Q1 2027", release_status: "Shipped" }),
  makeItem(5, { last_modified: "2026-07-18", release_type: "Public preview" }),
];

async function namesAt(app: TestApp, path: string): Promise<string[]> {
  const { data } = await app.json(path);
  return data.map((item: { feature_name: string }) => item.feature_name.replace("Feature ", ""));
}

testOnDatabases("The order is total: last_modified, release_date, id", async (database) => {
  await using app = await serve(database, ITEMS);
  assertEquals(await namesAt(app, "/api/releases"), ["5", "4", "3", "2", "1"]);
  assertEquals(await namesAt(app, "/api/releases?sort=last_modified"), ["5", "4", "3", "2", "1"]);
  assertEquals(await namesAt(app, "/api/releases?sort=release_date"), ["4", "3", "1", "5", "2"]);
  assertEquals(await namesAt(app, "/api/releases?sort=newest"), ["5", "4", "3", "2", "1"]);
});

testOnDatabases("The three filters match exactly, and together", async (database) => {
  await using app = await serve(database, ITEMS);
  const product = encodeURIComponent("R&D / Ünï");
  assertEquals(await namesAt(app, `/api/releases?product_name=${product}`), ["3"]);
  assertEquals(await namesAt(app, "/api/releases?product_name=product"), []);
  assertEquals(await namesAt(app, "/api/releases?product_name=Prod"), []);
  assertEquals(await namesAt(app, "/api/releases?release_status=Shipped"), ["4"]);
  assertEquals(await namesAt(app, "/api/releases?release_type=Public%20preview"), ["5"]);
  assertEquals(await namesAt(app, "/api/releases?release_type=Public+preview"), ["5"]);
  assertEquals(
    await namesAt(app, "/api/releases?release_status=Planned&product_name=Product"),
    ["5", "2", "1"],
  );
  assertEquals(
    await namesAt(app, "/api/releases?product_name=&release_status="),
    ["5", "4", "3", "2", "1"],
  );
});

testOnDatabases("modified_within_days looks back that many days", async (database) => {
  await using app = await serve(database, ITEMS);
  assertEquals(await namesAt(app, "/api/releases?modified_within_days=2"), ["5"]);
  assertEquals(await namesAt(app, "/api/releases?modified_within_days=9"), ["5"]);
  assertEquals(await namesAt(app, "/api/releases?modified_within_days=10"), ["5", "4", "3", "2"]);
  assertEquals(await namesAt(app, "/api/releases?modified_within_days=30"), [
    "5",
    "4",
    "3",
    "2",
    "1",
  ]);
  app.setClock("2026-07-21T00:00:00Z");
  assertEquals(await namesAt(app, "/api/releases?modified_within_days=30"), ["5", "4", "3", "2"]);
});

testOnDatabases("A number out of range is clamped to the nearest bound", async (database) => {
  await using app = await serve(database, ITEMS);
  const inUse = async (query: string) => {
    const { pagination: { page, page_size }, links } = await app.json(`/api/releases?${query}`);
    return [page, page_size, links.self];
  };
  assertEquals(await inUse("page_size=500"), [1, 200, "/api/releases?page=1&page_size=200"]);
  assertEquals(await inUse("page_size=0"), [1, 1, "/api/releases?page=1&page_size=1"]);
  assertEquals(await inUse("page_size=-7"), [1, 1, "/api/releases?page=1&page_size=1"]);
  assertEquals(await inUse("page=0"), [1, 50, "/api/releases?page=1&page_size=50"]);
  assertEquals(await inUse("page=-1"), [1, 50, "/api/releases?page=1&page_size=50"]);
  assertEquals(
    (await inUse("modified_within_days=99"))[2],
    "/api/releases?modified_within_days=30&page=1&page_size=50",
  );
  assertEquals(
    (await inUse("modified_within_days=0"))[2],
    "/api/releases?modified_within_days=1&page=1&page_size=50",
  );
  assertEquals((await inUse(`page=${"9".repeat(400)}`))[0], Number.MAX_SAFE_INTEGER);
});

testOnDatabases("A page past the end is empty, and its previous is the last", async (database) => {
  await using app = await serve(database, ITEMS);
  const response = await app.fetch("/api/releases?page=9&page_size=2");
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("link"), '</api/releases?page=3&page_size=2>; rel="prev"');
  assertEquals(await response.json(), {
    data: [],
    pagination: {
      page: 9,
      page_size: 2,
      total_items: 5,
      total_pages: 3,
      has_next: false,
      has_prev: true,
      next_page: null,
      prev_page: 3,
    },
    links: {
      self: "/api/releases?page=9&page_size=2",
      first: "/api/releases?page=1&page_size=2",
      last: "/api/releases?page=3&page_size=2",
      next: null,
      prev: "/api/releases?page=3&page_size=2",
    },
  });
});

testOnDatabases("Without items there is one empty page", async (database) => {
  await using app = await startApp(database);
  const response = await app.fetch("/api/releases");
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("link"), null);
  const { data, pagination, links } = await response.json();
  assertEquals(data, []);
  assertEquals([pagination.total_items, pagination.total_pages], [0, 1]);
  assertEquals([links.next, links.prev], [null, null]);
});

testOnDatabases("Links repeat the filters, percent-encoded", async (database) => {
  await importItems(
    database,
    [1, 2, 3].map((number) => makeItem(number, { product_name: "R&D / 100%+ ü" })),
  );
  await using app = await startApp(database);
  const query = "q=feature+&include_inactive=TRUE&unknown=1&sort=release_date&page_size=1&page=2" +
    "&product_name=R%26D+%2F+100%25%2B+%C3%BC&release_status=Planned" +
    "&release_type=General+availability&modified_within_days=30";
  const response = await app.fetch(`/api/releases?${query}`);
  assertEquals(response.status, 200);
  const { links } = await response.json();
  const linkTo = (page: number) =>
    "/api/releases?product_name=R%26D%20%2F%20100%25%2B%20%C3%BC" +
    "&release_type=General%20availability&release_status=Planned&modified_within_days=30" +
    `&q=feature&sort=release_date&include_inactive=true&page=${page}&page_size=1`;
  assertEquals(links, {
    self: linkTo(2),
    first: linkTo(1),
    last: linkTo(3),
    next: linkTo(3),
    prev: linkTo(1),
  });
  assertEquals(
    response.headers.get("link"),
    `<${linkTo(3)}>; rel="next", <${linkTo(1)}>; rel="prev"`,
  );
  assertEquals((await app.json(links.next)).data.length, 1);
});

testOnDatabases("Links omit defaults", async (database) => {
  await using app = await serve(database, ITEMS);
  const { links } = await app.json(
    "/api/releases?sort=last_modified&include_inactive=no&q=%20%20&release_type=",
  );
  assertEquals(links.self, "/api/releases?page=1&page_size=50");
});

testOnDatabases(
  "A Link header too long for proxies is omitted, and the body has the links",
  async (database) => {
    await using app = await serve(database, ITEMS);
    const linksAt = async (length: number) => {
      const query = new URLSearchParams({ q: "é".repeat(length), page: "2" });
      const response = await app.fetch(`/api/releases?${query}`);
      assertEquals((await response.json()).links.prev.includes("&page=1&"), true);
      return response.headers.get("link");
    };
    assertEquals((await linksAt(333))!.length, 2_048);
    assertEquals(await linksAt(334), null);
  },
);

testOnDatabases("A value of the wrong type is refused, naming the parameter", async (database) => {
  await using app = await startApp(database);
  const refused = {
    "page=abc": "page",
    "page=1.5": "page",
    "page=1e3": "page",
    "page_size=ten": "page_size",
    "modified_within_days=week": "modified_within_days",
    "release_item_id=xyz": "release_item_id",
    "release_item_id=00000000-0000-4000-8000-00000000000": "release_item_id",
    "q=a%00b": "q",
    "q=%00": "q",
    "product_name=%00": "product_name",
    "release_type=x%00": "release_type",
    "release_status=%00y": "release_status",
    "sort=%00": "sort",
    "include_inactive=%00": "include_inactive",
    [`q=${"x".repeat(1_001)}`]: "q",
  };
  for (const [query, name] of Object.entries(refused)) {
    const response = await app.fetch(`/api/releases?${query}`);
    assertEquals([query, response.status], [query, 400]);
    assertEquals(response.headers.get("content-type"), "application/problem+json");
    const problem = await response.json();
    assertEquals(problem.errors.map((error: { name: string }) => error.name), [name]);
  }
  const problem = await (await app.fetch("/api/releases?page=a&page_size=b")).json();
  assertEquals(problem, {
    type: "about:blank",
    title: "Bad Request",
    status: 400,
    detail: "page must be a whole number; page_size must be a whole number",
    errors: [
      { name: "page", reason: "must be a whole number" },
      { name: "page_size", reason: "must be a whole number" },
    ],
  });
  assertEquals((await app.fetch(`/api/releases?q=${"😀".repeat(1_000)}`)).status, 200);
});

testOnDatabases("include_inactive shows removed items in variant A only", async (database) => {
  await importItems(database, [...ITEMS, makeItem(6)], { asOf: "2026-07-18" });
  await importItems(database, ITEMS, { asOf: "2026-07-19" });
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  const all = ["6", "5", "4", "3", "2", "1"];
  for (const word of ["true", "1", "TRUE", "True"]) {
    assertEquals(await namesAt(app, `/api/releases?include_inactive=${word}`), all);
  }
  for (const word of ["false", "0", "yes", ""]) {
    assertEquals(await namesAt(app, `/api/releases?include_inactive=${word}`), all.slice(1));
  }
  const { data: [removed] } = await app.json("/api/releases?include_inactive=1");
  assertEquals(removed, { ...makeItem(6), last_modified: "2026-07-19", active: false });
  const { links } = await app.json("/b/api/releases?include_inactive=1");
  assertEquals(links.self, "/b/api/releases?page=1&page_size=50");
  assertEquals(await namesAt(app, "/b/api/releases?include_inactive=1"), all.slice(1));
});

testOnDatabases("A single item is served without an envelope", async (database) => {
  await importItems(database, [makeItem(10), makeItem(11), makeItem(12)], { asOf: "2026-07-18" });
  await importItems(database, [makeItem(10), makeItem(11)], { asOf: "2026-07-19" });
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  const id = (number: number) => String(makeItem(number).release_item_id);
  const response = await app.fetch(`/api/releases?release_item_id=${id(10)}&page=abc&q=%00`);
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("last-modified"), "Wed, 01 Jul 2026 00:00:00 GMT");
  assertEquals(response.headers.get("link"), null);
  assertEquals(await response.json(), { ...makeItem(10), active: true });
  const { blog_title: _title, blog_url: _url, ...shown } = makeItem(10);
  assertEquals(await app.json(`/b/api/releases?release_item_id=${id(10)}`), {
    ...shown,
    release_date: "2026-09-30",
  });
  const removed = await app.json(`/api/releases?release_item_id=${id(12)}`);
  assertEquals([removed.active, removed.last_modified], [false, "2026-07-19"]);
  const upperCase = `/api/releases?release_item_id=${id(11).toUpperCase()}`;
  assertEquals((await app.json(upperCase)).release_item_id, id(11));
  for (
    const path of [
      `/b/api/releases?release_item_id=${id(12)}`,
      `/api/releases?release_item_id=${id(99)}`,
    ]
  ) {
    const missing = await app.fetch(path);
    assertEquals(missing.status, 404);
    assertEquals(missing.headers.get("content-type"), "application/problem+json");
    assertEquals((await missing.json()).title, "Not Found");
  }
});

testOnDatabases("A collection reflects every import", async (database) => {
  await using app = await serve(database, ITEMS);
  assertEquals((await namesAt(app, "/api/releases")).length, 5);
  await importItems(database, [...ITEMS, makeItem(6, { last_modified: TODAY })]);
  const hasArrived = async () => (await namesAt(app, "/api/releases"))[0] === "6";
  await waitFor("the new item", hasArrived);
});

testOnDatabases("A collection is an envelope of data, pagination and links", async (database) => {
  await using app = await serve(database, [makeItem(1), makeItem(2), makeItem(3)]);
  const { data, pagination, links } = await app.json("/api/releases?page_size=2");
  assertEquals(data.map((item: { feature_name: string }) => item.feature_name), [
    "Feature 3",
    "Feature 2",
  ]);
  assertEquals(data[0], { ...makeItem(3), active: true });
  assertEquals(pagination, {
    page: 1,
    page_size: 2,
    total_items: 3,
    total_pages: 2,
    has_next: true,
    has_prev: false,
    next_page: 2,
    prev_page: null,
  });
  assertEquals(links, {
    self: "/api/releases?page=1&page_size=2",
    first: "/api/releases?page=1&page_size=2",
    last: "/api/releases?page=2&page_size=2",
    next: "/api/releases?page=2&page_size=2",
    prev: null,
  });
});
