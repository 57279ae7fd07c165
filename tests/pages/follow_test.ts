import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { importItems, makeItem, serve, startApp, type TestApp } from "../support/app.ts";
import { testOnOne } from "../support/databases.ts";

async function readPage(app: TestApp, path: string): Promise<string> {
  const response = await app.fetch(path);
  assertEquals([path, response.status], [path, 200]);
  return await response.text();
}

/** The feeds that the head of a page announces: type, title and URL. */
function announcedBy(html: string): string[][] {
  const links = html.matchAll(
    /<link rel="alternate" type="([^"]*)" title="([^"]*)" href="([^"]*)"\/?>/g,
  );
  return [...links].map(([, ...parts]) => parts.map((part) => part!.replaceAll("&amp;", "&")));
}

/** The links of the page that a page's Follow button opens, by their text. */
async function followFrom(html: string, app: TestApp): Promise<Record<string, string>> {
  const [, href] = /<a class="button follow-button" href="([^"]*)"/.exec(html)!;
  const page = await readPage(app, href!.replaceAll("&amp;", "&"));
  const [, byFeed] = /<a href="([^"]*by=feed)"/.exec(page)!;
  const tab = await readPage(app, byFeed!.replaceAll("&amp;", "&"));
  const [, ways] = /<dl>(.*?)<\/dl>/s.exec(tab)!;
  const links = ways!.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g);
  return Object.fromEntries(
    [...links].map(([, href, name]) => [name, href!.replaceAll("&amp;", "&")]),
  );
}

testOnOne("A results page announces and offers its feeds", async (database) => {
  await importItems(database, [makeItem(1, { product_name: "Power BI" })]);
  await using app = await startApp(database, {
    ROADMAP_VARIANT: "both",
    BASE_URL: "https://example.com/road",
    SITE_NAME: "Acme",
  });
  const filter = "?product_name=Power+BI&release_status=Shipped&q=co+pilot";
  const byWords = `${filter}&match=words`;
  for (const site of ["/road", "/road/b"]) {
    const html = await readPage(app, `${site}/${filter}&sort=release_date&view=board&page=1`);
    const title = "“co pilot”, Power BI, shipped · Acme";
    assertEquals(announcedBy(html), [["application/rss+xml", title, `${site}/rss.xml${byWords}`], [
      "application/atom+xml",
      title,
      `${site}/atom.xml${byWords}`,
    ], ["application/feed+json", title, `${site}/feed.json${byWords}`]]);
    assertEquals(await followFrom(html, app), {
      "RSS": `${site}/rss.xml${byWords}`,
      "Atom": `${site}/atom.xml${byWords}`,
      "JSON Feed": `${site}/feed.json${byWords}`,
      "Add to calendar": `webcal://example.com${site}/calendar.ics${byWords}`,
      "Download as CSV": `${site}/releases.csv${byWords}`,
    });
    for (const [, , href] of announcedBy(html)) {
      const feed = await (await app.fetch(href!)).text();
      assert(feed.includes(title), href);
    }
    const all = await readPage(app, `${site}/`);
    assertEquals(announcedBy(all)[0], ["application/rss+xml", "Acme", `${site}/rss.xml`]);
    const { "One feed per product (OPML)": opml } = await followFrom(all, app);
    assertEquals(opml, `${site}/feeds.opml`);
  }
});

testOnOne("A release page offers its product's feeds, titled as such", async (database) => {
  const product_name = `R&D "<x>"`;
  await using app = await serve(database, [makeItem(1, { product_name })]);
  const { release_item_id: id } = makeItem(1);
  const html = await readPage(app, `/release/${id}`);
  const query = "?product_name=R%26D+%22%3Cx%3E%22";
  assertEquals(announcedBy(html)[1], [
    "application/atom+xml",
    "R&D &quot;&lt;x>&quot; · Roadcast",
    `/atom.xml${query}`,
  ]);
  const ways = await followFrom(html, app);
  assertEquals(ways["Add to calendar"], `webcal://localhost:8000/calendar.ics${query}`);
});

testOnOne(
  "The changelog can be followed with its filter, including removals",
  async (database) => {
    await using app = await serve(database, [makeItem(1)]);
    const html = await readPage(app, "/changelog?days=7&release_status=Shipped");
    const query = "?release_status=Shipped&include_inactive=true";
    assertEquals(announcedBy(html)[0], [
      "application/rss+xml",
      "Shipped, including removed · Roadcast",
      `/rss.xml${query}`,
    ]);
    assertEquals((await followFrom(html, app))["Atom"], `/atom.xml${query}`);
    const active = await readPage(app, "/changelog?include_inactive=false");
    assertEquals(announcedBy(active)[0]![2], "/rss.xml");
  },
);

testOnOne("Other pages announce the feeds of the entire roadmap", async (database) => {
  await using app = await startApp(database);
  for (const path of ["/subscribe", "/api"]) {
    const announced = announcedBy(await readPage(app, path));
    assertEquals(announced.map(([, ...parts]) => parts), [["Roadcast", "/rss.xml"], [
      "Roadcast",
      "/atom.xml",
    ], ["Roadcast", "/feed.json"]]);
  }
});

testOnOne("The subscribe page offers feeds for a kind of change", async (database) => {
  await using app = await serve(database, [makeItem(1, { product_name: "Maps" })]);
  const page = await readPage(app, "/subscribe?products=Maps&kind=slipped&by=feed");
  const query = "?product_name=Maps&amp;kind=slipped";
  assert(page.includes(`<a href="/rss.xml${query}">RSS</a>`));
  assert(page.includes(`/feed subscribe http://localhost:8000/rss.xml${query}</code>`));
  assert(page.includes('webcal://localhost:8000/calendar.ics?product_name=Maps"'));
});

testOnOne("A feed of removed releases that is offered has them", async (database) => {
  await importItems(database, [makeItem(1), makeItem(2)]);
  await importItems(database, [makeItem(1)], { allowMassRemoval: true });
  await using app = await startApp(database);
  for (const from of ["/subscribe?kind=removed&by=feed", "/changelog?kind=removed"]) {
    const html = await readPage(app, from);
    const [, feed] = /href="([^"]*\/rss\.xml[^"]*kind=removed[^"]*)"/.exec(html)!;
    const items = await readPage(app, feed!.replaceAll("&amp;", "&"));
    assertEquals(items.match(/<item>/g)?.length, 1, from);
  }
});
