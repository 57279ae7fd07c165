import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import type { SearchAnswer } from "../../components/search/search_query.ts";
import { limitCells } from "../../lib/roadmap/quarters/quarter_grid.ts";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { readPage, releasesIn } from "../support/pages.ts";

/** A number of items in a quarter, numbered consecutively. */
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

testOnDatabases("A board shows a sliding window of quarters", async (database) => {
  await using app = await serve(database, [
    ...inQuarter(1, 30, "Q3 2026"),
    ...inQuarter(100, 70, null),
    ...inQuarter(200, 11, "Q1 2020"),
    ...inQuarter(300, 2, "Q2 2044"),
  ]);
  const { board, total }: SearchAnswer = await app.json("/search.json?view=board");
  assertEquals(total, 113);
  assertEquals(board!.columns.map(({ name, total }) => `${name}: ${total}`), [
    "Q2 2026: 0",
    "Q3 2026: 30",
    "Q4 2026: 0",
    "Q1 2027: 0",
    "Q2 2027: 0",
  ]);
  assertEquals(board!.columns[1]!.groups.map(({ items }) => items.length), [4]);
  assertEquals(board!.earlier, { total: 11, first: "Q1 2026" });
  assertEquals(board!.later, { total: 2, first: "Q3 2026" });
  const html = await readPage(app, "/?view=board&include_inactive=true");
  const linksOf = (name: string) =>
    [...html.matchAll(new RegExp(`class="${name}"[^>]* href="([^"]*)"`, "g"))].map(([, href]) =>
      href!.replaceAll("&amp;", "&")
    );
  const slides = linksOf("slide").map((link) => /&from=([^&]*)/.exec(link)?.[1]);
  assertEquals(slides, ["Q1+2026", "Q3+2026"]);
  const counts = await Promise.all(
    linksOf("show-all").map(async (link) => {
      const page = await readPage(app, link);
      match(link, /include_inactive=true/);
      return [/role="status"><span>(\d+) releases/.exec(page)![1], releasesIn(page).length];
    }),
  );
  // Undated releases follow the dated ones, beginning on the first page.
  assertEquals(counts, [["30", 30], ["113", 50]]);
  const slid: SearchAnswer = await app.json("/search.json?view=board&from=Q1+2020");
  assertEquals([slid.board!.columns[0]!.name, slid.board!.columns[0]!.total], ["Q1 2020", 11]);
  assertEquals("earlier" in slid.board!, false);
  const refused = await app.fetch("/search.json?view=board&from=soon");
  assertEquals(refused.status, 400);
  match((await refused.json()).detail, /from must be a quarter, such as Q3 2026/);
});

testOnDatabases("Board columns show what is overdue, and cards what slipped", async (database) => {
  const plan = (number: number, release_date: string, release_status = "Planned") =>
    makeItem(number, { release_date, release_status, last_modified: null });
  await importItems(database, [plan(1, "Q1 2026"), plan(2, "Q1 2026"), plan(3, "Q4 2026")], {
    asOf: "2026-01-10",
  });
  await importItems(database, [
    plan(1, "Q2 2026"),
    plan(2, "Q2 2026", "Shipped"),
    plan(3, "Q3 2026"),
    plan(4, "Q2 2026", "Cancelled"),
  ], { asOf: "2026-02-10" });
  await using app = await startApp(database);
  const { board }: SearchAnswer = await app.json("/search.json?view=board");
  const groups = board!.columns.flatMap(({ name, groups }) =>
    groups.map(({ standing, total, items }) => [name, standing, total, items[0]!.slipped_from])
  );
  assertEquals(groups, [
    ["Q2 2026", "overdue", 1, "Q1 2026"],
    ["Q2 2026", "shipped", 1, undefined],
    ["Q2 2026", "stopped", 1, undefined],
    // It moved to an earlier quarter.
    ["Q3 2026", "to come", 1, undefined],
  ]);
  const html = await readPage(app, "/?view=board");
  match(html, /<h4 class="late">overdue/);
});

testOnDatabases("A board by status has a column for each stage", async (database) => {
  const at = (number: number, release_status: string, release_date = "Q4 2026") =>
    makeItem(number, { release_status, release_date });
  await using app = await serve(database, [
    at(1, "Planned", "Q1 2027"),
    at(2, "Planned"),
    at(3, "In development"),
    at(4, "Rolling out"),
    ...Array.from({ length: 12 }, (_, place) => at(10 + place, "Shipped", "Q1 2026")),
  ]);
  const { board, total }: SearchAnswer = await app.json("/search.json?view=board&group=status");
  assertEquals(total, 16);
  assertEquals(
    board!.columns.map(({ name, total, groups: [group] }) => [name, total, group!.items.length]),
    [["in_progress", 2, 2], ["planned", 2, 2], ["shipped", 12, 10]],
  );
  // The earliest release comes first.
  assertEquals(board!.columns[1]!.groups[0]!.items[0]!.feature_name, "Feature 2");
  const all = board!.columns[2]!.groups[0]!.all!;
  assertEquals(all.release_status, ["Shipped"]);
  const html = await readPage(app, "/?view=board&group=status");
  match(html, /aria-current="true"[^>]*>\s*<span>By status/);
});

