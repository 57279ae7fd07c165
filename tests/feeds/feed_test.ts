import { deepStrictEqual as assertEquals, match, rejects } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { previewLocation } from "../../lib/import/preview_snapshot.ts";
import type { ImportOptions } from "../../lib/import/import_options.ts";
import { importItems, startApp, type TestApp, TODAY } from "../support/app.ts";
import { testOnDatabases, testOnOne } from "../support/databases.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { slowOnDatabases, slowOnOne } from "../support/slow.ts";

const REAL = new URL("../fixtures/m365.rss.xml", import.meta.url).pathname;
const COUNTS = { added: 0, changed: 0, removed: 0, restored: 0, unchanged: 0 };

const rss = (items: string, title = "News") =>
  `<rss version="2.0"><channel><title>${title}</title>${items}</channel></rss>`;
const item = (id: number | string, more = "") =>
  `<item><guid>${id}</guid><title>Entry ${id}</title>${more}</item>`;

function importText(database: Database, text: string, options: Partial<ImportOptions> = {}) {
  return importItems(database, text, { kind: "feed", ...options });
}

async function itemsOf(app: TestApp): Promise<Record<string, unknown>[]> {
  return (await app.json("/api/releases?sort=feature_name")).data;
}

testOnOne("A Microsoft feed is read as it is sent", async (database) => {
  await importLocation(database, REAL, { asOf: TODAY, announce: true });
  await using app = await startApp(database);
  const [, second, third] = (await itemsOf(app)).toSorted((one, other) =>
    String(one.feature_name).localeCompare(String(other.feature_name))
  );
  assertEquals(
    third!.feature_description,
    [
      "Just-in-time protection for SharePoint in Microsoft Purview DLP allows organizations to " +
      "extend protection to unclassified files in SharePoint and apply restrictions defined in DLP " +
      "policies at the time of egress.",
      "",
      "GA date: November CY2026",
      "Preview date: October CY2026",
    ].join("\n"),
  );
  const { release_item_id: _id, feature_description: _text, ...fields } = second!;
  assertEquals(fields, {
    feature_name: "Microsoft 365: New map-based room booking experience in Places Finder",
    release_date: null,
    release_type: "Not stated",
    release_status: "Not stated",
    product_id: null,
    product_name: "Microsoft 365 Roadmap - Get the Latest Updates",
    blog_title: null,
    blog_url: "https://www.microsoft.com/microsoft-365/roadmap?id=553225",
    last_modified: "2026-01-30",
    active: true,
  });
  const history = await app.json(`/api/releases/history/${third!.release_item_id}`);
  assertEquals(history, [{ changed_columns: "Roadmap Item Added", last_modified: "2023-09-19" }]);
});

