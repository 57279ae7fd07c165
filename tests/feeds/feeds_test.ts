import { waitFor } from "../support/wait_for.ts";
import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import fc from "fast-check";
import { queryOne } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, serve, startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { startEmbeddingServer } from "../support/servers/embedding_server.ts";
import { readAtom, type ReadFeed, readJsonFeed, readRss } from "../support/subjects/feeds.ts";
import { settingsFor, startEmbedded } from "../support/subjects/semantic.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

/** Each format: its address below a site, what reads it, and how many entries it has at most. */
const FORMATS: readonly [
  path: string,
  read: (app: TestApp, path: string) => Promise<ReadFeed>,
  most: number,
][] = [
  ["/rss.xml", readRss, 25],
  ["/atom.xml", readAtom, 100],
  ["/feed.json", readJsonFeed, 100],
];

/** A feed without what Atom has of its own, and without the kinds that RSS has in its texts only. */
const comparable = ({ entries, ...feed }: ReadFeed) => ({
  ...feed,
  self: "",
  entries: entries.map((entry) => ({
    ...entry,
    id: "",
    title: entry.title.replace(/^(New|Slipped|Removed): /, ""),
  })),
});

/** RFC 9562, section 4: a UUID of version 5, and nothing else. */
const ATOM_ID = /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const titlesOf = (feed: ReadFeed) => comparable(feed).entries.map(({ title }) => title);

slowOnDatabases("Atom and JSON Feed have the entries of RSS", async (database) => {
  const first = Array.from({ length: 30 }, (_, number) =>
    makeItem(number, {
      product_name: number % 2 === 0 ? "R&D" : "Mail",
      last_modified: `2026-06-${String(30 - number).padStart(2, "0")}`,
    }));
  // On a day of its own: RSS has no moment of a second change on one day.
  await importItems(database, first, { asOf: "2026-07-19" });
  await importItems(database, [
    ...first.slice(0, 5),
    { ...first[5], release_date: "Q4 2026", last_modified: "2026-07-10" },
    ...first.slice(7),
  ]);
  await using app = await startApp(database, {
    ROADMAP_VARIANT: "both",
    BASE_URL: "https://example.com/road",
  });
  const queries = ["", "?product_name=R%26D", "?limit=3&q=feature%202", "?include_inactive=true"];
  for (const site of ["/road", "/road/b"]) {
    for (const query of queries) {
      const rss = await readRss(app, `${site}/rss.xml${query}`);
      assert(rss.entries.length > 0, query);
      for (const [path, read] of FORMATS.slice(1)) {
        const feed = await read(app, site + path + query);
        assertEquals(comparable(feed), comparable(rss));
        const filter = site.endsWith("b") && query.includes("inactive") ? "" : query;
        const [, limit = "", rest = ""] = /^\?(limit=3)&(.*)$/.exec(filter) ?? [];
        const self = limit ? `?${rest}&${limit}` : filter;
        assertEquals(feed.self, `https://example.com${site}${path}${self}`);
        assertEquals(feed.page, `https://example.com${site}/${limit ? `?${rest}` : filter}`);
      }
    }
  }
});

testOnDatabases("The ID of an Atom entry is a UUID, a new one each day", async (database) => {
  const items = [makeItem(1), makeItem(2)];
  await importItems(database, items, { asOf: "2026-07-01" });
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  const idsAt = async (path: string) =>
    (await readAtom(app, path)).entries.map(({ id }) => id).sort();
  const before = await idsAt("/atom.xml");
  assertEquals(new Set(before).size, 2);
  for (const id of before) match(id, ATOM_ID);
  assertEquals(await idsAt("/b/atom.xml"), before);
  assertEquals(await idsAt("/atom.xml?product_name=Product&q=feature"), before);
  const { entries } = await readJsonFeed(app, "/feed.json");
  const { entries: ofRss } = await readRss(app, "/rss");
  const known = items.map(({ release_item_id }) => `urn:uuid:${release_item_id}:2026-07-01`);
  assertEquals(entries.map(({ id }) => id).sort(), known);
  assertEquals(ofRss.map(({ id }) => id).sort(), known);

  const changed = { release_status: "Shipped", last_modified: "2026-07-10" };
  await importItems(database, [{ ...items[0], ...changed }, items[1]]);
  let after = before;
  await waitFor("the change", async () => {
    after = await idsAt("/atom.xml");
    return after.join() !== before.join();
  });
  for (const id of after) match(id, ATOM_ID);
  assertEquals(after.filter((id) => before.includes(id)).length, 1);
});