testOnDatabases("Every filter applies to the board", async (database) => {
  await using app = await serve(database, [
    makeItem(1, { release_date: "Q4 2026", product_name: "A", release_status: "Shipped" }),
    makeItem(2, { release_date: "Q4 2026", product_name: "B", feature_description: "needle" }),
    makeItem(3, { release_date: "Q1 2027", product_name: "A", feature_name: "R &amp; D" }),
  ], { ROADMAP_VARIANT: "both" });
  for (const site of ["", "/b"]) {
    const cardsAt = async (query: string) => {
      const { board }: SearchAnswer = await app.json(`${site}/search.json?view=board${query}`);
      return board!.columns.flatMap(({ name, groups }) =>
        groups.flatMap(({ items }) => items.map(({ product_name }) => `${product_name} ${name}`))
      );
    };
    assertEquals(await cardsAt(""), ["B Q4 2026", "A Q4 2026", "A Q1 2027"]);
    assertEquals(await cardsAt("&release_status=Shipped"), ["A Q4 2026"]);
    assertEquals(await cardsAt("&product_name=A&product_name=B&q=NEEDLE"), ["B Q4 2026"]);
    const { board }: SearchAnswer = await app.json(
      `${site}/search.json?view=board&release_date_from=Q1+2027`,
    );
    const [first] = board!.columns;
    assertEquals([first!.name, first!.total, board!.earlier], ["Q1 2027", 1, undefined]);
    const none: SearchAnswer = await app.json(`${site}/search.json?view=board&q=nothing`);
    assertEquals(none.board!.columns.every(({ total }) => total === 0), true);
    match(await readPage(app, `${site}/?view=board`), /R &amp; D</);
  }
});

testOnDatabases("A link to the former timeline leads to the board", async (database) => {
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  for (const site of ["", "/b"]) {
    const { status, headers } = await app.fetch(`${site}/?q=a+b&view=timeline&from=Q1+2026`);
    assertEquals(status, 301);
    assertEquals(headers.get("location"), `${site}/?q=a+b&view=board&from=Q1+2026`);
  }
});

testOnDatabases("The JSON of a search equals the data embedded in its page", async (database) => {
  await using app = await serve(database, [makeItem(1), makeItem(2, { product_name: "Other" })]);
  for (const query of ["", "?q=feature&product_name=Other", "?view=board"]) {
    const html = await readPage(app, `/${query}`);
    const [, props] = /<script id="props-Search" type="application\/json">(.*?)<\/script>/.exec(
      html,
    )!;
    assertEquals(JSON.parse(props!).answer, await app.json(`/search.json${query}`));
  }
  const refused = await app.fetch("/search.json?release_date_from=soon");
  assertEquals(refused.status, 400);
  assertEquals(refused.headers.get("content-type"), "application/problem+json");
  match((await refused.json()).detail, /release_date_from must be a date/);
});

testOnDatabases(
  "The counts beside values follow the other filters, not their own",
  async (database) => {
    await using app = await serve(database, [
      makeItem(1, { product_name: "A", release_status: "Shipped", release_date: "Q4 2026" }),
      makeItem(2, { product_name: "A", release_date: null }),
      makeItem(3, { product_name: "B", release_date: "Q4 2026" }),
    ]);
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
    // The quarters ignore the date filter, which they set; the lists apply it.
    assertEquals(await at("release_date_from=Q4+2026&release_date_to=Q4+2026&product_name=C"), {
      A: 1,
      B: 1,
      quarters: [],
    });
    const page = await readPage(app, "/?product_name=A");
    match(page, /value="B"\/><bdi>B<\/bdi> <span class="quiet"><span>1<\/span>/);
  },
);

testOnDatabases("Every link of a page preserves the filters", async (database) => {
  await using app = await serve(database, inQuarter(1, 60, "Q3 2026"));
  const filter =
    "release_status=Planned&release_date_from=Q1+2026&release_date_to=Q4+2026&q=feature";
  const html = (await readPage(app, `/?${filter}&sort=release_date&order=asc`)).replaceAll(
    "&amp;",
    "&",
  );
  const all = `${filter}&sort=release_date&order=asc`;
  for (const link of [`/?${all}&page=2`, `/?${all}&view=board`, `/rss.xml?${filter}&match=words`]) {
    ok(html.includes(`href="${link}"`), link);
  }
  ok(html.includes(`href="/subscribe?${filter}&match=words"`), "The way to follow");
  match(html, /name="sort" value="release_date".*name="order" value="asc"/);
  match(html, /<title>“feature”, planned, planned Q1 2026 to Q4 2026 · Roadcast<\/title>/);
});

Deno.test("A board shows the quarters around today, or the requested ones", () => {
  const quarter = "Q3 2026";
  const between = (asked: { first?: string; from?: string; to?: string }) => {
    const { first, last } = limitCells({ quarter, ...asked });
    return `${first} to ${last}`;
  };
  assertEquals(between({}), "Q2 2026 to Q2 2027");
  assertEquals(between({ first: "Q4 2025", from: "2027-01-01" }), "Q4 2025 to Q4 2026");
  assertEquals(between({ from: "2024-02-10" }), "Q1 2024 to Q1 2025");
  assertEquals(between({ to: "2025-12-31" }), "Q4 2024 to Q4 2025");
  assertEquals(between({ to: "2026-12-31" }), "Q2 2026 to Q2 2027");
  assertEquals(between({ from: "9999-12-31" }), "Q4 9998 to Q4 9999");
  assertEquals(between({ to: "0001-01-01" }), "Q1 0001 to Q1 0002");
});