/** A feed, and what is read from its first entry. */
const FORMS: readonly [name: string, text: string, read: Record<string, unknown>][] = [[
  "RSS with entities encoded twice, behind a comment",
  "\ufeff<!-- a --><?xml version='1.0'?><!-- <rss> -->" +
  rss(
    "<item><guid isPermaLink='true'> https://a.example/1 </guid>" +
      "<title><![CDATA[Copilot&#058; what&#x27;s new &amp; next\u200b]]></title>" +
      "<category>Copilot</category><category> AI &amp;amp; ML</category>" +
      "<pubDate>Wed, 05 Nov 25 08:00:00 PST</pubDate>" +
      "<content:encoded><![CDATA[<p>One <b>two</b></p><p>three</p>]]></content:encoded>" +
      "<description>Short</description></item>",
  ).replace("<rss ", '<rss xmlns:content="http://purl.org/rss/1.0/modules/content/" '),
  {
    feature_name: "Copilot: what's new & next",
    feature_description: "One **two**\n\nthree",
    blog_url: "https://a.example/1",
    last_modified: "2025-11-05",
    created: "2025-11-05",
  },
], [
  "Atom whose later entry of the same id counts",
  '<!-- c --><feed xmlns="http://www.w3.org/2005/Atom"><title type="html">R&amp;amp;D</title>' +
  "<entry><id>tag:1</id><title>Old</title><updated>2025-11-05T00:00:00-08:00</updated></entry>" +
  '<entry><id>tag:1</id><title type="html">&lt;b&gt;New&lt;/b&gt; &amp;amp; more</title>' +
  '<link href="https://a.example/x"/><published>2025-11-04T23:30:00-08:00</published>' +
  '<updated>2025-11-06T23:30:00-08:00</updated><category term="c" label="Cloud"/>' +
  '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><i>Hi</i></div></content>' +
  "</entry></feed>",
  {
    feature_name: "New & more",
    feature_description: "*Hi*",
    product_name: "R&D",
    blog_url: "https://a.example/x",
    last_modified: "2025-11-06",
    created: "2025-11-04",
  },
], [
  "Atom with a prefix, and without a title",
  '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:id>1</a:id><a:title/>' +
  '<a:summary type="text">1 &lt; 2 &amp; 3</a:summary><a:updated>soon</a:updated></a:entry></a:feed>',
  {
    feature_name: "1 < 2 & 3",
    feature_description: "1 < 2 & 3",
    product_name: "Not stated",
    last_modified: null,
    created: null,
  },
], [
  "JSON Feed",
  JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    title: "Notes",
    next_url: "https://a.example/2",
    items: [{
      id: "7",
      title: "Seven",
      content_html: "<p>Text</p>",
      url: "javascript:alert(1)",
      date_published: "2026-01-02T03:04:05Z",
      tags: ["One"],
    }],
  }),
  {
    feature_name: "Seven",
    feature_description: "Text",
    product_name: "Notes",
    blog_url: null,
    last_modified: "2026-01-02",
    created: "2026-01-02",
  },
], [
  "RSS 1.0",
  '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" ' +
  'xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Old</title></channel>' +
  '<item rdf:about="https://a.example/i"><title>I</title><link>https://a.example/i</link>' +
  "<dc:date>2026-02-03T04:05:06+01:00</dc:date></item></rdf:RDF>",
  { feature_name: "I", blog_url: "https://a.example/i", last_modified: "2026-02-03" },
]];

for (const [name, text, expected] of FORMS) {
  testOnOne(`Read as a feed: ${name}`, async (database) => {
    await using server = serveSource(() => new Response(text));
    const { kind, items, problems } = await previewLocation(database, server.url, { asOf: TODAY });
    assertEquals([kind, items.length, problems], ["feed", 1, []]);
    const found = items[0] as unknown as Record<string, unknown>;
    const names = Object.keys(expected);
    assertEquals(Object.fromEntries(names.map((key) => [key, found[key]])), expected);
  });
}

slowOnDatabases("Items that leave a feed stay, even all of them", async (database) => {
  const ids = [1, 2, 3, 4, 5, 6];
  await importText(database, rss(ids.map((id) => item(id)).join("")));
  const later = rss(item(6, "<description>More</description>") + item(7));
  await importText(database, later, { kind: null }); // recognised, without being named
  assertEquals(await importText(database, later), { ...COUNTS, unchanged: 2 });
  assertEquals(await importText(database, rss("")), COUNTS);
  const { counts } = await importPreview(database, rss(item(8)));
  assertEquals(counts, { ...COUNTS, added: 1 });
  await using app = await startApp(database);
  assertEquals((await itemsOf(app)).length, 7);
});

async function importPreview(database: Database, text: string) {
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(file, text);
    return await previewLocation(database, file, { asOf: TODAY });
  } finally {
    await Deno.remove(file);
  }
}

testOnOne("A feed's categories are mapped as labels are", async (database) => {
  await importLocation(database, REAL, {
    asOf: TODAY,
    fields: {
      release_status: { from: "category", labels: { "in development": "In development" } },
      release_type: { from: "category", labels: { "General Availability": "GA" } },
      product_name: {
        from: "category",
        labels: { "Microsoft Purview": "Purview" },
        default: "Microsoft 365",
      },
      release_date: { from: "updated" },
    },
  });
  await using app = await startApp(database);
  const products = (await itemsOf(app)).map((read) => [read.product_name, read.release_status]);
  assertEquals(products.toSorted(), [["Microsoft 365", "In development"], [
    "Microsoft 365",
    "In development",
  ], ["Purview", "In development"]]);
});