testOnDatabases(
  "An Atom feed without entries has the update time of the roadmap",
  async (database) => {
    await using app = await startApp(database);
    const updatedAt = async (path: string) => Date.parse((await readAtom(app, path)).updated!);
    const { made } = await queryOne<{ made: string }>(
      database,
      sql`select min(applied_at)::date::text as made from migrations`,
    );
    assertEquals(await updatedAt("/atom.xml"), Date.parse(made));
    await importItems(database, [makeItem(1)]);
    await database.query(sql`update import_runs set finished_at = '2026-07-03T04:05:06Z'`);
    assertEquals(await updatedAt("/atom.xml?q=nothing"), Date.parse("2026-07-03"));
    assertEquals(await updatedAt("/atom.xml"), Date.parse("2026-07-01"));
    await importItems(database, [makeItem(1)]); // changes nothing
    assertEquals(await updatedAt("/atom.xml?q=nothing-either"), Date.parse("2026-07-03"));
  },
);

testOnDatabases("An entry words changes as the pages do, in clean HTML", async (database) => {
  const described = makeItem(1, {
    feature_name: "Sign-in &amp; more",
    feature_description: "**Overview**Enable &quot;it&quot;:<br/>[here](javascript:alert(1)) " +
      "<script>alert(1)</script> <img src=x onerror=alert(1)>",
  });
  await importItems(database, [described], { asOf: "2026-07-01" });
  await using app = await serve(database, [
    { ...described, release_date: "Q4 2026", blog_title: "News", last_modified: "2026-07-10" },
  ], { ROADMAP_VARIANT: "both" });
  const moved = {
    "": "<p><strong>Slipped</strong></p><p>Release date moved later, from Q3 2026 to Q4 2026<br>" +
      "Blog post added: News</p><p>Planned, General availability, Q4 2026</p>",
    "/b":
      "<p><strong>Slipped</strong></p><p>Release date moved later, from 30 Sep 2026 to 31 Dec 2026</p>" +
      "<p>Planned, General availability, 2026-12-31</p>",
  };
  for (const [site, begin] of Object.entries(moved)) {
    for (const [path, read] of FORMATS) {
      const { entries: [entry] } = await read(app, site + path);
      assertEquals(entry!.title.replace(/^Slipped: /, ""), "Sign-in & more");
      assertEquals(entry!.content.slice(0, begin.length), begin);
      const description = entry!.content.slice(begin.length);
      match(description, /^<p><strong>Overview<\/strong><\/p>\s*<p>Enable "it":<br \/>/);
      match(description, /<span>here<\/span>/);
      assert(!/<script|<img|javascript|\*\*|&quot;/.test(description), description);
    }
  }
});

slowOnDatabases("A feed has 1 entry up to its limit, 25 by default", async (database) => {
  await using app = await serve(
    database,
    Array.from({ length: 120 }, (_, number) => makeItem(number)),
  );
  for (const [path, read, most] of FORMATS) {
    const counts = { "": 25, "?limit=0": 1, "?limit=-9": 1, "?limit=60": Math.min(60, most) };
    for (const [query, count] of Object.entries({ ...counts, "?limit=9999": most })) {
      assertEquals([query, (await read(app, path + query)).entries.length], [query, count]);
    }
    const refused = await app.fetch(`${path}?limit=many&release_date_from=soon`);
    assertEquals([refused.status, refused.headers.get("content-type")], [
      400,
      "application/problem+json",
    ]);
    const { errors } = await refused.json();
    assertEquals(errors.map(({ name }: { name: string }) => name), ["release_date_from", "limit"]);
  }
});

testOnDatabases("A filter that matches nothing makes a valid, empty feed", async (database) => {
  await using app = await startApp(database);
  for (const [path, read] of FORMATS) {
    for (const query of ["", "?product_name=None", "?q=%5D%5D%3E"]) {
      assertEquals((await read(app, path + query)).entries, []);
    }
    const first = await app.fetch(path);
    app.setClock("2026-08-20T12:00:00Z");
    const later = await app.fetch(path);
    assertEquals(first.headers.get("etag"), later.headers.get("etag"));
    app.setClock("2026-07-20T12:00:00Z");
  }
});

