import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import { XMLValidator } from "fast-xml-parser";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { waitFor } from "../support/wait_for.ts";
import { readPage } from "../support/pages.ts";
import { slowOnDatabases } from "../support/slow.ts";

const ID = makeItem(1).release_item_id;

slowOnDatabases(
  "No text from a source becomes markup that runs code or loads external resources",
  async (database) => {
    const evil =
      `</script><script>alert(1)</script><img src="https://evil.example/x.png" onerror=a()>`;
    const description = `${evil}&lt;script&gt;alert(2)&lt;/script&gt; [x](javascript:a()) ` +
      `<a href="javascript:a()">y</a><b onclick="a()">z</b> ![i](https://evil.example/y.png)` +
      `<style>*{}</style><iframe src="https://evil.example"></iframe><svg onload=a()>`;
    await importItems(database, [
      makeItem(1, {
        feature_name: evil,
        feature_description: description,
        product_name: evil,
        release_status: evil,
        release_type: evil,
        blog_title: evil,
        blog_url: "javascript:alert(1)",
      }),
    ]);
    await using app = await startApp(database);
    const pages = ["/", "/?view=board", `/?q=${encodeURIComponent(evil)}`, `/release/${ID}`];
    const query = new URLSearchParams({ product_name: evil });
    for (const path of [...pages, "/changelog?days=90", `/subscribe?${query}`]) {
      const html = await readPage(app, path);
      const scripts = [...html.matchAll(/<script([^>]*)>/g)].map(([, attributes]) => attributes!);
      ok(
        scripts.every((attributes) =>
          /src="\/assets\/|type="application\/(ld\+)?json"/.test(attributes)
        ),
        path,
      );
      const tags = html.replaceAll(/<script[^>]*>.*?<\/script>/g, "").match(/<[a-z][^>]*>/gi)!;
      for (const tag of tags) {
        ok(!/^<(iframe|img|style|object|embed)/i.test(tag), `${path}: ${tag}`);
        ok(
          !/\son\w+=|href="javascript:/i.test(tag.replace(/(content|value|title)="[^"]*"/g, "")),
          `${path}: ${tag}`,
        );
      }
    }
  },
);

testOnDatabases("A value that only the URL names has a count of zero", async (database) => {
  await importItems(database, [makeItem(1)]);
  await using app = await startApp(database);
  for (const value of ["Nothing", "__proto__", "constructor", "toString"]) {
    const html = await readPage(app, `/?product_name=${value}`);
    match(html, new RegExp(`<bdi>${value}</bdi> <span class="quiet"><span>0</span></span>`));
  }
});

testOnDatabases("The changelog page marks each kind of change by day", async (database) => {
  const states = [["2026-07-01", [makeItem(1), makeItem(2), makeItem(3)]], ["2026-07-10", [
    makeItem(1, { release_date: "Q4 2026", last_modified: null }),
    makeItem(2),
    makeItem(3),
  ]], ["2026-07-11", [
    makeItem(1, { release_date: "Q4 2026", last_modified: null }),
    makeItem(2, { release_date: "Q2 2026", last_modified: null }),
    makeItem(3),
  ]]] as const;
  for (const [asOf, items] of states) {
    await importItems(database, items, { asOf });
  }
  await importItems(database, [
    makeItem(1, { release_date: "Q4 2026" }),
    makeItem(2, { release_date: "Q2 2026" }),
  ], { asOf: "2026-07-12" });
  await using app = await startApp(database);
  const html = await readPage(app, "/changelog");
  match(html, /12 July 2026.*kind-removed.*11 July.*kind-earlier.*10 July.*kind-slipped/);
  match(await readPage(app, "/changelog?include_inactive=false"), /4 changes/);
  match(await readPage(app, "/changelog?days=9"), /2 changes in the last 9 days/);
  match(
    await readPage(app, "/changelog?product_name=None"),
    /No changes\. Choose a longer period or fewer filters/,
  );
  await readPage(app, "/changelog?days=x", 400);
  await using appOfB = await startApp(database, { ROADMAP_VARIANT: "b" });
  await readPage(appOfB, "/changelog", 404);
  assertEquals((await readPage(appOfB, "/")).includes("/changelog"), false);
});

testOnDatabases(
  "The subscribe form is prefilled from the search it was opened from",
  async (database) => {
    await importItems(database, [makeItem(1), makeItem(2, { product_name: "Other & more" })]);
    await using app = await startApp(database);
    const checked = (html: string) =>
      [...html.matchAll(/<input type="checkbox" name="(\w+)" value="([^"]*)" checked/g)].map((
        [, name, value],
      ) => `${name}=${value}`);
    assertEquals(checked(await readPage(app, "/subscribe")), []);
    const search = await readPage(app, "/?product_name=Other+%26+more&release_status=Planned");
    const [, link] = /href="(\/subscribe\?[^"]*)"[^>]*>Follow<\/a>/.exec(search)!;
    const html = await readPage(app, link!.replaceAll("&amp;", "&"));
    assertEquals(checked(html), ["products=Other &amp; more", "statuses=Planned"]);
    match(html, / class="subscribe-form card" action="\/subscribe" method="post"/);
    assertEquals(
      checked(await readPage(app, "/subscribe?products=Gone&types=General+availability")),
      ["products=Gone", "types=General availability"],
    );
  },
);

