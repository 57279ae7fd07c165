import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { importItems, makeItem, startApp } from "./support/app.ts";
import { testOnDatabases } from "./support/databases.ts";
import { readPage, releasesIn } from "./support/pages.ts";

const ID = makeItem(1).release_item_id;

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
    match(
      await readPage(app, "/release/abc", 400),
      /<h1>This address is not quite right<\/h1><p>No release has the address \/release\/abc\./,
    );
    match(
      html,
      /<span class="copy-link" data-copy="http:\/\/localhost:8000\/release\/[\d-]+"><button/,
    );
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

testOnDatabases("A removal is explained as the last status has it", async (database) => {
  const statuses = ["Planned", "Shipped", "Cancelled"];
  await importItems(database, [
    ...statuses.map((release_status, i) => makeItem(i + 1, { release_status })),
    ...[7, 8, 9].map((number) => makeItem(number)),
  ]);
  await importItems(database, [7, 8, 9].map((number) => makeItem(number)));
  await using app = await startApp(database);
  const explanations = await Promise.all(statuses.map(async (_, i) => {
    const html = await readPage(app, `/release/${makeItem(i + 1).release_item_id}`);
    return /was removed from the roadmap<\/strong> on .*?<\/time>\. (.*?)<\/p>/.exec(html)![1];
  }));
  assertEquals(explanations, [
    "It may not come, or may be part of something else.",
    "Its last status was Shipped, so it has most likely only left the list.",
    "Its last status was Cancelled.",
  ]);
});