slowOnDatabases("A feed's title names its filter", async (database) => {
  await using app = await serve(database, [makeItem(1)], { SITE_NAME: "Roads & Rails" });
  const long = "x".repeat(300);
  const titles = {
    "": "Roads & Rails",
    "?unknown=1&limit=2": "Roads & Rails",
    "?product_name=Power+BI&release_status=Shipped": "Power BI, shipped · Roads & Rails",
    "?release_status=Shipped": "Shipped · Roads & Rails",
    "?release_status=GA&product_name=iOS": "iOS, GA · Roads & Rails",
    "?product_name=B&product_name=A&release_type=Public+preview":
      "A or B, public preview · Roads & Rails",
    "?product_name=A&product_name=B&product_name=C&product_name=D":
      "A, B or 2 more · Roads & Rails",
    "?q=+copilot+&product_name=Power+BI": "“copilot”, Power BI · Roads & Rails",
    "?release_date_from=Q3+2026&release_date_to=Q3+2026": "Planned for Q3 2026 · Roads & Rails",
    "?release_date_from=2026-07-02": "Planned from 2 Jul 2026 on · Roads & Rails",
    "?release_date_to=2026-12-31&product_name=A": "A, planned until Q4 2026 · Roads & Rails",
    "?release_date_from=2026-07-01&release_date_to=2027-03-31":
      "Planned Q3 2026 to Q1 2027 · Roads & Rails",
    "?modified_within_days=7": "Modified in the last 7 days · Roads & Rails",
    "?modified_within_days=1": "Modified since yesterday · Roads & Rails",
    "?modified_since=2026-07-01": "Modified since 1 Jul 2026 · Roads & Rails",
    "?include_inactive=true": "Including removed · Roads & Rails",
    [`?q=${long}`]: `“${"x".repeat(60)}…” · Roads & Rails`,
    "?q=%3C%2Ftitle%3E%5D%5D%3E%26": "“</title>]]>&” · Roads & Rails",
  };
  for (const [query, title] of Object.entries(titles)) {
    for (const [path, read] of FORMATS) {
      assertEquals([query, (await read(app, path + query)).title], [query, title]);
    }
  }
});

testOnDatabases("RSS describes itself, and what changed", async (database) => {
  const items = [makeItem(1), makeItem(2), makeItem(3)];
  await importItems(database, items);
  const shipped = { release_status: "Shipped", last_modified: "2026-07-15", release_date: null };
  await using app = await serve(database, [{ ...items[0], ...shipped }, ...items.slice(1)], {
    ROADMAP_VARIANT: "both",
    SITE_NAME: "R & R",
  });
  const url = `/release/${items[0]!.release_item_id}`;
  for (const [site, ttl, date] of [["", 240, "Q3 2026"], ["/b", 30, "30 Sep 2026"]] as const) {
    const text = await (await app.fetch(`${site}/rss`)).text();
    for (
      const part of [
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"',
        `<link>http://localhost:8000${site}/</link>`,
        "<description>Releases of R &amp; R that were modified last</description>",
        `<language>en</language>`,
        `<ttl>${ttl}</ttl>`,
        "<lastBuildDate>Wed, 15 Jul 2026 00:00:00 GMT</lastBuildDate>",
        `<atom:link href="http://localhost:8000${site}/rss" rel="self" type="application/rss+xml"`,
        `<guid isPermaLink="false">urn:uuid:${items[0]!.release_item_id}:2026-07-15</guid>`,
        "<pubDate>Wed, 15 Jul 2026 00:00:00 GMT</pubDate>",
      ]
    ) assert(text.includes(part), `${part} in ${text.slice(0, 2_000)}`);
    const { entries: [first, second] } = await readRss(app, `${site}/rss`);
    assertEquals([first!.title, first!.url], ["Feature 1", `http://localhost:8000${site}${url}`]);
    assertEquals(first!.categories, ["Product", "General availability", "Shipped"]);
    assertEquals(
      first!.content,
      `<p><strong>Shipped</strong></p><p>Release date removed (was ${date})<br>Status changed from “Planned” to “Shipped”</p>` +
        "<p>Shipped, General availability</p><p>A description</p>",
    );
    assert(
      second!.content.startsWith("<p><strong>New</strong></p><p>First seen</p><p>Planned, General"),
    );
  }
});

testOnDatabases("RSS has the items of its filter, newest first", async (database) => {
  const items = [
    makeItem(1, { release_type: "Beta" }),
    makeItem(2, { product_name: "A & B", last_modified: "2026-07-02" }),
    makeItem(3, { release_status: "Shipped", last_modified: "2026-07-03" }),
  ];
  await importItems(database, [...items, makeItem(4)]);
  await using app = await serve(database, items, { BASE_URL: "https://example.com/road" });
  const selected = {
    "product_name=A+%26+B&limit=5&unknown=1": ["Feature 2"],
    "release_type=Beta": ["Feature 1"],
    "release_status=Shipped": ["Feature 3"],
    "release_status=shipped": [],
    "limit=2": ["Feature 3", "Feature 2"],
    "": ["Feature 3", "Feature 2", "Feature 1"],
  };
  for (const [query, titles] of Object.entries(selected)) {
    assertEquals(titlesOf(await readRss(app, `/road/rss?${query}`)), titles);
  }
  const { self } = await readRss(app, `/road/rss.xml?${Object.keys(selected)[0]}`);
  assertEquals(self, "https://example.com/road/rss.xml?product_name=A%20%26%20B&limit=5");
  assertEquals((await readRss(app, "/road/rss?q=nothing")).updated, undefined);
});

