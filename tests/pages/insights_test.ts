import { deepStrictEqual as assertEquals, doesNotMatch, match, ok } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { pruneRuns } from "../../lib/import/import_runs_sql.ts";
import { importItems, makeItem, startApp, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { waitFor } from "../support/wait_for.ts";
import { slowOnDatabases } from "../support/slow.ts";

const NO_DAY = { last_modified: null };

/**
 * A roadmap with one release for each outcome of a promise, all promised for Q2 2026, which has
 * ended by the day of the tests; and one that was in preview for 30 days.
 */
async function importFates(database: Database): Promise<void> {
  const plan = (number: number, fields: Record<string, unknown> = {}) =>
    makeItem(number, { release_date: "Q2 2026", ...NO_DAY, ...fields });
  const shipped = { release_status: "Shipped" };
  const late = plan(3, { product_name: "Late & Co" });
  const preview = { ...shipped, release_type: "Public preview" };
  const open = plan(4, { release_date: "Q4 2026", product_name: "Late & Co" });
  await importItems(database, [
    plan(1),
    plan(2),
    late,
    { ...open, release_date: "Q2 2026" },
    plan(5),
    plan(6),
  ], { asOf: "2026-01-15" });
  await importItems(database, [
    plan(1, shipped),
    plan(2),
    late,
    { ...open, release_date: "Q3 2026" },
    plan(5),
    plan(6),
  ], { asOf: "2026-03-20" });
  await importItems(database, [plan(1, shipped), plan(2, shipped), late, open, plan(6, preview)], {
    asOf: "2026-06-10",
  });
  await importItems(database, [
    plan(1, shipped),
    plan(2, shipped),
    { ...late, ...shipped },
    open,
    plan(6, shipped),
  ], { asOf: "2026-07-10" });
}

testOnDatabases("Insights show the outcome of each promise", async (database) => {
  await importFates(database);
  await using app = await startApp(database);
  const { promises, moved, shipped, preview } = await app.json("/api/insights");
  const { by_quarter, by_product, ...all } = promises;
  assertEquals(all, {
    from: "Q3 2023",
    to: "Q2 2026",
    due: 6,
    in_time: 3,
    earlier: 1,
    in_quarter: 2,
    late: 1,
    moved: 1,
    open: 0,
    dropped: 1,
    too_early: 0,
    not_watched: 0,
    share_in_time: 0.5,
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

testOnDatabases("Insights accept filters, and report invalid ones", async (database) => {
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
  "Variant B shows dates, counts moves within a quarter, and omits removed releases",
  async (database) => {
    const dates = ["2026-06-10", "2026-06-20", "2026-08-01"];
    for (const [place, release_date] of dates.entries()) {
      await importItems(
        database,
        [makeItem(1, { release_date, ...NO_DAY }), makeItem(2)].slice(0, 2 - Math.floor(place / 2)),
        { asOf: `2026-0${place + 1}-01` },
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
  "The insights page has every figure as a table, and is cached",
  async (database) => {
    await using app = await startApp(database);
    const empty = await (await app.fetch("/insights")).text();
    match(empty, /No promised quarter has ended yet/);
    doesNotMatch(empty, /<dd>–|class="insight"|<caption/);
    await importFates(database);
    await using filled = await startApp(database);
    const response = await filled.fetch("/insights");
    assertEquals(response.headers.get("cache-control"), "public, no-cache");
    const page = await response.text();
    match(page, /<a href="\/insights" aria-current="page">Insights<\/a>/);
    assertEquals([...page.matchAll(/<caption/g)].length, 6);
    match(page, /1 came late, 1 moved to another quarter and 1 was dropped\./);
    const [, bar] =
      /<span>Q2 2026<\/span> <svg[^>]*aria-label="3 on time, 1 late, 1 moved, 1 dropped"[^>]*>(.*?)<\/svg>/s
        .exec(page)!;
    const parts = [...bar!.matchAll(/<rect[^>]* x="([\d.]+)"[^>]* width="([\d.]+)"/g)].map((
      [, x, width],
    ) => ({ start: Number(x), end: Number(x) + Number(width) }));
    assertEquals(parts.length, 4);
    for (const [place, { start }] of parts.slice(1).entries()) {
      ok(Math.abs(start - parts[place]!.end) < 0.2, "each part follows the one before");
    }
    match(page, /<td>50%<\/td><td>none<\/td>/);
    match(page, /Late &amp; Co/);
    const etag = response.headers.get("etag")!;
    const again = await filled.fetch("/insights", { headers: { "If-None-Match": etag } });
    assertEquals(again.status, 304);
  },
);

testOnDatabases("Insights depend on the day of the request", async (database) => {
  await importItems(database, [makeItem(1, { release_date: "Q3 2026" })], { asOf: TODAY });
  await using app = await startApp(database);
  assertEquals((await app.json("/api/insights")).promises.due, 0);
  assertEquals((await app.json("/api/insights")).shipped.planned, 1);
  app.setClock("2026-10-01T00:00:00Z");
  const { open, too_early } = (await app.json("/api/insights")).promises;
  assertEquals([open, too_early], [0, 1]);
});

testOnDatabases("A promise counts once its source was read after its quarter", async (database) => {
  const planned = [makeItem(1, { release_date: "Q2 2026", ...NO_DAY })];
  const readAt = async (asOf: string, items: unknown[] = planned) => {
    await importItems(database, items, { asOf });
    await using app = await startApp(database);
    const { watched, promises: { due, open, too_early, not_watched } } = await app.json(
      "/api/insights",
    );
    const page = await (await app.fetch("/insights")).text();
    return { watched: watched[0], counts: [due, open, too_early, not_watched], page };
  };
  const early = await readAt("2026-06-30");
  assertEquals(early.counts, [0, 0, 1, 0]);
  match(early.page, /Too early to judge: no source has been read since a promised quarter ended/);
  match(early.page, /1 promise isn’t due yet\./);
  // A reading of another source does not count for this one.
  await importItems(database, [makeItem(9)], { asOf: "2026-07-02", sourceName: "other" });
  // An item first seen after its quarter is not watched, whatever its last_modified.
  const stale = makeItem(2, { release_date: "Q2 2026", last_modified: "2026-05-01" });
  const judged = await readAt("2026-07-01", [...planned, stale]);
  assertEquals(judged.counts, [1, 1, 0, 1]);
  assertEquals(judged.watched, { source: "default", from: "2026-06-30", to: "2026-07-01" });
  match(judged.page, /Watched default from 30 Jun 2026 to 1 Jul 2026; other from 2 Jul 2026/);
  match(judged.page, /1 was due before we started\./);
});

testOnDatabases(
  "An import without changes counts as a reading, even after its run is pruned",
  async (database) => {
    const planned = [makeItem(1, { release_date: "Q2 2026", ...NO_DAY })];
    await importItems(database, planned, { asOf: "2026-06-01" });
    await using app = await startApp(database);
    const readPromises = async () => {
      const { watched: [{ to }], promises: { open, too_early } } = await app.json("/api/insights");
      return { to, open, too_early };
    };
    assertEquals(await readPromises(), { to: "2026-06-01", open: 0, too_early: 1 });
    await importItems(database, planned, { asOf: "2026-06-20" });
    await importItems(database, planned, { asOf: "2026-07-02" });
    const judged = { to: "2026-07-02", open: 1, too_early: 0 };
    await waitFor("the new reading", async () => (await readPromises()).to === judged.to);
    assertEquals(await readPromises(), judged);
    await database.script("update import_runs set started_at = started_at - interval '31 days'");
    await pruneRuns(database);
    assertEquals((await database.query(sql`select from import_runs`)).length, 2);
    await using later = await startApp(database);
    const { watched: [{ to }], promises } = await later.json("/api/insights");
    assertEquals({ to, open: promises.open, too_early: promises.too_early }, judged);
  },
);

testOnDatabases("The bar names the insights from the second day on", async (database) => {
  await using app = await startApp(database);
  const isNamed = async (path: string) => {
    const html = await (await app.fetch(path)).text();
    return /<nav aria-label="Pages">.*?<\/nav>/s.exec(html)![0].includes(">Insights<");
  };
  // A page of an error as the first one, before anything else asked for the first day.
  const paths = ["/no-such-page", "/", "/changelog", "/subscribe"];
  const named = async () => {
    const found: boolean[] = [];
    for (const path of paths) found.push(await isNamed(path));
    return found;
  };
  assertEquals(await named(), [false, false, false, false]);
  await importItems(database, [makeItem(1)]);
  await waitFor("the release", async () => (await app.json("/api/releases")).data.length === 1);
  assertEquals(await named(), [false, false, false, false]);
  assertEquals(await isNamed("/insights"), true);
  app.advance(24 * 60 * 60);
  assertEquals(await named(), [true, true, true, true]);
});

testOnDatabases("Insights say when the first figures will be available", async (database) => {
  await importItems(database, [makeItem(1)], { asOf: TODAY });
  await using app = await startApp(database);
  const page = await (await app.fetch("/insights")).text();
  match(page, /We started watching on \d+ Jul 2026\. The first figures come on 1 Oct 2026\./);
});

testOnDatabases(
  "A cancelled release counts as dropped, and nowhere as planned",
  async (database) => {
    const plan = (number: number, release_date: string, release_status = "Planned") =>
      makeItem(number, { release_date, release_status, ...NO_DAY });
    await importItems(database, [plan(1, "Q2 2026"), plan(2, "Q3 2026")], { asOf: "2026-06-01" });
    await importItems(database, [
      plan(1, "Q2 2026", "Cancelled"),
      plan(2, "Q3 2026", "Cancelled"),
      plan(3, "Q2 2026", "Cancelled"),
      plan(4, "Q3 2026"),
      plan(5, "Q3 2026", "Shipped"),
    ], { asOf: "2026-07-10" });
    await using app = await startApp(database);
    const { promises, shipped } = await app.json("/api/insights");
    const { due, open, moved, dropped, not_watched, median_slip_quarters } = promises;
    assertEquals({ due, open, moved, dropped, not_watched, median_slip_quarters }, {
      due: 1,
      open: 0,
      moved: 0,
      dropped: 1,
      not_watched: 0,
      median_slip_quarters: null,
    });
    assertEquals(shipped.planned, 1);
    match(await (await app.fetch("/")).text(), /Q3 2026: 1 shipped, 1 planned/);
  },
);

testOnDatabases("Moved releases are sorted by how far they slipped", async (database) => {
  const states = [["Q3 2026", "Q3 2026"], ["Q4 2026", "Q1 2027"], ["Q3 2026", "Q1 2027"]];
  for (const [place, [often, far]] of states.entries()) {
    await importItems(database, [
      makeItem(1, { release_date: often, ...NO_DAY }),
      makeItem(2, { release_date: far, ...NO_DAY }),
    ], { asOf: `2026-07-0${place + 1}` });
  }
  await using app = await startApp(database);
  const { releases } = (await app.json("/api/insights")).moved;
  assertEquals(
    releases.map(({ moves, slip_quarters }: Record<string, unknown>) => [moves, slip_quarters]),
    [[1, 2], [2, 0]],
  );
});

/** A real roadmap: for each day, the releases that changed and those that are absent. */
async function importFabric(database: Database): Promise<void> {
  const file = new URL("../fixtures/fabric_q2_2026.json", import.meta.url);
  const { days } = JSON.parse(await Deno.readTextFile(file));
  const items = new Map<string, Record<string, unknown>>();
  const seen = new Map<string, Record<string, unknown>>();
  for (const { day, changed, absent } of days) {
    for (const id of absent) items.delete(id);
    for (const change of changed) {
      const item = { ...seen.get(change.release_item_id), ...change };
      items.set(change.release_item_id, item);
      seen.set(change.release_item_id, item);
    }
    await importItems(database, [...items.values()], { asOf: day, allowMassRemoval: true });
  }
}

slowOnDatabases("Insights count the observed promises of a real roadmap", async (database) => {
  await importFabric(database);
  await using app = await startApp(database);
  for (const clock of ["2026-07-21T00:00:00Z", "2026-11-22T00:00:00Z"]) {
    app.setClock(clock);
    const { watched, promises } = await app.json("/api/insights");
    assertEquals(watched, [{ source: "default", from: "2026-05-29", to: "2026-07-20" }]);
    const { due, in_time, late, moved, open, dropped, share_in_time } = promises.by_quarter.find((
      { quarter }: { quarter: string },
    ) => quarter === "Q2 2026");
    assertEquals({ due, in_time, late, moved, open, dropped, share_in_time }, {
      due: 29,
      in_time: 12,
      late: 3,
      moved: 1,
      open: 13,
      dropped: 0,
      share_in_time: 0.4138,
    });
    match(await (await app.fetch("/badge.svg")).text(), /<title>Roadcast: 12 of 29 on time</);
  }
});

testOnDatabases(
  "Seven products are drawn, those with the most promises; the table has all",
  async (database) => {
    const items = Array.from(
      { length: 9 },
      (_, product) =>
        Array.from({ length: product + 1 }, (_, place) =>
          makeItem(product * 10 + place + 1, {
            release_date: "Q2 2026",
            product_name: `Product ${product + 1}`,
            ...NO_DAY,
          })),
    ).flat();
    await importItems(database, items, { asOf: "2026-03-01" });
    await importItems(database, items, { asOf: "2026-07-10" });
    await using app = await startApp(database);
    const html = await (await app.fetch("/insights")).text();
    const [, bars, table] = /id="by-product".*?<ul class="bars">(.*?)<\/ul>(.*?)<\/table>/s.exec(
      html,
    )!;
    const names = (part: string) =>
      [...part.matchAll(/<bdi>(Product \d)<\/bdi>/g)].map(([, name]) => name);
    assertEquals(names(bars!), [9, 8, 7, 6, 5, 4, 3].map((number) => `Product ${number}`));
    assertEquals(names(table!).length, 9);
    match(html, /Show all products/);
  },
);
