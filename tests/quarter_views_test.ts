import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import type { SearchAnswer } from "../islands/search/search_answer.ts";
import { limitCells } from "../lib/roadmap/quarters/quarter_grid.ts";
import { importItems, makeItem, startApp } from "./support/app.ts";
import { testOnDatabases } from "./support/databases.ts";
import { readPage, releasesIn } from "./support/pages.ts";

/** So many items of a quarter, from a number on. */
function inQuarter(
  first: number,
  count: number,
  release_date: string | null,
  fields: (index: number) => Record<string, unknown> = () => ({}),
) {
  return Array.from(
    { length: count },
    (_, index) => makeItem(first + index, { release_date, ...fields(index) }),
  );
}

testOnDatabases("A column is capped, and leads to all of its releases", async (database) => {
  await importItems(database, [
    ...inQuarter(1, 30, "Q3 2026"),
    ...inQuarter(100, 70, null),
    ...inQuarter(200, 11, "Q1 2020"),
    ...inQuarter(300, 2, "Q2 2044"),
  ]);
  await using app = await startApp(database);
  const { grid, total }: SearchAnswer = await app.json("/search.json?view=board");
  assertEquals(total, 113);
  assertEquals(grid!.columns, ["Earlier", "Q3 2026", "Later", "No date"]);
  assertEquals(grid!.past, 1);
  const shown = grid!.cells.map(({ quarter, total, items }) => [quarter, total, items.length]);
  assertEquals(shown, [
    ["Earlier", 11, 0],
    ["Q3 2026", 30, 10],
    ["Later", 2, 2],
    ["No date", 70, 10],
  ]);
  const html = await readPage(app, "/?view=board&include_inactive=true");
  const links = [...html.matchAll(/class="show-all" href="([^"]*)"/g)]
    .map(([, href]) => href!.replaceAll("&amp;", "&"));
  assertEquals(links.length, 3);
  const counts = await Promise.all(links.map(async (link) => {
    const page = await readPage(app, link);
    match(link, /include_inactive=true/);
    return [/role="status">(\d+) releases/.exec(page)![1], releasesIn(page).length];
  }));
  // What has no date begins on the first page, behind what has one.
  assertEquals(counts, [["30", 30], ["113", 50], ["11", 11]]);
});

testOnDatabases("A board and a timeline are narrowed by every filter", async (database) => {
  await importItems(database, [
    makeItem(1, { release_date: "Q4 2026", product_name: "A", release_status: "Shipped" }),
    makeItem(2, { release_date: "Q4 2026", product_name: "B", feature_description: "needle" }),
    makeItem(3, { release_date: "Q1 2027", product_name: "A", feature_name: "R &amp; D" }),
  ]);
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  for (const site of ["", "/b"]) {
    const cellsAt = async (query: string) => {
      const { grid }: SearchAnswer = await app.json(`${site}/search.json?${query}`);
      return grid!.cells.map(({ product, quarter, total }) => `${product} ${quarter} ${total}`);
    };
    assertEquals(await cellsAt("view=timeline"), ["A Q4 2026 1", "B Q4 2026 1", "A Q1 2027 1"]);
    assertEquals(await cellsAt("view=timeline&release_status=Shipped"), ["A Q4 2026 1"]);
    assertEquals(await cellsAt("view=timeline&product_name=A&product_name=B&q=NEEDLE"), [
      "B Q4 2026 1",
    ]);
    assertEquals(await cellsAt("view=board&release_date_from=Q1+2027"), [" Q1 2027 1"]);
    assertEquals(await cellsAt("view=board&q=nothing"), []);
    match(await readPage(app, `${site}/?view=timeline`), /R &amp; D</);
  }
});

testOnDatabases(
  "A timeline shows the products with the most releases, and says so",
  async (database) => {
    await importItems(
      database,
      inQuarter(1, 120, "Q3 2026", (index) => ({ product_name: `P${Math.min(index, 60)}` })),
    );
    await using app = await startApp(database);
    const html = await readPage(app, "/?view=timeline");
    assertEquals([...html.matchAll(/<th scope="row"><bdi>P\d+</g)].length, 50);
    ok(html.includes('<th scope="row"><bdi>P60<'), "The largest is there");
    match(html, /Showing the 50 products with the most releases/);
    match(html, /role="status">120 releases/);
  },
);

