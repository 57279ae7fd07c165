import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import { importItems, makeItem, startApp, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

type App = Awaited<ReturnType<typeof startApp>>;

/** The names of each list, with the dates as a person reads them. */
function readLists(page: string): Record<string, string[]> {
  const sections = [
    ...page.matchAll(/<section class="day" aria-labelledby="(\w+)">(.*?)<\/section>/gs),
  ];
  return Object.fromEntries(sections.map(([, outcome, section]) => [
    outcome,
    [...section!.matchAll(/<li class="entry">(.*?)<\/li>/gs)].map(([, line]) => toText(line!)),
  ]));
}

function toText(html: string): string {
  return html.replace(/<span class="badge[^>]*>.*?<\/span>/gs, "").replace(
    /<span class="visually-hidden">.*?<\/span>/g,
    "",
  ).replace(/<[^>]*>/g, " ").replace(/\s+/g, " ").trim();
}

function readSentence(page: string): string {
  return toText(/<p class="count" role="status">(.*?)<\/p>/s.exec(page)![1]!);
}

async function read(app: App, path: string): Promise<string> {
  const response = await app.fetch(path);
  assertEquals(response.status, 200, path);
  return await response.text();
}

/** What was planned on 2 June, what it was by 1 July, and what it is. */
const THEN = [
  makeItem(1),
  makeItem(2, { release_status: "In development" }),
  makeItem(3),
  makeItem(4),
  makeItem(5),
  makeItem(6, { release_date: "2026-08-01" }),
  makeItem(7, { release_date: null }),
  makeItem(8),
  makeItem(9, { release_status: "Shipped" }),
  makeItem(10, { release_status: "Cancelled" }),
  makeItem(11),
  makeItem(12, { product_name: "Other" }),
];

const BY_JULY = [
  ...THEN.slice(0, 2),
  makeItem(3, { release_date: "Q4 2026" }),
  ...THEN.slice(3),
  makeItem(13),
];

const NOW = [
  makeItem(1, { release_status: "Shipped", release_date: "Q2 2026" }),
  makeItem(2, { release_status: "Cancelled" }),
  makeItem(3, { release_date: "Q1 2027", feature_name: "Renamed" }),
  makeItem(4, { release_date: "Q2 2026" }),
  makeItem(5, { release_date: null }),
  makeItem(6, { release_date: "2026-08-20" }),
  makeItem(7, { release_date: "Q4 2026" }),
  makeItem(8),
  ...THEN.slice(8, 10),
  makeItem(12, { product_name: "Moved", release_date: "Q4 2026" }),
  makeItem(13),
  makeItem(14, { release_status: "Shipped" }),
];

testOnDatabases("Then and now: what became of every planned release", async (database) => {
  await importItems(database, THEN, { asOf: "2026-06-02" });
  await importItems(database, BY_JULY, { asOf: "2026-07-01" });
  await importItems(database, NOW, { allowMassRemoval: true });
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  const page = await read(app, "/compare?from=2026-06-02");
  assertEquals(
    readSentence(page),
    "Of 10 releases that were on the plan on 2 Jun 2026: 1 shipped, 1 cancelled, 1 removed, " +
      "2 slipped, 1 moved earlier, 1 got a date, 1 lost its date and 2 unchanged. " +
      "2 releases were added since.",
  );
  assertEquals(Object.entries(readLists(page)), [
    ["shipped", ["Feature 1 Product Q3 2026 → Q2 2026"]],
    ["cancelled", ["Feature 2 Product Q3 2026"]],
    ["removed", ["Feature 11 Product Q3 2026"]],
    ["slipped", ["Renamed Product Q3 2026 → Q1 2027", "Feature 12 Moved Q3 2026 → Q4 2026"]],
    ["earlier", ["Feature 4 Product Q3 2026 → Q2 2026"]],
    ["dated", ["Feature 7 Product → Q4 2026"]],
    ["undated", ["Feature 5 Product Q3 2026 no date"]],
    ["unchanged", ["Feature 6 Product Q3 2026", "Feature 8 Product Q3 2026"]],
  ]);
  match(page, /<a href="\/release\/00000000-0000-4000-8000-000000000011">/);

  const byDay = await read(app, "/b/compare?from=2026-06-02");
  const { slipped, removed } = readLists(byDay);
  assertEquals(slipped!.at(-1), "Feature 6 Product 1 Aug 2026 → 20 Aug 2026");
  assertEquals(removed, ["Feature 11 Product 30 Sep 2026"]);
  ok(!byDay.includes("/b/release/00000000-0000-4000-8000-000000000011"), "it has no page there");

  const byJuly = await read(app, "/compare?from=2026-06-02&to=2026-07-10");
  assertEquals(
    readSentence(byJuly),
    "Of 10 releases that were on the plan on 2 Jun 2026: 1 slipped and 9 unchanged. 1 release was added since.",
  );
  assertEquals(readLists(byJuly).slipped, ["Feature 3 Product Q3 2026 → Q4 2026"]);
});

testOnDatabases("Filters apply to releases as they were on the first day", async (database) => {
  await importItems(database, THEN, { asOf: "2026-06-02" });
  await importItems(database, NOW, { allowMassRemoval: true });
  await using app = await startApp(database);
  const lists = async (query: string) =>
    readLists(await read(app, `/compare?from=2026-06-02&${query}`));
  assertEquals(await lists("product_name=Other"), {
    slipped: ["Feature 12 Moved Q3 2026 → Q4 2026"],
  });
  assertEquals(await lists("product_name=Moved"), {});
  assertEquals(await lists("q=feature+3"), { slipped: ["Renamed Product Q3 2026 → Q1 2027"] });
  assertEquals(await lists("release_status=In+development&include_inactive=true"), {
    cancelled: ["Feature 2 Product Q3 2026"],
  });
  const page = await read(app, "/compare?from=2026-06-02&product_name=Moved");
  match(page, /<input id="from" name="from" type="date" value="2026-06-02"/);
  match(page, /name="product_name" value="Moved"[^>]*checked|checked[^>]*value="Moved"/);
  match(readSentence(page), /^There were no releases on the plan on 2 Jun 2026/);
});

testOnDatabases("Days that are missing, invalid, too early or in the future", async (database) => {
  await using empty = await startApp(database);
  match(
    readSentence(await read(empty, "/compare")),
    /^There were no releases on the plan on 20 Jul 2026/,
  );
  await importItems(database, [makeItem(1)], { asOf: "2026-06-02" });
  await importItems(database, [makeItem(1, { release_date: "Q4 2026" })], { asOf: "2026-07-01" });
  await using app = await startApp(database);
  const title = async (query: string) =>
    /<title>Roadmap as of (.*?) · /.exec(await read(app, `/compare${query}`))![1];
  assertEquals(await title(""), "2 Jun 2026, compared with 20 Jul 2026");
  assertEquals(await title("?from=&to="), "2 Jun 2026, compared with 20 Jul 2026");
  assertEquals(await title("?to=2026-06-10"), "2 Jun 2026, compared with 10 Jun 2026");
  assertEquals(await title("?to=2026-06-01"), "1 Jun 2026, compared with 1 Jun 2026");
  assertEquals(
    await title(`?from=${TODAY}&to=9999-12-31`),
    "20 Jul 2026, compared with 20 Jul 2026",
  );
  app.setClock("2026-12-01T12:00:00Z");
  assertEquals(await title(""), "1 Sep 2026, compared with 1 Dec 2026");
  app.setClock(`${TODAY}T12:00:00Z`);
  for (const path of ["/compare?from=2026-06-01", "/compare?from=0001-01-01&to=0001-01-02"]) {
    const page = await read(app, path);
    ok(page.includes("The first import is as of 2 Jun 2026"), path);
    match(readSentence(page), /^There were no releases on the plan/);
  }
  for (
    const [query, words] of [
      ["from=2026-06-03&to=2026-06-02", "Choose a From date before the To date."],
      ["from=2027-01-01&to=2026-06-02", "Choose a From date before the To date."],
      ["from=2026-06-03&to=2026-06-02", 'name="from" type="date" value="2026-06-03"'],
      ["from=june", "Use a date such as 2026-01-31."],
      ["to=2026-02-30", "Use a date such as 2026-01-31."],
    ]
  ) {
    const response = await app.fetch(`/compare?${query}`);
    assertEquals(response.status, 400, query);
    ok((await response.text()).includes(words!), query);
  }
});

testOnDatabases("Long lists end with the number of further items", async (database) => {
  const items = Array.from({ length: 203 }, (_, place) => makeItem(place + 1));
  await importItems(database, items, { asOf: "2026-06-02" });
  await importItems(
    database,
    items.map((item, place) => place < 202 ? { ...item, release_status: "Shipped" } : item),
  );
  await using app = await startApp(database);
  const page = await read(app, "/compare?from=2026-06-02");
  const { shipped, unchanged } = readLists(page);
  assertEquals([shipped!.length, unchanged!.length], [200, 1]);
  ok(page.includes("and 2 more"));
  ok(readSentence(page).includes("202 shipped and 1 unchanged"));
});

testOnDatabases("The roadmap as of a day and the insights link to it", async (database) => {
  await importItems(database, [makeItem(1)], { asOf: "2026-06-02" });
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  const ofDay = await read(app, "/b/?as_of=2026-06-02&product_name=Product");
  ok(ofDay.includes('href="/b/compare?from=2026-06-02&amp;product_name=Product"'));
  ok(!(await read(app, "/?as_of=2026-06-01")).includes("/compare?from"), "nothing to compare");
  ok(
    (await read(app, "/insights?product_name=Product")).includes(
      'href="/compare?product_name=Product"',
    ),
  );
  ok((await (await app.fetch("/sitemap.xml")).text()).includes("/compare</loc>"));
});

testOnDatabases("A line names the named dates that moved", async (database) => {
  const rows = (dates: Record<string, string>) => [
    makeItem(1, { dates: { "Preview <1>": "2026-09-30", Retirement: "2029-12-31", ...dates } }),
    makeItem(2, { dates: { Beta: "2026-09-30" } }),
  ];
  await importItems(database, rows({ Beta: "2026-08-31" }), { asOf: "2026-06-02" });
  await importItems(database, rows({ "Preview <1>": "2026-12-31", Pilot: "2027-03-31" }));
  await using app = await startApp(database);
  const { unchanged } = readLists(await read(app, "/compare?from=2026-06-02"));
  assertEquals(unchanged, [
    "Feature 1 Product Beta Q3 2026 no date Pilot → Q1 2027 Preview &lt;1> Q3 2026 → Q4 2026 Q3 2026",
    "Feature 2 Product Q3 2026",
  ]);
  const { undated } = readLists(await read(app, "/compare?from=2026-06-02&date_name=beta"));
  assertEquals(undated, [
    "Feature 1 Product Pilot → Q1 2027 Preview &lt;1> Q3 2026 → Q4 2026 Q3 2026 no date",
  ]);
});
