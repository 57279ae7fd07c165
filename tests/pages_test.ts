import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import { XMLValidator } from "fast-xml-parser";
import { importItems, makeItem, startApp, type TestApp } from "./support/app.ts";
import { testOnDatabases } from "./support/databases.ts";
import { waitFor } from "./support/wait_for.ts";

const ID = makeItem(1).release_item_id;

/** Fetches a page and expects a status, and the headers that every page has. */
async function readPage(app: TestApp, path: string, status = 200): Promise<string> {
  const response = await app.fetch(path);
  const html = await response.text();
  assertEquals(response.status, status, html);
  const { headers } = response;
  assertEquals(headers.get("content-type"), "text/html; charset=utf-8");
  match(headers.get("content-security-policy")!, /default-src 'none'; script-src 'self';/);
  match(headers.get("content-security-policy")!, /frame-ancestors 'none'/);
  assertEquals(headers.get("x-content-type-options"), "nosniff");
  match(html, /^<!doctype html><html lang="en">/);
  return html;
}

/** The texts of the links to releases, in their order. */
function releasesIn(html: string): string[] {
  return [...html.matchAll(/<a href="[^"]*\/release\/[^"]*">(.*?)<\/a>/g)]
    .map(([, text]) => text!.replace(/<[^>]*>/g, ""));
}

testOnDatabases(
  "The roadmap page searches, filters, sorts and pages by its form",
  async (database) => {
    await importItems(database, [
      makeItem(1, { release_date: "Q1 2027" }),
      makeItem(2, { product_name: "Other", feature_description: "Holds a needle in hay" }),
      makeItem(3, { release_status: "Shipped" }),
    ]);
    await using app = await startApp(database);
    const all = await readPage(app, "/");
    assertEquals(releasesIn(all), ["Feature 1", "Feature 3", "Feature 2"]);
    match(all, /<p class="count" role="status">3 releases/);
    const empty = "q=&product_name=&release_type=&release_status=&modified_within_days=&sort=";
    assertEquals(releasesIn(await readPage(app, `/?${empty}`)).length, 3);
    assertEquals(releasesIn(await readPage(app, "/?product_name=Other")), ["Feature 2"]);
    assertEquals(releasesIn(await readPage(app, "/?release_status=Shipped")), ["Feature 3"]);
    assertEquals(releasesIn(await readPage(app, "/?sort=release_date"))[0], "Feature 1");
    assertEquals(releasesIn(await readPage(app, "/?modified_within_days=1")), []);
    const found = await readPage(app, "/?q=NEEDLE");
    assertEquals(releasesIn(found), ["Feature 2"]);
    match(found, /Holds a <mark>needle<\/mark> in hay/);
    match(await readPage(app, "/?q=nowhere"), /Nothing found/);
    match(await readPage(app, "/?page=abc", 400), /page must be a whole number/);
  },
);

testOnDatabases(
  "More than fifty releases are paged by links that keep the search",
  async (database) => {
    await importItems(database, Array.from({ length: 60 }, (_, index) => makeItem(index + 1)));
    await using app = await startApp(database);
    const first = await readPage(app, "/?q=feature");
    assertEquals(releasesIn(first).length, 50);
    match(first, /<a rel="next" href="\/\?q=feature&amp;page=2">/);
    const second = await readPage(app, "/?q=feature&page=2");
    assertEquals(releasesIn(second).length, 10);
    match(second, /<a rel="prev" href="\/\?q=feature">/);
    assertEquals(new Set([...releasesIn(first), ...releasesIn(second)]).size, 60);
    match(await readPage(app, "/?page=9"), /no more releases on this page/);
  },
);

