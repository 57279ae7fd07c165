import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import { DataCache } from "../../lib/database/data_version.ts";
import { ProductPromises } from "../../lib/insights/read_insights.ts";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases, testOnOne } from "../support/databases.ts";
import { readPage, releasesIn } from "../support/pages.ts";
import { slowOnDatabases } from "../support/slow.ts";

const ID = makeItem(1).release_item_id;

testOnOne("The head of a release page describes it to other programs", async (database) => {
  await using app = await serve(database, [
    makeItem(1, {
      feature_name: "Feature &quot;one&quot;",
      blog_title: "The post",
      blog_url: "https://example.com/post",
    }),
  ]);
  const html = await readPage(app, `/release/${ID}`);
  match(html, /<meta property="og:type" content="article"/);
  const [, linked] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html)!;
  assertEquals(JSON.parse(linked!).headline, 'Feature "one"');
  match(html, /<a href="https:\/\/example.com\/post" rel="noopener noreferrer"><bdi>The post</);
  match(html, /class="copy-link" data-copy="http:\/\/localhost:8000\/release\/[\d-]+"><button/);
});

testOnOne("An address of no release says so", async (database) => {
  await using app = await startApp(database);
  await readPage(app, `/release/${String(ID).replaceAll("0", "9")}`, 404);
  match(
    await readPage(app, "/release/abc", 400),
    /<h1>This link doesn’t work<\/h1><p>There is no release at \/release\/abc\./,
  );
});

testOnOne(
  "A removed release is marked by variant A and not found in variant B",
  async (database) => {
    await importItems(database, [makeItem(1), makeItem(2), makeItem(3)]);
    await using app = await serve(database, [makeItem(2), makeItem(3)], {
      ROADMAP_VARIANT: "both",
    });
    match(await readPage(app, `/release/${ID}`), /was removed from the roadmap/);
    await readPage(app, `/b/release/${ID}`, 404);
    assertEquals(releasesIn(await readPage(app, "/")).includes("Feature 1"), false);
    const withRemoved = await readPage(app, "/?include_inactive=true");
    assertEquals(releasesIn(withRemoved).includes("Feature 1"), true);
    match(withRemoved, /<span class="badge tone-removed">Removed<\/span>/);
    assertEquals(releasesIn(await readPage(app, "/b/?include_inactive=true")).length, 2);
  },
);

testOnOne("Each change of a release can be linked to", async (database) => {
  const importStatus = (release_status: string, asOf: string) =>
    importItems(database, [makeItem(1, { release_status, last_modified: null })], { asOf });
  await importStatus("Planned", "2026-07-01");
  await importStatus("Started", "2026-07-10");
  await importStatus("Shipped", "2026-07-10");
  await using app = await startApp(database);
  const html = await readPage(app, `/release/${ID}`);
  const ids = [...html.matchAll(/<li class="at-\w+" id="([^"]+)"/g)].map(([, id]) => id);
  assertEquals(ids, ["2026-07-10-2", "2026-07-10", "2026-07-01"]);
  const links = [...html.matchAll(/<a class="anchor" href="#([^"]+)"/g)].map(([, id]) => id);
  assertEquals(links, ids);
  const changelog = await readPage(app, "/changelog");
  match(changelog, /<h2 id="2026-07-10"><a href="\/changelog\/2026-07-10">/);
});

