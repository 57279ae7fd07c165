import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { parseOpml } from "feedsmith";
import { XmlDocument } from "libxml2-wasm";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { readRss } from "../support/subjects/feeds.ts";

testOnDatabases("/feeds.opml lists a feed for each product", async (database) => {
  const hostile = `]]> & <b>"Ämter'\u0001`;
  await importItems(database, [
    makeItem(1, { product_name: hostile }),
    makeItem(2, { product_name: "Mail" }),
    makeItem(3, { product_name: "Mail" }),
    makeItem(4, { product_name: "Gone", active: false }),
  ]);
  await using app = await startApp(database, {
    ROADMAP_VARIANT: "both",
    BASE_URL: "https://example.com/road",
    SITE_NAME: "Acme & Sons",
  });
  for (const site of ["/road", "/road/b"]) {
    const response = await app.fetch(`${site}/feeds.opml`);
    assertEquals(response.status, 200);
    assertEquals(response.headers.get("content-type"), "text/x-opml; charset=utf-8");
    const text = await response.text();
    XmlDocument.fromString(text).dispose();
    match(text, /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<opml version="2\.0">/);
    const { head, body } = parseOpml(text);
    assertEquals(head?.title, "Acme & Sons");
    const outlines = body?.outlines ?? [];
    const titles = outlines.map(({ title }) => title);
    assertEquals(titles, ["Mail · Acme & Sons", `]]> & <b>"Ämter' · Acme & Sons`]);
    for (const { type, text, title, xmlUrl, htmlUrl } of outlines) {
      assertEquals([type, text], ["rss", title]);
      const { pathname, search } = new URL(xmlUrl!);
      const feed = await readRss(app, pathname + search);
      assertEquals([feed.title, feed.page], [title, htmlUrl]);
      assertEquals(feed.entries.length, title!.startsWith("Mail") ? 2 : 1);
    }
  }
});

testOnDatabases(
  "For an empty roadmap, /feeds.opml lists the feed of everything",
  async (database) => {
    await using app = await startApp(database);
    const { body } = parseOpml(await (await app.fetch("/feeds.opml")).text());
    assertEquals(body?.outlines?.map(({ xmlUrl }) => xmlUrl), ["http://localhost:8000/rss.xml"]);
  },
);
