import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import type { Database } from "../lib/database/database.ts";
import { importItems, makeItem, startApp, TODAY } from "./support/app.ts";
import { testOnDatabases } from "./support/databases.ts";

const NO_DAY = { last_modified: null };

/**
 * A roadmap with one release for each fate that a promise can have, all promised for Q2 2026, which
 * is over on the day of the tests; and one that was in preview for 30 days.
 */
async function importFates(database: Database): Promise<void> {
  const plan = (number: number, fields: Record<string, unknown> = {}) =>
    makeItem(number, { release_date: "Q2 2026", ...NO_DAY, ...fields });
  const shipped = { release_status: "Shipped" };
  const late = plan(3, { product_name: "Late & Co" });
  const preview = { ...shipped, release_type: "Public preview" };
  const open = plan(4, { release_date: "Q4 2026", product_name: "Late & Co" });
  await importItems(
    database,
    [plan(1), plan(2), late, { ...open, release_date: "Q2 2026" }, plan(5), plan(6)],
    { asOf: "2026-01-15" },
  );
  await importItems(
    database,
    [plan(1, shipped), plan(2), late, { ...open, release_date: "Q3 2026" }, plan(5), plan(6)],
    { asOf: "2026-03-20" },
  );
  await importItems(
    database,
    [plan(1, shipped), plan(2, shipped), late, open, plan(6, preview)],
    { asOf: "2026-06-10" },
  );
  await importItems(
    database,
    [plan(1, shipped), plan(2, shipped), { ...late, ...shipped }, open, plan(6, shipped)],
    { asOf: "2026-07-10" },
  );
}

testOnDatabases("Insights tell what became of each promise", async (database) => {
  await importFates(database);
  await using app = await startApp(database);
  const { promises, moved, shipped, preview } = await app.json("/api/insights");
  const { by_quarter, by_product, ...all } = promises;
  assertEquals(all, {
    from: "Q3 2023",
    to: "Q2 2026",
    due: 6,
    earlier: 1,
    in_quarter: 2,
    later: 1,
    open: 1,
    dropped: 1,
    share_in_quarter: 0.3333,
    // of -1, 0, 0, 1, and 2 so far
    median_slip_quarters: 0,
  });
  assertEquals(by_quarter.at(-1), { quarter: "Q2 2026", ...withoutSpan(all) });
  assertEquals(by_quarter.length, 12);
  assertEquals(
    by_product.map(({ product_name, due }: Record<string, unknown>) => [product_name, due]),
    [["Product", 4], ["Late & Co", 2]],
  );
  assertEquals(moved, {
    total: 1,
    releases: [{
      release_item_id: makeItem(4).release_item_id,
      feature_name: "Feature 4",
      product_name: "Late & Co",
      release_status: "Planned",
      release_date: "Q4 2026",
      active: true,
      moves: 2,
      first_release_date: "Q2 2026",
      slip_quarters: 2,
    }],
  });
  assertEquals([shipped.quarter, shipped.total, shipped.planned], ["Q3 2026", 1, 0]);
  assertEquals(shipped.releases[0].delivered_on, "2026-07-10");
  assertEquals(preview, {
    finished: 1,
    median_days: 30,
    current: 0,
    median_days_so_far: null,
    by_product: [{
      product_name: "Product",
      finished: 1,
      median_days: 30,
      current: 0,
      median_days_so_far: null,
    }],
  });
});

function withoutSpan({ from: _, to: __, ...counts }: Record<string, unknown>) {
  return counts;
}

testOnDatabases("Insights take the filter, and tell what is wrong with it", async (database) => {
  await importFates(database);
  await using app = await startApp(database);
  const dueFor = async (query: string) => (await app.json(`/api/insights?${query}`)).promises.due;
  assertEquals(await dueFor("product_name=Late%20%26%20Co"), 2);
  assertEquals(await dueFor("product_name=Late%20%26%20Co&product_name=Product"), 6);
  assertEquals(await dueFor("release_status=Planned"), 2);
  assertEquals(await dueFor("release_type=None"), 0);
  assertEquals(await dueFor("source=other"), 0);
  assertEquals(await dueFor("include_inactive=false"), 5);
  assertEquals(await dueFor("q=feature+2"), 1);
  const response = await app.fetch("/api/insights?release_date_from=soon");
  assertEquals(response.status, 400);
  assertEquals(response.headers.get("content-type"), "application/problem+json");
  assertEquals((await response.json()).errors[0].name, "release_date_from");
  const page = await app.fetch("/insights?release_date_from=soon");
  assertEquals([page.status, page.headers.get("content-type")], [400, "text/html; charset=utf-8"]);
});

testOnDatabases(
  "Variant B tells dates, counts moves within a quarter, and no removed release",
  async (database) => {
    const dates = ["2026-06-10", "2026-06-20", "2026-08-01"];
    for (const [place, release_date] of dates.entries()) {
      await importItems(
        database,
        [makeItem(1, { release_date, ...NO_DAY }), makeItem(2)].slice(0, 2 - Math.floor(place / 2)),
        {
          asOf: `2026-0${place + 1}-01`,
        },
      );
    }
    await using app = await startApp(database, {
      ROADMAP_VARIANT: "both",
      BASE_URL: "https://example.com/road",
    });
    const tell = async (path: string) => {
      const { moved: { releases: [one] } } = await app.json(path);
      return [one.moves, one.first_release_date, one.release_date, one.slip_quarters];
    };
    assertEquals(await tell("/road/api/insights"), [1, "Q2 2026", "Q3 2026", 1]);
    assertEquals(await tell("/road/b/api/insights"), [2, "2026-06-10", "2026-08-01", 1]);
    const page = await (await app.fetch("/road/b/insights")).text();
    match(page, /10 Jun 2026/);
    match(page, /href="\/road\/b\/release\/00000000/);
    match(page, /action="\/road\/b\/insights"/);
    ok(!page.includes("include_inactive"));
  },
);

testOnDatabases(
  "The page of insights has every figure as a table, and is cached",
  async (database) => {
    await using app = await startApp(database);
    const empty = await (await app.fetch("/insights")).text();
    match(empty, /No promised quarter has ended yet/);
    match(empty, /No release date has moved/);
    await importFates(database);
    await using filled = await startApp(database);
    const response = await filled.fetch("/insights");
    assertEquals(response.headers.get("cache-control"), "public, no-cache");
    const page = await response.text();
    match(page, /<a href="\/insights" aria-current="page">Insights<\/a>/);
    assertEquals([...page.matchAll(/<caption/g)].length, 6);
    match(
      page,
      /<svg class="chart columns"[^>]+Q2 2026: 1 earlier, 2 in that quarter, 1 later, 1 not yet, 1 dropped/,
    );
    match(page, /<td>33 %<\/td><td>0 quarters<\/td>/);
    match(page, /Late &amp; Co/);
    const etag = response.headers.get("etag")!;
    const again = await filled.fetch("/insights", { headers: { "If-None-Match": etag } });
    assertEquals(again.status, 304);
  },
);

testOnDatabases("Insights go by the day of the request", async (database) => {
  await importItems(database, [makeItem(1, { release_date: "Q3 2026" })], { asOf: TODAY });
  await using app = await startApp(database);
  assertEquals((await app.json("/api/insights")).promises.due, 0);
  assertEquals((await app.json("/api/insights")).shipped.planned, 1);
  app.setClock("2026-10-01T00:00:00Z");
  assertEquals((await app.json("/api/insights")).promises.open, 1);
});
