import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import { loadSample } from "../../lib/import/sample/sample.ts";
import { importItems, makeItem, serve, startApp, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { readPage, releasesIn } from "../support/pages.ts";
import { waitFor } from "../support/wait_for.ts";
import { watchDatabase } from "../support/watched_database.ts";

testOnDatabases(
  "The roadmap page searches, filters, sorts and pages by its form",
  async (database) => {
    await using app = await serve(database, [
      makeItem(1, { release_date: "Q1 2027" }),
      makeItem(2, { product_name: "Other", feature_description: "Holds a needle in hay" }),
      makeItem(3, { release_status: "Shipped" }),
    ]);
    const all = await readPage(app, "/");
    assertEquals(releasesIn(all), ["Feature 2", "Feature 3", "Feature 1"]);
    match(all, /<p class="count" role="status"><span>3 releases/);
    const empty = "q=&product_name=&release_type=&release_status=&modified_within_days=&sort=";
    assertEquals(releasesIn(await readPage(app, `/?${empty}`)).length, 3);
    assertEquals(releasesIn(await readPage(app, "/?product_name=Other")), ["Feature 2"]);
    assertEquals(releasesIn(await readPage(app, "/?release_status=Shipped")), ["Feature 3"]);
    assertEquals(releasesIn(await readPage(app, "/?sort=release_date"))[0], "Feature 1");
    assertEquals(releasesIn(await readPage(app, "/?modified_within_days=1")), []);
    const found = await readPage(app, "/?q=NEEDLE");
    assertEquals(releasesIn(found), ["Feature 2"]);
    match(found, /Holds a <mark>needle<\/mark> in hay/);
    match(await readPage(app, "/?q=nowhere"), /No releases found/);
    match(await readPage(app, "/?page=abc", 400), /There is no page “abc”\./);
  },
);

testOnDatabases(
  "More than fifty releases are paged by links that preserve the search",
  async (database) => {
    await importItems(database, Array.from({ length: 60 }, (_, index) => makeItem(index + 1)));
    await using app = await startApp(database);
    const first = await readPage(app, "/?q=feature");
    assertEquals(releasesIn(first).length, 50);
    match(first, /<a href="\/\?q=feature&amp;page=2" rel="next">/);
    const second = await readPage(app, "/?q=feature&page=2");
    assertEquals(releasesIn(second).length, 10);
    match(second, /<a href="\/\?q=feature" rel="prev">/);
    assertEquals(new Set([...releasesIn(first), ...releasesIn(second)]).size, 60);
    match(await readPage(app, "/?page=9"), /No releases on this page/);
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
    const columns = [...html.matchAll(/<h3><span>(Q\d \d{4}|No date)/g)].map(([, name]) => name);
    assertEquals(columns, ["Q2 2026", "Q3 2026", "Q4 2026"]);
    match(html, />1 release without a date</);
    match(html, /Q3 2026<\/span> <span class="badge tone-now">now/);
  }
});

testOnDatabases(
  "Values that differ only in case are one choice, which finds both",
  async (database) => {
    await using app = await serve(database, [
      makeItem(1, { product_name: "Admin Center" }),
      makeItem(2, { product_name: "Admin center" }),
      makeItem(3, { product_name: "Other", release_status: "shipped" }),
      makeItem(4, { product_name: "Other", release_status: "Shipped" }),
    ]);
    const html = await readPage(app, "/");
    const values = [
      ...html.matchAll(/<bdi>([^<]*)<\/bdi> <span class="quiet"><span>(\d+)<\/span>/g),
    ].map(([, value, count]) => `${value} ${count}`);
    assertEquals(values.filter((value) => /^(admin|shipped)/i.test(value)), [
      "Admin Center 2",
      "Shipped 2",
    ]);
    const page = await readPage(app, "/?product_name=Admin+Center");
    match(page, /role="status"><span>2 releases/);
    // Feeds match values exactly.
    match(page, /href="\/rss\.xml\?product_name=Admin\+Center&amp;product_name=Admin\+center"/);
    match(
      await readPage(app, "/?view=board&release_status=shipped"),
      /role="status"><span>2 releases/,
    );
    const { total, also } = await app.json("/search.json?product_name=Admin+center");
    assertEquals([total, also], [2, { product_name: ["Admin Center", "Admin center"] }]);
    // The API matches exactly.
    const { pagination } = await app.json("/api/releases?product_name=Admin+Center");
    assertEquals(pagination.total_items, 1);
  },
);

testOnDatabases(
  "Search words are queried once, for both the list and the counts",
  async (database) => {
    await importItems(database, [makeItem(1), makeItem(2, { product_name: "Other" })]);
    const watched = watchDatabase(database);
    const countStatements = async (query: string) => {
      await using app = await startApp(watched);
      await app.json("/search.json");
      watched.takeCount();
      await app.json(`/search.json?${query}`);
      return watched.takeCount();
    };
    for (const view of ["", "&view=board"]) {
      const one = await countStatements(`q=feature${view}`);
      assertEquals(await countStatements(`q=feature+description${view}`), one);
      // One more query checks whether any release has both words, where their count did not say so.
      assertEquals(await countStatements(`q=feature+unheard${view}`), one + 1);
    }
  },
);