testOnDatabases("The board puts each release into the column of its quarter", async (database) => {
  await importItems(database, [
    makeItem(1, { release_date: "Q4 2026" }),
    makeItem(2, { release_date: "Q3 2026" }),
    makeItem(3, { release_date: null }),
    makeItem(4, { release_date: "Q1 2026" }),
  ]);
  for (const [variant, path] of [["a", "/"], ["b", "/"]]) {
    await using app = await startApp(database, { ROADMAP_VARIANT: variant! });
    const html = await readPage(app, `${path}?view=board`);
    const columns = [...html.matchAll(/<h4>(Q\d \d{4}|No date)/g)].map(([, name]) => name);
    assertEquals(columns, ["Q3 2026", "Q4 2026", "No date", "Q1 2026"]);
    match(html, /Q3 2026 <span class="badge tone-now">now/);
  }
});

testOnDatabases(
  "The chart counts shipped and planned releases by quarter, as a table too",
  async (database) => {
    await importItems(database, [
      makeItem(1),
      makeItem(2, { release_status: "Shipped" }),
      makeItem(3, { release_date: "Q4 2026" }),
    ]);
    await using app = await startApp(database);
    const html = await readPage(app, "/");
    match(
      html,
      /aria-label="Releases by quarter. Q3 2026: 1 shipped, 1 planned; Q4 2026: 0 shipped, 1 planned."/,
    );
    match(html, /<th scope="row">Q3 2026<\/th><td>1<\/td><td>1<\/td>/);
  },
);

testOnDatabases(
  "A release page tells all of a release, and its history in words",
  async (database) => {
    const item = makeItem(1, {
      feature_name: "Feature &quot;one&quot;",
      feature_description: "**Overview**Enable &lt;b&gt;it&lt;/b&gt;.",
      blog_title: "The post",
      blog_url: "https://example.com/post",
    });
    await importItems(database, [item, makeItem(2)], { asOf: "2026-07-05" });
    const changed = { ...item, release_date: "Q4 2026", release_status: "Shipped" };
    await importItems(database, [{ ...changed, last_modified: null }, makeItem(2)], {
      asOf: "2026-07-10",
    });
    await using app = await startApp(database);
    const html = await readPage(app, `/release/${ID}`);
    match(html, /<h1>Feature (&quot;|")one(&quot;|")<\/h1>/);
    match(html, /<p><strong>Overview<\/strong><\/p>\s*<p>Enable <b>it<\/b>.<\/p>/);
    match(html, /Release date moved later, from Q3 2026 to Q4 2026/);
    match(html, /Status changed from “Planned” to “Shipped”/);
    match(html, /Added to the roadmap/);
    match(html, /<a href="https:\/\/example.com\/post" rel="noopener noreferrer">The post<\/a>/);
    match(html, /<meta property="og:type" content="article"/);
    const [, linked] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html)!;
    assertEquals(JSON.parse(linked!).headline, 'Feature "one"');
    match(html, /Related releases<\/h2>.*Feature 2/);
    match(html, /href="\/subscribe\?product_name=Product"/);
    await readPage(app, `/release/${String(ID).replaceAll("0", "9")}`, 404);
    await readPage(app, "/release/abc", 400);
  },
);

testOnDatabases(
  "A removed release is marked by variant A and not found in variant B",
  async (database) => {
    await importItems(database, [makeItem(1), makeItem(2), makeItem(3)]);
    await importItems(database, [makeItem(2), makeItem(3)]);
    await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
    match(await readPage(app, `/release/${ID}`), /was removed from the roadmap/);
    await readPage(app, `/b/release/${ID}`, 404);
    assertEquals(releasesIn(await readPage(app, "/")).includes("Feature 1"), false);
    const withRemoved = await readPage(app, "/?include_inactive=true");
    assertEquals(releasesIn(withRemoved).includes("Feature 1"), true);
    match(withRemoved, /<span class="badge tone-removed">Removed<\/span>/);
    assertEquals(releasesIn(await readPage(app, "/b/?include_inactive=true")).length, 2);
  },
);