testOnDatabases(
  "A release page says how reliable the dates of its product are",
  async (database) => {
    const due = (number: number, release_status: string) =>
      makeItem(number, { release_date: "Q2 2026", release_status, last_modified: null });
    await importItems(database, [due(1, "Planned"), due(2, "Planned")], { asOf: "2026-05-01" });
    const reliabilityOn = async () => {
      await using app = await startApp(database);
      const html = await readPage(app, `/release/${ID}`);
      return /<section class="card reliability".*?<\/section>/s.exec(html)?.[0];
    };
    assertEquals(await reliabilityOn(), undefined, "too early to judge");
    await importItems(database, [due(1, "Planned"), due(2, "Shipped")], { asOf: "2026-06-01" });
    await importItems(database, [due(1, "Planned"), due(2, "Shipped")], { asOf: "2026-07-10" });
    const said = (await reliabilityOn())!;
    match(textOf(said), /1 of the 2 Product releases due so far shipped on time\./);
    match(said, /href="\/insights\?product_name=Product"/);
    const read = (maxReleases: number) =>
      new ProductPromises(database, new DataCache({ current: 0 }), maxReleases).read(
        "Product",
        "2026-07-20",
      );
    assertEquals((await read(2))?.due, 2);
    assertEquals(await read(1), null);
  },
);

testOnDatabases("The newest twenty descriptions are compared word by word", async (database) => {
  for (let run = 0; run <= 22; run++) {
    await importItems(database, [
      makeItem(1, { feature_description: `Version ${run} of the words`, last_modified: null }),
    ], { asOf: new Date(Date.UTC(2026, 5, 1 + run)).toISOString().slice(0, 10) });
  }
  await using app = await startApp(database);
  const entries = (await readPage(app, `/release/${ID}`)).split(/class="anchor"/).slice(1);
  assertEquals(entries.length, 23);
  const compared = entries.map((entry) => /<ins>|<del>/.test(entry));
  assertEquals(compared, entries.map((_, place) => place < 20));
});

testOnOne(
  "What a source says of the time before the first import is in the history only",
  async (database) => {
    const planned = (release_date: string, fields = {}) =>
      makeItem(1, { release_date, created: "2026-01-30", last_modified: null, ...fields });
    await importItems(database, [planned("Q3 2026")], { asOf: "2026-06-25" });
    await using app = await startApp(database);
    const first = await readPage(app, `/release/${ID}`);
    match(textOf(first), /Not moved since we started watching on 25 Jun 2026/);
    match(textOf(first), /30 Jan 2026 # New Added to the roadmap/);
    await importItems(database, [planned("Q4 2027")], { asOf: "2026-07-15" });
    await using moved = await startApp(database);
    const html = await readPage(moved, `/release/${ID}`);
    match(html, /aria-label="Planned date over time: since 25 Jun 2026 Q3 2026, since 15 Jul 2026/);
    // A source may say later that a change is older than the first import.
    await importItems(database, [planned("Q1 2028", { last_modified: "2026-06-01" })], {
      asOf: "2026-07-16",
    });
    await using older = await startApp(database);
    const [, drawn] = /<path class="said" d="M(\d+)[^"]*"/.exec(
      await readPage(older, `/release/${ID}`),
    )!;
    assertEquals(drawn, "80");
  },
);

slowOnDatabases("The days below the line of moves keep apart from each other", async (database) => {
  for (let day = 2; day <= 19; day++) {
    await database.query(sql`delete from item_rows`);
    const at = (release_date: string, asOf: string) =>
      importItems(database, [makeItem(1, { release_date, last_modified: null })], { asOf });
    await at("Q3 2026", "2026-07-01");
    await at("Q4 2026", `2026-07-${String(day).padStart(2, "0")}`);
    await using app = await startApp(database);
    const html = await readPage(app, `/release/${ID}`);
    const [line] = /<svg\s+class="promise-line".*?<\/svg>/s.exec(html)!;
    const middle = /<text class="middle" x="(\d+)"/.exec(line)?.[1];
    if (middle === undefined) continue;
    // A day takes 66 units: the first one begins at 76, and "today" ends at 324.
    ok(Number(middle) - 33 > 76 + 66, `${day}: ${middle}`);
    ok(Number(middle) + 33 < 324 - 32, `${day}: ${middle}`);
  }
});

/** The text of a piece of HTML. */
function textOf(html: string): string {
  return html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ").trim();
}
