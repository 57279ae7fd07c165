import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { importItems, makeItem, serve, startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

/** What the page of the roadmap finds for a question, best first. */
async function find(app: TestApp, q: string, path = "") {
  const query = new URLSearchParams({ q });
  const { items, mode } = await app.json(`${path}/search.json?${query}`);
  return { names: items.map((item: { feature_name: string }) => item.feature_name), mode };
}

/** Names that people write in one word and in two. */
const WRITTEN = [["power bi", "powerbi"], ["share point", "sharepoint"], ["one drive", "onedrive"]];

testOnDatabases("A name is found in one word and in two", async (database) => {
  const ways = WRITTEN.flat();
  await importItems(
    database,
    ways.map((way, place) =>
      makeItem(place + 1, { feature_name: `Sync of ${way} ${place}`, feature_description: null })
    ),
  );
  await using app = await startApp(database);
  for (const both of WRITTEN) {
    const wanted = both.map((way) => `Sync of ${way} ${ways.indexOf(way)}`).sort();
    for (const way of both) {
      for (const q of [way, `${way} sync`, `sync ${way}`]) {
        const { names, mode } = await find(app, q);
        // In one word it is found in two, if that is how more are written.
        const isDivided = !way.includes(" ");
        assertEquals([q, mode, isDivided || names.sort()], [q, "words", isDivided || wanted]);
      }
    }
    const { names } = await find(app, `"${both[0]}"`);
    assertEquals(names, [wanted.find((name) => name.includes(both[0]!))]);
  }
});

testOnDatabases("A rarer word is searched as the two that it is made of", async (database) => {
  await using app = await serve(database, [
    makeItem(1, { feature_name: "Power BI embedded", feature_description: null }),
    makeItem(2, { feature_name: "Power BI apps", feature_description: null }),
    makeItem(3, { feature_name: "Hub", feature_description: "Works with PowerBI" }),
    makeItem(4, { feature_name: "Power for all", feature_description: null }),
  ]);
  for (const q of ["powerbi", "power bi"]) {
    const { names, mode } = await find(app, q);
    assertEquals([mode, names.sort()], ["words", ["Hub", "Power BI apps", "Power BI embedded"]]);
  }
  assertEquals((await find(app, "powerbi apps")).names, ["Power BI apps"]);
});

testOnDatabases(
  "A release is found by its id, its number, its key and its addresses",
  async (database) => {
    const rows = [{ ...makeItem(1), release_item_id: "557176", feature_name: "By number" }, {
      ...makeItem(2),
      release_item_id: "APP-12",
      feature_name: "By key",
    }, {
      ...makeItem(3),
      feature_name: "SQL Server 2022",
      blog_url: "https://blog.example.com/post",
    }, { ...makeItem(4), release_item_id: "2022", feature_name: "By year" }];
    await importItems(database, rows, { sourceName: "one" });
    await using app = await startApp(database);
    const { data } = await app.json("/api/releases");
    const idOf = (name: string) =>
      data.find((item: { feature_name: string }) => item.feature_name === name).release_item_id;
    const questions = {
      "557176": "By number",
      "#557176": "By number",
      "Roadmap ID 557176": "By number",
      "https://www.microsoft.com/microsoft-365/roadmap?id=557176": "By number",
      "APP-12": "By key",
      "app-12": "By key",
      "what about APP-12": "By key",
      "https://jira.example.com/browse/APP-12": "By key",
      [idOf("By key")]: "By key",
      [`id ${idOf("By key").toUpperCase()}`]: "By key",
      [`http://localhost:8000/release/${idOf("By number")}`]: "By number",
      [`http://localhost:8000/release/${idOf("By number")}.md`]: "By number",
      "https://blog.example.com/post": "SQL Server 2022",
      "sql server 2022": "SQL Server 2022",
    };
    for (const [q, name] of Object.entries(questions)) {
      assertEquals([q, (await find(app, q)).names], [q, [name]]);
    }
    assertEquals((await find(app, "999999")).names, []);
  },
);

testOnDatabases("An address that is no release's is not taken to pieces", async (database) => {
  await using app = await serve(database, [
    makeItem(1, { feature_name: "Blog", feature_description: "On the roadmap of example and com" }),
    makeItem(2, { feature_name: "Docs", feature_description: "See https://docs.example.com/a/b." }),
  ]);
  const unknown = "https://roadmap.example.com/release/00000000-0000-4000-8000-000000000000";
  assertEquals(await find(app, unknown), { names: [], mode: "substring" });
  assertEquals((await find(app, "https://docs.example.com/a/b")).names, ["Docs"]);
  for (const path of ["/api/changes", "/changelog", "/rss.xml", "/calendar.ics"]) {
    for (
      const [q, isFound] of [[unknown, false], ["https://docs.example.com/a/b", true]] as const
    ) {
      const asked = await app.fetch(`${path}?match=words&q=${encodeURIComponent(q)}`);
      const body = await asked.text();
      assertEquals([path, body.includes("Blog"), body.includes("Docs")], [path, false, isFound]);
    }
  }
});

testOnDatabases("Dates in words are read whole, and names before them", async (database) => {
  await using app = await serve(database, [
    makeItem(1, { feature_name: "Teams rooms", release_date: "2027-12-31" }),
    makeItem(2, { feature_name: "Data Factory runs", release_date: "2026-12-31" }),
    makeItem(3, { feature_name: "Windows Server for 2025", release_date: "2026-09-30" }),
    makeItem(4, { feature_name: "Report by March 2026", release_date: "2026-09-30" }),
    makeItem(5, { feature_name: "Plan B for Q4", release_date: "2026-09-30" }),
    makeItem(6, { feature_name: "Office 2024", release_date: "2026-09-30" }),
  ]);
  const questions = {
    "december 2027 teams": ["Teams rooms"],
    "teams dec 2027": ["Teams rooms"],
    // Quarters are what this variant shows: a month is its quarter.
    "october 2027": ["Teams rooms"],
    "data factory q4": ["Data Factory runs"],
    "2027": ["Teams rooms"],
    "2024": ["Office 2024"],
    "Windows Server for 2025": ["Windows Server for 2025"],
    "report by march 2026": ["Report by March 2026"],
    "Plan B for Q4": ["Plan B for Q4"],
    "windows server 2025": ["Windows Server for 2025"],
    "teams in q1 2027": [],
    "data factory by the end of 2026": ["Data Factory runs"],
    "teams before q4 2027": [],
    "teams H2 2027": ["Teams rooms"],
    "teams, late 2027": ["Teams rooms"],
  };
  for (const [q, names] of Object.entries(questions)) {
    assertEquals([q, (await find(app, q)).names], [q, names]);
  }
  match(await (await app.fetch("/?q=october+2027")).text(), /planned for Q4 2027/i);
});