const HOSTILE = [
  `<script>alert("1")</script> & 'x' ]]> <!-- --> <![CDATA[ & &#0;`,
  `a${Array.from({ length: 0x1f }, (_, code) => String.fromCharCode(code + 1)).join("")}b`,
  "a\u007f\u0085\ufffe\uffff\u2028b",
  "\ud800 lone, \udc00 lone, 😀 paired, \u{10ffff}",
  "\u202eright to left\u2066 \u200f\u061c left open",
  "x\r\nBEGIN:VEVENT\r\nUID:1\r\nEND:VCALENDAR",
  "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;",
  "😀".repeat(500),
  "\u0301".repeat(400),
];

slowOnDatabases("Every format carries any text unchanged", async (database) => {
  const others = fc.sample(fc.string({ unit: "binary", minLength: 1, maxLength: 200 }), {
    seed: 7,
    numRuns: runs(60),
  });
  // The last ones stand first in feeds.
  const texts = [...others.map((text) => `x${text.replaceAll("\0", "")}`), ...HOSTILE];
  await importItems(
    database,
    texts.map((text, number) =>
      makeItem(number, {
        feature_name: text,
        feature_description: text.repeat(3),
        product_name: text.slice(0, 200).toWellFormed(),
        release_type: text.slice(0, 200).toWellFormed(),
      })
    ),
  );
  await using app = await startApp(database, { SITE_NAME: HOSTILE[0]! });
  const atom = await readAtom(app, "/atom.xml?limit=100");
  const json = await readJsonFeed(app, "/feed.json?limit=100");
  assertEquals(atom.entries.length, texts.length);
  assertEquals(comparable(atom).entries, comparable(json).entries);
  const rss = await readRss(app, "/rss");
  assertEquals(comparable(rss).entries, comparable(json).entries.slice(0, 25));
  assertEquals([atom.title, json.title, rss.title], Array(3).fill(HOSTILE[0]));
  assertEquals(titlesOf(rss).slice(0, HOSTILE.length).reverse().slice(0, 7), [
    HOSTILE[0],
    "a b",
    "a b",
    "lone, lone, 😀 paired, \u{10ffff}",
    "right to left left open",
    "x BEGIN:VEVENT UID:1 END:VCALENDAR",
    HOSTILE[6],
  ]);
});

testOnDatabases("A feed finds what the page finds, including by meaning", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await startEmbedded(
    database,
    settingsFor(server, { ROADMAP_VARIANT: "both" }),
    [
      makeItem(1, { feature_name: "Rent an automobile", feature_description: null }),
      makeItem(2, { feature_name: "Night theme", feature_description: null }),
      makeItem(3, {
        feature_name: "Car, car, car",
        feature_description: null,
        last_modified: "2026-06-01",
      }),
    ],
  );
  const page = await app.json("/api/releases?q=vehicle&sort=last_modified");
  const names = page.data.map(({ feature_name }: { feature_name: string }) => feature_name);
  assertEquals(names, ["Rent an automobile", "Car, car, car"]);
  for (const [path, read] of FORMATS) {
    assertEquals(titlesOf(await read(app, `${path}?q=vehicle`)), names);
    assertEquals(titlesOf(await read(app, `${path}?q=vehicle&limit=1`)), names.slice(0, 1));
    // Variant B searches by words only.
    assertEquals(titlesOf(await read(app, `/b${path}?q=vehicle`)), []);
  }
  server.trouble = { kind: "status", status: 500 };
  const fallback = await app.fetch("/feed.json?q=motorcar");
  assertEquals(fallback.headers.get("cache-control"), "public, max-age=60");
});

slowOnDatabases("A long feed of long texts stays small", async (database) => {
  await importItems(database, Array.from({ length: 100 }, (_, number) => makeItem(number)));
  await database.query(
    sql`update item_rows set feature_description = repeat('Some words. ', 80000)`,
  );
  await using app = await startApp(database);
  for (const [path, read] of FORMATS.slice(1)) {
    const { entries } = await read(app, `${path}?limit=100`);
    assertEquals(entries.length, 100);
    const size = entries.reduce((sum, { content }) => sum + content.length, 0);
    assert(size > 450_000 && size < 550_000, `${path} has ${size} characters`);
  }
});
