import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { importItems, makeItem, startApp, type TestApp } from "./support/app.ts";
import { testOnDatabases } from "./support/databases.ts";

const parser = new XMLParser({
  ignoreAttributes: false,
  parseTagValue: false,
  trimValues: false,
  htmlEntities: true,
  isArray: (name) => name === "item" || name === "category",
  processEntities: { enabled: true, maxTotalExpansions: Infinity, maxExpandedLength: Infinity },
});

/** Fetches a feed, expects it to be valid XML, and returns its channel. */
// deno-lint-ignore no-explicit-any
async function readFeed(app: TestApp, path: string): Promise<any> {
  const response = await app.fetch(path);
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("content-type"), "application/rss+xml; charset=utf-8");
  const text = await response.text();
  assertEquals(XMLValidator.validate(text), true);
  assert(text.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"'));
  // XML 1.0, section 2.2: the characters that a document may hold.
  assert(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u.test(text));
  return parser.parse(text).rss.channel;
}

testOnDatabases("A feed says what it is", async (database) => {
  await importItems(database, [makeItem(1), makeItem(2, { last_modified: "2026-07-19" })]);
  await using app = await startApp(database, { SITE_NAME: "Roads & Rails" });
  for (const path of ["/rss", "/rss.xml"]) {
    const channel = await readFeed(app, path);
    assertEquals(channel.title, "Roads & Rails");
    assertEquals(channel.link, "http://localhost:8000/");
    assertEquals(channel.description, "Releases of Roads & Rails that were modified last");
    assertEquals(channel.language, "en");
    assertEquals(channel.ttl, "240");
    assertEquals(channel.lastBuildDate, "Sun, 19 Jul 2026 00:00:00 GMT");
    assertEquals(channel["atom:link"], {
      "@_href": `http://localhost:8000${path}`,
      "@_rel": "self",
      "@_type": "application/rss+xml",
    });
  }
});

testOnDatabases("A feed item says what changed, and what it is", async (database) => {
  const others = [makeItem(2), makeItem(3)];
  await importItems(database, [...others, makeItem(1)]);
  const shipped = { release_status: "Shipped", last_modified: "2026-07-15", release_date: null };
  await importItems(database, [...others, makeItem(1, shipped)]);
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  const id = makeItem(1).release_item_id;
  const channel = await readFeed(app, "/rss");
  assertEquals(channel.item.length, 3);
  assertEquals(channel.item[0].title, "Feature 1");
  assertEquals(channel.item[0].link, `http://localhost:8000/release/${id}`);
  assertEquals(channel.item[0].guid, {
    "#text": `urn:uuid:${id}:2026-07-15`,
    "@_isPermaLink": "false",
  });
  assertEquals(channel.item[0].pubDate, "Wed, 15 Jul 2026 00:00:00 GMT");
  assertEquals(channel.item[0].category, ["Product", "General availability", "Shipped"]);
  assertEquals(
    channel.item[0].description,
    "<p>Release date removed, was Q3 2026<br>Status changed from “Planned” to “Shipped”</p>" +
      "<p>Shipped, General availability</p><p>A description</p>",
  );
  assertEquals(
    channel.item[1].description,
    "<p>First seen</p><p>Planned, General availability, Q3 2026</p><p>A description</p>",
  );
  const variantB = await readFeed(app, "/b/rss");
  assertEquals(variantB.item[0].link, `http://localhost:8000/b/release/${id}`);
  assertEquals(variantB.ttl, "30");
  assertEquals(
    variantB.item[0].description,
    "<p>Release date removed, was 30 Sep 2026<br>" +
      "Status changed from “Planned” to “Shipped”</p>" +
      "<p>Shipped, General availability</p><p>A description</p>",
  );
});

testOnDatabases("A feed holds 1 to 25 active items, newest first", async (database) => {
  const items = Array.from(
    { length: 31 },
    (_, n) => makeItem(n, { last_modified: `2026-06-${String(30 - n || 1).padStart(2, "0")}` }),
  );
  await importItems(database, items);
  await importItems(database, items.slice(1));
  await using app = await startApp(database);
  const titlesAt = async (query: string) =>
    (await readFeed(app, `/rss?${query}`)).item.map(({ title }: { title: string }) => title);
  assertEquals((await titlesAt("")).length, 25);
  assertEquals((await titlesAt("limit=26")).length, 25);
  assertEquals(await titlesAt("limit=2"), ["Feature 1", "Feature 2"]);
  assertEquals(await titlesAt("limit=0"), ["Feature 1"]);
  assertEquals(await titlesAt("limit=-3"), ["Feature 1"]);
  const refused = await app.fetch("/rss?limit=few");
  assertEquals(refused.status, 400);
  assertEquals(refused.headers.get("content-type"), "application/problem+json");
  assertEquals((await refused.json()).errors[0].name, "limit");
});

testOnDatabases(
  "A feed takes the three filters, and names them in its address",
  async (database) => {
    await importItems(database, [
      makeItem(1, { product_name: "A & B" }),
      makeItem(2, { release_type: "Beta" }),
      makeItem(3, { release_status: "Shipped" }),
    ]);
    await using app = await startApp(database, { BASE_URL: "https://example.com/road" });
    const filtered = await readFeed(app, "/road/rss.xml?product_name=A+%26+B&limit=5&unknown=1");
    assertEquals(filtered.item.map(({ title }: { title: string }) => title), ["Feature 1"]);
    assertEquals(
      filtered["atom:link"]["@_href"],
      "https://example.com/road/rss.xml?product_name=A%20%26%20B&limit=5",
    );
    assertEquals((await readFeed(app, "/road/rss?release_type=Beta")).item[0].title, "Feature 2");
    assertEquals(
      (await readFeed(app, "/road/rss?release_status=Shipped")).item[0].title,
      "Feature 3",
    );
    const empty = await readFeed(app, "/road/rss?release_status=shipped");
    assertEquals([empty.item, empty.lastBuildDate], [undefined, undefined]);
  },
);

testOnDatabases("A feed is valid XML whatever the data holds", async (database) => {
  const controls = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).slice(1)
    .join("");
  const hostile = [
    `<script>alert("1")</script> & 'x' ]]> <!-- --> <![CDATA[ & &#0;`,
    `a${controls}b\u007f\u0085\ufffe\uffff\u2028c`,
    "\ud800 lone, \udc00 lone, 😀 paired, \u{10ffff}",
    "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;",
    "  leading,\r\ntrailing  ",
  ];
  await importItems(
    database,
    hostile.map((text, number) =>
      makeItem(number, {
        feature_name: text,
        feature_description: text.repeat(3),
        product_name: text,
        release_type: text,
        release_status: text,
      })
    ),
  );
  await using app = await startApp(database, { SITE_NAME: hostile[0]! });
  const channel = await readFeed(app, "/rss");
  assertEquals(channel.title, hostile[0]);
  const titles = channel.item.map(({ title }: { title: string }) => title).reverse();
  assertEquals(titles, [
    hostile[0],
    "a b c",
    "lone, lone, 😀 paired, \u{10ffff}",
    hostile[3],
    "leading, trailing",
  ]);
});