testOnDatabases(
  "No text of a source becomes markup that runs, or loads from elsewhere",
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

testOnDatabases("The changelog page marks each kind of change by day", async (database) => {
  const states = [
    ["2026-07-01", [makeItem(1), makeItem(2), makeItem(3)]],
    ["2026-07-10", [
      makeItem(1, { release_date: "Q4 2026", last_modified: null }),
      makeItem(2),
      makeItem(3),
    ]],
    ["2026-07-11", [
      makeItem(1, { release_date: "Q4 2026", last_modified: null }),
      makeItem(2, { release_date: "Q2 2026", last_modified: null }),
      makeItem(3),
    ]],
  ] as const;
  for (const [asOf, items] of states) await importItems(database, items, { asOf });
  await importItems(database, [
    makeItem(1, { release_date: "Q4 2026" }),
    makeItem(2, { release_date: "Q2 2026" }),
  ], { asOf: "2026-07-12" });
  await using app = await startApp(database);
  const html = await readPage(app, "/changelog");
  match(html, /12 Jul 2026.*kind-removed.*11 Jul 2026.*kind-earlier.*10 Jul 2026.*kind-later/);
  match(
    await readPage(app, "/changelog?include_inactive=false"),
    /2 releases changed within 30 days/,
  );
  match(await readPage(app, "/changelog?days=9"), /2 releases changed within 9 days/);
  match(await readPage(app, "/changelog?product_name=None"), /Nothing changed in these days/);
  await readPage(app, "/changelog?days=x", 400);
  await using appOfB = await startApp(database, { ROADMAP_VARIANT: "b" });
  await readPage(appOfB, "/changelog", 404);
  assertEquals((await readPage(appOfB, "/")).includes("/changelog"), false);
});

testOnDatabases(
  "The form to subscribe holds the preferences of the search it was opened from",
  async (database) => {
    await importItems(database, [makeItem(1), makeItem(2, { product_name: "Other & more" })]);
    await using app = await startApp(database);
    const checked = (html: string) =>
      [...html.matchAll(/<input type="checkbox" name="(\w+)" value="([^"]*)" checked/g)]
        .map(([, name, value]) => `${name}=${value}`);
    assertEquals(checked(await readPage(app, "/subscribe")), []);
    const search = await readPage(app, "/?product_name=Other+%26+more&release_status=Planned");
    const [, link] = /href="(\/subscribe\?[^"]*)">E-mail<\/a>/.exec(search)!;
    const html = await readPage(app, link!.replaceAll("&amp;", "&"));
    assertEquals(checked(html), ["products=Other &amp; more", "statuses=Planned"]);
    match(html, /<form class="subscribe-form" action="\/subscribe" method="post">/);
    assertEquals(
      checked(await readPage(app, "/subscribe?products=Gone&types=General+availability")),
      [
        "products=Gone",
        "types=General availability",
      ],
    );
  },
);

testOnDatabases("Below a path every link and asset of a page stays below it", async (database) => {
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
    const addresses = [...html.matchAll(/(?:href|src|action)="(\/[^"]*|https:\/\/example[^"]*)"/g)];
    ok(addresses.length > 5, path);
    for (const [, address] of addresses) {
      match(
        address!,
        /^(https:\/\/example\.com)?\/road\/(b(\/|$)|assets\/)/,
        `${path}: ${address}`,
      );
    }
  }
  match(await readPage(app, "/road/b/nowhere", 404), /href="\/road\/b\/"/);
});

testOnDatabases("Feeds, sitemap, robots and the sign are found", async (database) => {
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
  assertEquals(locations.length, 6);
  assertEquals(locations.at(-1), `http://localhost:8000/release/${ID}`);
  assertEquals((await app.fetch("/sitemap.xml?page=2")).status, 404);
  const robots = await app.fetch("/robots.txt");
  assertEquals(robots.status, 200);
  match(await robots.text(), /^Sitemap: http:\/\/localhost:8000\/sitemap\.xml$/m);
  const sign = await app.fetch("/favicon.ico");
  assertEquals(sign.headers.get("content-type"), "image/svg+xml; charset=utf-8");
});

testOnDatabases("Assets never change under their name, and are compressed", async (database) => {
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

testOnDatabases("A page is kept until the data changes", async (database) => {
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