testOnDatabases("The answer for the script is what the page holds", async (database) => {
  await importItems(database, [makeItem(1), makeItem(2, { product_name: "Other" })]);
  await using app = await startApp(database);
  for (const query of ["", "?q=feature&product_name=Other", "?view=board", "?view=timeline"]) {
    const html = await readPage(app, `/${query}`);
    const [, props] = /<script id="props-search_\w+" type="application\/json">(.*?)<\/script>/
      .exec(html)!;
    assertEquals(JSON.parse(props!).answer, await app.json(`/search.json${query}`));
  }
  const refused = await app.fetch("/search.json?release_date_from=soon");
  assertEquals(refused.status, 400);
  assertEquals(refused.headers.get("content-type"), "application/problem+json");
  match((await refused.json()).detail, /release_date_from must be a day/);
});

testOnDatabases(
  "The numbers beside values follow the other filters, not their own",
  async (database) => {
    await importItems(database, [
      makeItem(1, { product_name: "A", release_status: "Shipped", release_date: "Q4 2026" }),
      makeItem(2, { product_name: "A", release_date: null }),
      makeItem(3, { product_name: "B", release_date: "Q4 2026" }),
    ]);
    await using app = await startApp(database);
    const at = async (query: string) => {
      const { counts, quarters }: SearchAnswer = await app.json(`/search.json?${query}`);
      return { ...counts.product_name, ...counts.release_status, quarters };
    };
    const quarters = (
      shipped: number,
      planned: number,
    ) => [{ quarter: "Q4 2026", shipped, planned }];
    assertEquals(await at(""), { A: 2, B: 1, Planned: 2, Shipped: 1, quarters: quarters(1, 1) });
    assertEquals(await at("product_name=A"), {
      A: 2,
      B: 1,
      Planned: 1,
      Shipped: 1,
      quarters: quarters(1, 0),
    });
    // The quarters do not follow the dates, which they choose; the lists do.
    assertEquals(await at("release_date_from=Q4+2026&release_date_to=Q4+2026&product_name=C"), {
      A: 1,
      B: 1,
      quarters: [],
    });
    const page = await readPage(app, "/?product_name=A");
    match(page, /value="B"\/><bdi>B<\/bdi> <span class="quiet">1<\/span>/);
  },
);

testOnDatabases("Every link of a page keeps what is chosen", async (database) => {
  await importItems(database, inQuarter(1, 60, "Q3 2026"));
  await using app = await startApp(database);
  const filter =
    "release_status=Planned&release_date_from=Q1+2026&release_date_to=Q4+2026&q=feature";
  const html = (await readPage(app, `/?${filter}&sort=release_date&order=asc`))
    .replaceAll("&amp;", "&");
  const all = `${filter}&sort=release_date&order=asc`;
  for (const link of [`/?${all}&page=2`, `/?${all}&view=board`, `/rss.xml?${filter}&match=words`]) {
    ok(html.includes(`href="${link}"`), link);
  }
  ok(html.includes(`href="/subscribe?${filter}&match=words"`), "The way to follow");
  match(html, /name="sort" value="release_date".*name="order" value="asc"/);
  match(html, /<title>“feature”, planned, planned Q1 2026 to Q4 2026 · Roadcast<\/title>/);
});

Deno.test("The quarters of a view are those around today, or those that are asked for", () => {
  const quarter = "Q3 2026";
  const between = (view: "board" | "timeline", asked: { from?: string; to?: string }) => {
    const { first, last } = limitCells(view, { quarter, ...asked });
    return `${first} to ${last}`;
  };
  assertEquals(between("board", {}), "Q3 2024 to Q2 2029");
  assertEquals(between("timeline", {}), "Q3 2026 to Q4 2027");
  assertEquals(between("timeline", { from: "2024-02-10" }), "Q1 2024 to Q2 2025");
  assertEquals(between("timeline", { to: "2025-12-31" }), "Q3 2024 to Q4 2025");
  assertEquals(between("timeline", { to: "2026-12-31" }), "Q3 2026 to Q4 2027");
  assertEquals(between("board", { from: "9999-12-31" }), "Q1 9995 to Q4 9999");
  assertEquals(between("board", { to: "0001-01-01" }), "Q1 0001 to Q4 0005");
});