testOnDatabases(
  "Each filter is taken off in its own button, which leads to the first page",
  async (database) => {
    await importItems(database, Array.from({ length: 60 }, (_, index) => makeItem(index + 1)));
    await using app = await startApp(database);
    const linksAt = async (query: string) => {
      const html = await readPage(app, `/?${query}`);
      const links = html.matchAll(/class="(?:take-off|clear)"[^>]*href="([^"]*)"/g);
      return [...links].map(([, href]) => href!.replaceAll("&amp;", "&"));
    };
    assertEquals(await linksAt("page=2"), []);
    assertEquals(await linksAt("product_name=Product&page=2"), ["/", "/"]);
    assertEquals(
      await linksAt(
        "product_name=Product&release_status=Planned&due=overdue&modified_since=2020-01-01",
      ),
      [
        "/?release_status=Planned&modified_since=2020-01-01&due=overdue",
        "/?product_name=Product&modified_since=2020-01-01&due=overdue",
        "/?product_name=Product&release_status=Planned&modified_since=2020-01-01",
        "/?product_name=Product&release_status=Planned&due=overdue",
        "/",
      ],
    );
    const beyond = await readPage(app, "/?q=feature&page=9");
    match(beyond, /<a href="\/\?q=feature&amp;page=2" rel="nofollow">Go to the last page<\/a>/);
  },
);

testOnDatabases(
  "What is closed of a quarter is one line below what is to come",
  async (database) => {
    await using app = await serve(database, [
      makeItem(1, { release_status: "Shipped", last_modified: "2026-07-03" }),
      makeItem(2, { release_status: "Shipped", last_modified: "2026-07-02" }),
      makeItem(3, { release_status: "Shipped", last_modified: "2026-07-01" }),
      makeItem(4, { release_status: "Cancelled", last_modified: "2026-06-01" }),
      makeItem(5, { last_modified: "2020-01-01", release_type: "Not stated" }),
      makeItem(6, { release_date: "Q4 2026", release_type: "Not stated" }),
    ]);
    const html = await readPage(app, "/");
    assertEquals(releasesIn(html), [
      "Feature 5",
      "Feature 1",
      "Feature 2",
      "Feature 3",
      "Feature 4",
      "Feature 6",
    ]);
    const [, line] = /<details class="closed"><summary>(.*?)<\/summary>/.exec(html)!;
    assertEquals(
      line!.replaceAll(/<[^>]*>/g, ""),
      "3 shipped, 1 stopped Feature 1, Feature 2, and 2 more",
    );
    match(html, />1 to come, 3 shipped</);
    // A filter on the status asks for what would be folded, and so does a page with nothing else.
    for (
      const query of ["release_status=Shipped", "release_status=Shipped&release_status=Planned"]
    ) {
      assertEquals((await readPage(app, `/?${query}`)).includes('<details class="closed">'), false);
    }
  },
);

testOnDatabases("A filter whose values no source states is not offered", async (database) => {
  await using app = await serve(database, [makeItem(1, { release_type: "Not stated" })]);
  for (const path of ["/", "/?view=board", "/insights"]) {
    const html = await readPage(app, path);
    const [main] = /<main.*<\/main>/s.exec(html)!;
    assertEquals(main.includes(">Type<"), false, path);
  }
});

testOnDatabases("The chart shows the quarter that is chosen", async (database) => {
  await using app = await serve(database, [makeItem(1)]);
  const quartersAt = async (query: string) =>
    [...(await readPage(app, `/${query}`)).matchAll(/aria-label="(Q\d \d{4}): /g)].map((
      [, quarter],
    ) => quarter);
  const usual = await quartersAt("");
  assertEquals([usual[0], usual.at(-1)], ["Q3 2025", "Q4 2027"]);
  assertEquals(await quartersAt("?release_date_to=Q4+2027"), usual);
  for (const [query, first] of [["from=Q1+2028", "Q1 2027"], ["to=Q2+2025", "Q2 2024"]]) {
    assertEquals((await quartersAt(`?release_date_${query}`))[0], first);
  }
});

testOnDatabases(
  "The sample says on the roadmap alone that it is invented, until the first import",
  async (database) => {
    const says = "This is a sample roadmap with invented products.";
    const withAdmin = { ADMIN_TOKEN: "a-token-of-the-operator-that-is-long" };
    await loadSample(database, TODAY);
    await using app = await startApp(database, { EMBED_ORIGINS: "https://example.com" });
    await using operated = await startApp(database, withAdmin);
    for (const path of ["/", "/?view=board", "/?release_status=Shipped"]) {
      match(await readPage(app, path), new RegExp(says));
    }
    const unsigned = await readPage(app, "/");
    match(
      unsigned,
      /set <code>ROADMAP_SOURCE<\/code> or run <code>deno task import my-roadmap\.csv/,
    );
    doesNotMatch(unsigned, /href="\/admin/);
    match(await readPage(operated, "/"), /, or <a href="\/admin\/uploads">upload a file<\/a>\./);
    const elsewhere = ["/changelog", "/insights", "/subscribe", "/embed", "/?as_of=2026-07-01"];
    for (const path of [...elsewhere, "/atom.xml", "/rss.xml", "/feed.json", "/calendar.ics"]) {
      const response = await app.fetch(path);
      assertEquals(response.status, 200, path);
      doesNotMatch(await response.text(), /sample roadmap/, path);
    }
    await importItems(database, [makeItem(1)]);
    await waitFor("the import", async () => releasesIn(await readPage(app, "/")).length === 1);
    doesNotMatch(await readPage(app, "/"), /sample roadmap/);
  },
);
