import { deepStrictEqual as assertEquals, rejects as assertRejects } from "node:assert/strict";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { makeItem, startApp, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { testReading } from "../support/read_table.ts";
import { makeCertificate } from "../support/servers/mail_server.ts";
import { answerConditionally, serveSource } from "../support/servers/source_server.ts";

const FIXTURES = new URL("../fixtures/", import.meta.url).pathname;
const COUNTS = { added: 0, changed: 0, removed: 0, restored: 0, unchanged: 0 };

testOnDatabases("The Fabric roadmap's JSON is recognised and mapped", async (database) => {
  await importLocation(database, `${FIXTURES}fabric.json`, { asOf: TODAY });
  await using app = await startApp(database);
  const { data } = await app.json("/api/releases");
  assertEquals(data, [
    {
      release_item_id: "053c13db-53b3-f011-bbd3-000d3a3740cc",
      feature_name: "Operations in Data Wrangler",
      release_date: "Q3 2025",
      release_type: "Public preview",
      release_status: "Shipped",
      product_id: "0522b590-dcd6-ee11-9079-000d3a310f67",
      product_name: "Data Science",
      feature_description: null,
      blog_title: null,
      blog_url: null,
      last_modified: TODAY,
      active: true,
    },
    {
      release_item_id: "02b2d2a5-ecc0-f011-bbd3-6045bd05dd14",
      feature_name: "Anomaly detection events",
      release_date: "Q1 2027",
      release_type: "General availability",
      release_status: "Planned",
      product_id: "58cb90aa-4203-ef11-a1fd-000d3a36eea4",
      product_name: "Real-Time Intelligence",
      feature_description: "Surface anomalies as &quot;business events&quot;.",
      blog_title: "Alerting and acting",
      blog_url: "https://blog.example.com/alerting",
      last_modified: "2026-07-07",
      active: true,
    },
  ]);
});

testOnDatabases("An untrusted source certificate is reported with advice", async (database) => {
  const server = createTlsServer(await makeCertificate(), (_request, response) => response.end());
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/items.json`;
  await assertRejects(importLocation(database, url, { asOf: TODAY, pausesMs: [] }), {
    message:
      /: the certificate of \S+ is not trusted \(.+\): see "Certificates" in docs\/sources\.md$/,
  });
  server.close();
});

testOnDatabases("The Microsoft 365 roadmap's JSON is recognised and mapped", async (database) => {
  await importLocation(database, `${FIXTURES}m365.json`, { asOf: TODAY });
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  const { data } = await app.json("/api/releases");
  assertEquals(data, [
    {
      // python3 -c "import uuid; print(uuid.uuid5(uuid.NAMESPACE_URL, 'https://…/roadmap?id=557180'))"
      release_item_id: "8b437bbe-c90c-5820-a0da-dc715d340fdc",
      feature_name: "Microsoft Teams: Consecutive mode for Interpreter",
      release_date: "Q3 2026",
      release_type: "General Availability",
      release_status: "In development",
      product_id: null,
      product_name: "Microsoft Teams",
      product_names: ["Microsoft Teams", "Microsoft Copilot (Microsoft 365)"],
      tags: {
        "Cloud instance": ["Worldwide (Standard Multi-Tenant)"],
        "Platform": ["Web"],
        "Release ring": ["General Availability", "Preview"],
      },
      feature_description: "Interpretation becomes a shared experience.  ",
      blog_title: null,
      blog_url: null,
      last_modified: "2026-02-13",
      active: true,
    },
    {
      release_item_id: "06e9c227-8d4a-5f22-9332-e26ec772f0fd",
      feature_name: "Fewer clicks",
      release_date: null,
      release_type: "Not stated",
      release_status: "Launched",
      product_id: null,
      product_name: "Outlook",
      product_names: ["Outlook", "Word"],
      feature_description: null,
      blog_title: null,
      blog_url: "https://learn.example.com/clicks",
      last_modified: "2026-01-15",
      active: true,
    },
  ]);
  const variantB = await app.json("/b/api/releases");
  assertEquals(variantB.data[0].release_date, "2026-07-31");
});

testReading("A table with semicolons keeps quotes, line breaks and flags, and so does NDJSON", {
  name: "items",
  of: await Deno.readFile(`${FIXTURES}items.csv`),
  shows: ["feature_name", "feature_description"],
  is: ['Feature 1 | A "quoted"; text\nover two lines', "Feature 2 | -"],
  leftOut: { "not active": 1 },
}, {
  name: "items",
  of: await Deno.readFile(`${FIXTURES}items.ndjson`),
  shows: ["feature_name"],
  is: ["Feature 1", "Zwölf"],
});

testReading(
  "A source in the wrong format is refused with the reason",
  ...([
    ["b.csv", 'name,state\nx,"y" z\n', /a quotation mark stands inside of a cell that begins with/],
    ["a.ndjson", '{"release_item_id":1}\nnonsense\n', /its line 2 is not a JSON object: /],
    ["b.ndjson", "\n", /it is empty/],
    ["a.json", '{"results": 1, "x": {"ReleaseItemID": 1}}', /nor an object whose "results" is one/],
    ["a.html", "\n<!doctype html>", /it is an HTML page, .* CSV: save its table as CSV/],
    ["a.xml", '<?xml version="1.0"?><rss/>', /it is XML, not JSON, NDJSON or CSV/],
  ] as const).map(([name, of, refused]) => ({ name, of, refused })),
);

testOnDatabases("Another server is mirrored by its base URL, page by page", async (database) => {
  await importLocation(database, `${FIXTURES}fabric.json`, { asOf: TODAY });
  await using app = await startApp(database);
  await using server = serveSource((request, { pathname, search }) =>
    app.fetch(pathname + search.replace("page_size=200", "page_size=1"), request)
  );
  const options = { asOf: TODAY, kind: "roadcast" as const };
  const counts = await importLocation(database, server.url, options);
  assertEquals(counts, { ...COUNTS, unchanged: 2 });
  assertEquals(server.asked, [
    "/api/releases?page_size=200 200",
    "/api/releases?page=2&page_size=1 200",
  ]);
  assertEquals(await importLocation(database, server.url, options), { ...COUNTS, unchanged: 2 });
  assertEquals(server.asked.slice(2), [
    "/api/releases?page_size=200 304",
    "/api/releases?page=2&page_size=1 304",
  ]);
});

testOnDatabases("Pages that change while they are read are refused", async (database) => {
  await using server = serveSource((_request, url) => {
    const page = Number(url.searchParams.get("page") ?? 1);
    return Response.json({
      data: [makeItem(page)],
      pagination: { total_items: 3 },
      links: { next: page === 1 ? "/api/releases?page=2" : null },
    });
  });
  await assertRejects(importLocation(database, `${server.url}/api/releases`, { asOf: TODAY }), {
    name: "SnapshotError",
    message: `Cannot read ${server.url}/api/releases: it announced 3 items, but sent 2`,
  });
});

testOnDatabases("A source that has not changed is not read again", async (database) => {
  let body = JSON.stringify([makeItem(1), makeItem(2)]);
  await using server = serveSource((request) =>
    answerConditionally(request, `"${body.length}"`, body)
  );
  const address = `${server.url}/items.json`;
  assertEquals(await importLocation(database, address, { asOf: TODAY }), { ...COUNTS, added: 2 });
  assertEquals(await importLocation(database, address, { asOf: TODAY }), {
    ...COUNTS,
    unchanged: 2,
  });
  body = JSON.stringify([makeItem(1), makeItem(2), makeItem(3)]);
  const counts = await importLocation(database, address, { asOf: TODAY });
  assertEquals(counts, { ...COUNTS, added: 1, unchanged: 2 });
  // A part is always read, and the whole after it.
  await importLocation(database, address, { asOf: TODAY, partial: true });
  await importLocation(database, address, { asOf: TODAY });
  await importLocation(database, `${FIXTURES}m365.json`, { asOf: TODAY, partial: true });
  await importLocation(database, address, { asOf: TODAY, allowMassRemoval: true });
  const statuses = server.asked.map((line) => line.split(" ")[1]);
  assertEquals(statuses, ["200", "304", "200", "200", "200", "200"]);
});

testOnDatabases("A temporary failure is retried after the requested delay", async (database) => {
  const answers = [
    new Response(null, { status: 503, headers: { "retry-after": "0" } }),
    new Response(null, { status: 429 }),
    Response.json([makeItem(1)]),
  ];
  await using server = serveSource(() => answers.shift()!);
  const options = { asOf: TODAY, pausesMs: [1, 2] };
  assertEquals(await importLocation(database, server.url, options), { ...COUNTS, added: 1 });
  assertEquals(server.asked, ["/ 503", "/ 429", "/ 200"]);
});

testOnDatabases("A permanent failure is reported, without secrets of the URL", async (database) => {
  await using server = serveSource((request) => {
    const isKnown = request.headers.get("authorization") === `Basic ${btoa("me:secret")}`;
    return new Response(null, { status: isKnown ? 500 : 401 });
  });
  const address = `${server.url}/?api_key=hidden`.replace("http://", "http://me:secret@");
  await assertRejects(importLocation(database, address, { asOf: TODAY, pausesMs: [1] }), {
    message: `Cannot read ${server.url}/?api_key=…: the server responded 500 Internal Server Error`,
  });
  assertEquals(server.asked.length, 2);
});

testOnDatabases("No more is read than the limit", async (database) => {
  await using server = serveSource(() =>
    Response.json([makeItem(1, { feature_description: "x".repeat(1_200_000) })])
  );
  const options = { asOf: TODAY, maxBytes: 1024 * 1024 };
  await assertRejects(importLocation(database, server.url, options), {
    message: `Cannot read ${server.url}: it is larger than 1 MB; ROADMAP_MAX_MB sets the limit`,
  });
});