testOnDatabases(
  "With a base path, every link and asset of a page stays below it",
  async (database) => {
    await importItems(database, [makeItem(1)]);
    await using app = await startApp(database, {
      ROADMAP_VARIANT: "both",
      BASE_URL: "https://example.com/road",
    });
    const pages = [
      "/road/b/",
      "/road/b",
      `/road/b/release/${ID}`,
      "/road/b/subscribe",
      "/road/b/api",
    ];
    for (const path of pages) {
      const html = await readPage(app, path);
      const addresses = [
        ...html.matchAll(/(?:href|src|action)="(\/[^"]*|https:\/\/example[^"]*)"/g),
      ];
      ok(addresses.length > 5, path);
      for (const [, address] of addresses) {
        match(
          address!,
          /^(https:\/\/example\.com)?\/road\/(b(\/|$)|assets\/)/,
          `${path}: ${address}`,
        );
      }
    }
    const nowhere = await readPage(app, "/road/b/nowhere", 404);
    match(nowhere, /<a href="\/road\/b\/">the roadmap<\/a>\./);
    match(nowhere, /<form class="search-field" role="search" action="\/road\/b\/">.* name="q"/);
    match(await readPage(app, "/road/nowhere", 404), /<a href="\/road\/changelog">the changelog/);
  },
);

testOnDatabases("Feed links, sitemap, robots.txt and favicon are served", async (database) => {
  await importItems(database, [makeItem(1), makeItem(2), makeItem(3)]);
  await importItems(database, [makeItem(1), makeItem(2)]);
  await using app = await startApp(database);
  const feed = (html: string) => /type="application\/rss\+xml"[^>]* href="([^"]*)"/.exec(html)![1];
  assertEquals(feed(await readPage(app, "/")), "/rss.xml");
  assertEquals(feed(await readPage(app, "/?product_name=A+B")), "/rss.xml?product_name=A+B");
  const sitemap = await app.fetch("/sitemap.xml");
  assertEquals(sitemap.status, 200);
  assertEquals(sitemap.headers.get("content-type"), "application/xml; charset=utf-8");
  const document = await sitemap.text();
  match(document, /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<urlset [^>]*>\s*<url>/);
  assertEquals(XMLValidator.validate(document), true);
  assertEquals(document.includes("\\n"), false);
  const locations = [...document.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url);
  assertEquals(locations.length, 8, "without the removed release");
  assertEquals(locations.at(-1), `http://localhost:8000/release/${ID}`);
  assertEquals((await app.fetch("/sitemap.xml?page=2")).status, 404);
  const robots = await app.fetch("/robots.txt");
  assertEquals(robots.status, 200);
  match(await robots.text(), /^Sitemap: http:\/\/localhost:8000\/sitemap\.xml$/m);
  const sign = await app.fetch("/favicon.ico");
  assertEquals(sign.headers.get("content-type"), "image/svg+xml; charset=utf-8");
});

testOnDatabases("Assets have hashed names, are immutable and are compressed", async (database) => {
  await using app = await startApp(database);
  const [, style] = /<link rel="stylesheet" href="([^"]+)"/.exec(await readPage(app, "/"))!;
  match(style!, /^\/assets\/style-[\w-]{12}\.css$/);
  const response = await app.fetch(style!, { headers: { "accept-encoding": "br" } });
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("cache-control"), "public, max-age=31536000, immutable");
  assertEquals(response.headers.get("content-type"), "text/css; charset=utf-8");
  assertEquals(response.headers.get("content-encoding"), "br");
  assertEquals((await app.fetch("/assets/style-000000000000.css")).status, 404);
});

testOnDatabases("A page is cached until the data changes", async (database) => {
  await importItems(database, [makeItem(1)]);
  await using app = await startApp(database);
  const response = await app.fetch("/");
  assertEquals(response.headers.get("cache-control"), "public, no-cache");
  const etag = response.headers.get("etag")!;
  const again = () => app.fetch("/", { headers: { "if-none-match": etag } });
  assertEquals((await again()).status, 304);
  await importItems(database, [makeItem(1), makeItem(2)]);
  let answer = await again();
  await waitFor("the new page", async () => (answer = await again()).status !== 304);
  assertEquals(answer.status, 200);
  match(await answer.text(), /Feature 2/);
});