testOnOne("A feed is requested conditionally, and no Link is followed", async (database) => {
  const headers = { etag: '"1"', link: '</2>; rel="next"' };
  await using server = serveSource((request) =>
    request.headers.get("if-none-match") === '"1"'
      ? new Response(null, { status: 304, headers })
      : new Response(rss(item(1)), { headers })
  );
  for (const counts of [{ ...COUNTS, added: 1 }, { ...COUNTS, unchanged: 1 }]) {
    assertEquals(await importLocation(database, server.url, { asOf: TODAY }), counts);
  }
  assertEquals(server.asked, ["/ 200", "/ 304"]);
});

/** What is no feed, or a bad one, and what is said of it. */
const REFUSED: readonly [text: string, reason: RegExp][] = [
  ["", /: it is empty$/],
  ["<!doctype html><title>Log in</title>", /: it is an HTML page, not a valid RSS, Atom or JSON F/],
  ["<rss version='2.0'><channel><item><title>cut", /: it is no valid RSS, Atom or JSON Feed$/],
  ["<rss version='2.0'>" + "<a>".repeat(20_000), /: it is no valid RSS, Atom or JSON Feed$/],
  ['{"version": "https://jsonfeed.org/version/1", "items": [', /: it is no valid RSS/],
  [
    '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>' +
    rss("<item><title>&b;&x;</title><guid>1</guid></item>"),
    /: it is no valid RSS/,
  ],
];

slowOnOne("A document that is no feed is refused", async (database) => {
  for (const [text, reason] of REFUSED) {
    await rejects(importText(database, text), (error: Error) => {
      match(error.message, reason);
      return true;
    });
  }
});

testOnOne(
  "Entries without an id, a link or a title are known by what they have",
  async (database) => {
    const text = rss(
      item(1) + "<item><title>Nameless</title></item>" +
        "<item><description>Only a text</description></item>" +
        "<item><link>https://example.com/only-a-link</link></item>",
    );
    for (const counts of [{ ...COUNTS, added: 4 }, { ...COUNTS, unchanged: 4 }]) {
      assertEquals(await importText(database, text), counts);
    }
    await using app = await startApp(database);
    const { data } = await app.json("/api/releases");
    const names = data.map(({ feature_name }: { feature_name: string }) => feature_name);
    for (const name of ["Nameless", "Only a text", "https://example.com/only-a-link"]) {
      assertEquals(names.includes(name), true, name);
    }
  },
);

testOnOne("Links in a text of Atom lead from its own xml:base", async (database) => {
  const entry = (number: number, base: string, own: string) =>
    `<entry${base}><id>${number}</id><title>Entry ${number}</title><link href="https://x.example/"/>` +
    `<content type="html"${own}>&lt;a href="../y?a=1&amp;amp;b=2"&gt;y&lt;/a&gt;</content></entry>`;
  const text = '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.com/a/b/">' +
    `<title>Blog</title>${entry(1, "", ' xml:base="https://vendor.example/docs/z/"')}` +
    `${entry(2, ' xml:base="c/d/"', ' xml:base="e/"')}${entry(3, ' xml:base="c/"', "")}` +
    `${entry(4, "", "")}</feed>`;
  await importText(database, text);
  await using app = await startApp(database);
  assertEquals((await itemsOf(app)).map((item) => item.feature_description).toSorted(), [
    "[y](../y?a=1&b=2)",
    "[y](https://example.com/a/b/c/d/y?a=1&b=2)",
    "[y](https://example.com/a/b/y?a=1&b=2)",
    "[y](https://vendor.example/docs/y?a=1&b=2)",
  ]);
});

testOnOne("A relative link of Atom belongs to the nearest xml:base", async (database) => {
  const entry = (number: number, base: string, href: string, own = "") =>
    `<entry${base}><id>${number}</id><title>Entry ${number}</title>` +
    `<link href="${href}"${own}/></entry>`;
  const text = '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.com/blog/">' +
    `<title>Blog</title>${entry(1, "", "one")}${entry(2, ' xml:base="news/"', "two")}` +
    `${entry(3, "", "https://other.example/three")}` +
    `${entry(4, "", "four.html?a=1&amp;b=2", ' xml:base="https://cdn.example/p/"')}` +
    `${entry(5, ' xml:base="news/"', "five", " xml:base='deep/'")}` +
    `${entry(6, "", "six", ' xml:base="/top/"')}` +
    `${entry(7, "", "https://other.example/seven", ' xml:base="deep/"')}</feed>`;
  await importText(database, text);
  await using app = await startApp(database);
  const { data } = await app.json("/api/releases");
  const links = data.map(({ blog_url }: { blog_url: string }) => blog_url).sort();
  assertEquals(links, [
    "https://cdn.example/p/four.html?a=1&b=2",
    "https://example.com/blog/news/deep/five",
    "https://example.com/blog/news/two",
    "https://example.com/blog/one",
    "https://example.com/top/six",
    "https://other.example/seven",
    "https://other.example/three",
  ]);
});

testOnDatabases("A site that moves to https, or back, keeps its entries", async (database) => {
  const atom = (id: string) =>
    `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><id>x</id><entry><id>${id}</id>` +
    `<title>Entry</title></entry></feed>`;
  const json = (id: string) =>
    JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: "News",
      items: [{ id, title: "Entry" }],
    });
  const byLink = (link: string) => rss(`<item><title>Entry</title><link>${link}</link></item>`);
  const byGuid = (guid: string) => rss(item(guid.replaceAll("&", "&amp;")));
  const address = "://vendor.example/?p=1&q=ä";
  for (const [at, write] of [byGuid, atom, json, byLink].entries()) {
    const sourceName = String(at);
    const read = (scheme: string, more = "") =>
      importText(database, write(scheme + address + more).replace("&q", "&amp;q"), { sourceName });
    assertEquals((await read("http")).added, 1);
    assertEquals((await read("https")).added, 0);
    assertEquals((await read("http")).added, 0);
    assertEquals((await read("https", "2")).added, 1);
    assertEquals((await read("http", "2")).added, 0);
  }
  // Two entries of one feed stay two.
  const both = () =>
    importText(database, rss(item("http://v.example/") + item("https://v.example/")));
  assertEquals([(await both()).added, (await both()).unchanged], [2, 2]);
});

testOnOne("What a server writes before its feed is passed over, or named", async (database) => {
  const warning =
    "<br />\n<b>Warning</b>: Undefined variable $x in <b>/feed.php</b> on line 3<br />\n";
  const read = async (text: string) => {
    await using server = serveSource(() =>
      new Response(warning + text, {
        headers: { "content-type": "application/rss+xml; charset=utf-8" },
      })
    );
    return await importLocation(database, server.url, { asOf: TODAY });
  };
  assertEquals((await read(rss(item(1)))).added, 1);
  assertEquals((await read(`<?xml version="1.0"?>${rss(item(2))}`)).added, 1);
  await rejects(
    read("<rss <"),
    /: its server writes "Warning : Undefined variable \$x in \/feed\.php on line 3" before the feed: /,
  );
});

testOnOne("A feed whose titles are days is said to be one", async (database) => {
  const file = await Deno.makeTempFile({ suffix: ".xml" });
  const notesOf = async (...titles: string[]) => {
    const items = titles.map((title, at) =>
      `<item><guid>${at}</guid><title>${title}</title></item>`
    );
    await Deno.writeTextFile(file, rss(items.join("")));
    return (await previewLocation(database, file, { asOf: TODAY })).notes;
  };
  assertEquals(await notesOf("November 20, 2026", "12 November 2026", "2026-11-05", "Dark mode"), [
    'The titles of 3 of 4 entries are days, such as "November 20, 2026": each is read as one ' +
    "release, whatever was released on it; a feed with an entry for each release would be read better",
  ]);
  assertEquals(
    await notesOf("Dark mode in November 2026", "Offline maps", "November 20, 2026"),
    [],
  );
  await Deno.remove(file);
});
