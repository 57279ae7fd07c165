import { deepStrictEqual as assertEquals } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { importItems, makeItem, serve, startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { slowOnDatabases } from "../support/slow.ts";

/** The mode of a search, and the names that it finds, in its order. */
async function find(app: TestApp, q: string, more = ""): Promise<[string | null, string[]]> {
  const path = `/api/releases?match=words&q=${encodeURIComponent(q)}${more}`;
  const response = await app.fetch(path);
  assertEquals(response.status, 200, `${q}: ${response.status}`);
  const { data } = await response.json();
  const names = data.map((item: { feature_name: string }) => item.feature_name);
  return [response.headers.get("x-search-mode"), names];
}

function importNames(database: Database, names: readonly string[]) {
  return importItems(
    database,
    names.map((feature_name, n) =>
      makeItem(n, { feature_name, feature_description: null, product_name: "Atlas" })
    ),
  );
}

/** Names that a search by words finds, and those that it does not, all for one question. */
const QUESTIONS: readonly (readonly [q: string, found: readonly string[], mode?: string])[] = [
  ["restore a deleted database", ["Restoring of deleted databases"]],
  ["DATABASES RESTORED", ["Restoring of deleted databases"]],
  ["ecole elementaire", ["L’école élémentaire"]],
  ["ÉCOLE", ["L’école élémentaire"]],
  ["get events", ["&quot;Get Events&quot; from Activator", "Events that get lost"]],
  ['"get events"', ["&quot;Get Events&quot; from Activator"]],
  ['"Get Events" from Activator', ["&quot;Get Events&quot; from Activator"]],
  ["quot", []],
  ["ai", ["AI skills"]],
  ["sso", ["SSO for guests"]],
  ["gue", ["SSO for guests"]],
  ["gues", ["SSO for guests"]],
  ["node", ["Node.js runtime"]],
  ["node.js", ["Node.js runtime"]],
  ["ci", ["CI/CD templates"]],
  ["cicd", ["CI/CD templates"]],
  ["wharehouse", ["Warehouse snapshots"], "similar"],
  ["snapshots of wharehosue", ["Warehouse snapshots"], "similar"],
  ["maintian", ["Maintain the association"], "similar"],
  ["warehouse templates", ["CI/CD templates", "Warehouse snapshots"], "any-word"],
  ['"warehouse templates"', ["CI/CD templates", "Warehouse snapshots"], "any-word"],
  ["kit zebra", ["A kit for Łódź & Ærø"], "any-word"],
  ["bagpipes kits zebra", ["A kit for Łódź & Ærø"], "any-word"],
  ["bagpipes łodx", ["A kit for Łódź & Ærø"], "similar"],
  ["lodz", ["A kit for Łódź & Ærø"]],
  ["ŁÓDŹ aero", ["A kit for Łódź & Ærø"]],
  ["email", ["E-mail for on-premises", "Email bounces"]],
  ["e-mail", ["E-mail for on-premises", "Email bounces"]],
  ["e‑mails", ["E-mail for on-premises", "Email bounces"]],
  ["mail", ["E-mail for on-premises"]],
  ["onpremises", ["E-mail for on-premises"]],
  ["softhyphen", ["Soft\u00adhyphen"]],
  ["soft\u00adhyphen", ["Soft\u00adhyphen"]],
  ["don't ask", ["Don’t ask"]],
  ["don’t ask", ["Don’t ask"]],
  ["<canvas>", ["Brochure <canvas> editor"]],
  ["brochure <canvas>", ["Brochure <canvas> editor"]],
  ["List<T>", ["A List<T> of ours"]],
  ["edition speciale", ["&Eacute;dition sp&eacute;ciale &hellip;"]],
  ["eacute", []],
  ["разные языки", ["Разные языки"]],
  ["язык", ["Разные языки"]],
  ["qwrtzx", []],
];

slowOnDatabases("A question finds its words in any form and order", async (database) => {
  const names = new Set(QUESTIONS.flatMap(([, names]) => names));
  await importNames(database, [...names]);
  await using app = await startApp(database);
  for (const [q, expected, mode = "words"] of QUESTIONS) {
    const [searched, found] = await find(app, q);
    assertEquals([q, searched, found.sort()], [q, mode, [...expected].sort()]);
  }
});

testOnDatabases("A release is found first by typing its name", async (database) => {
  const names = ["Data", "Data pipelines", "Pipelines of data", "C#", "C++", "The data"];
  await importNames(database, names);
  await using app = await startApp(database);
  for (const name of names) {
    const [, [first]] = await find(app, name);
    assertEquals(first, name);
  }
});

testOnDatabases("The best match is first: in the name, then in the product", async (database) => {
  await using app = await serve(database, [
    makeItem(1, { feature_name: "One", feature_description: "A slicer" }),
    makeItem(2, { feature_name: "Two", product_name: "Slicer", feature_description: null }),
    makeItem(3, { feature_name: "A slicer of its own, with more words" }),
    makeItem(4, { feature_name: "Other slicers" }),
    makeItem(5, { feature_name: "Slicer" }),
    makeItem(6, { feature_name: "Six", feature_description: null }),
  ]);
  const best = ["Slicer", "Other slicers", "A slicer of its own, with more words", "Two", "One"];
  assertEquals(await find(app, "slicer"), ["words", best]);
  assertEquals(await find(app, "slicer", "&page_size=2&page=2"), ["words", best.slice(2, 4)]);
  const [, byDate] = await find(app, "slicer", "&sort=last_modified");
  assertEquals(byDate, ["Slicer", "Other slicers", best[2], "Two", "One"]);
});

testOnDatabases("Filters in a question are applied", async (database) => {
  await using app = await serve(database, [
    makeItem(1, { feature_name: "Sign-in by passkey", product_name: "Atlas" }),
    makeItem(2, { feature_name: "Passkey for guests", product_name: "Beacon" }),
    makeItem(3, { feature_name: "Sign-in of guests", product_name: "Beacon" }),
  ]);
  assertEquals(await find(app, "sign-in passkey"), ["words", ["Sign-in by passkey"]]);
  const [mode, names] = await find(app, "sign-in passkey", "&product_name=Beacon");
  // A release elsewhere has every word: a filter narrows that, and never finds more.
  assertEquals([mode, names], ["words", []]);
  const { counts } = await app.json("/api/filter-options?match=words&q=sign-in+passkey");
  assertEquals(counts.product_name, { Atlas: 1, Beacon: 0 });
  const among = await app.json(
    "/api/filter-options?match=words&q=sign-in+passkey&product_name=Beacon",
  );
  assertEquals(among.counts.product_name, { Atlas: 1, Beacon: 0 });
});

testOnDatabases("Without words a question is searched as a substring", async (database) => {
  await importNames(database, ["The and of", "100 %! & more 😀", "日本語のリリース", "Other"]);
  await using app = await startApp(database);
  for (
    const [q, names] of [
      ["the and", ["The and of"]],
      ["%!", ["100 %! & more 😀"]],
      ["😀", ["100 %! & more 😀"]],
      ["本語", ["日本語のリリース"]],
      ["!!", []],
    ] as const
  ) assertEquals([q, ...await find(app, q)], [q, "substring", names]);
});

testOnDatabases("A substring is found with the signs of a keyboard", async (database) => {
  await importNames(database, [
    "Don’t",
    "So-called “tiles”",
    "R&D r&eacute;sum&eacute;",
    "Zero\u200bwidth",
  ]);
  await using app = await startApp(database);
  for (
    const [q, name] of [
      ["don't", "Don’t"],
      ["Don’t", "Don’t"],
      ['"tiles"', "So-called “tiles”"],
      ["so‑called", "So-called “tiles”"],
      ["résumé", "R&D r&eacute;sum&eacute;"],
      ["r&eacute;s", "R&D r&eacute;sum&eacute;"],
      ["zerowidth", "Zero\u200bwidth"],
    ] as const
  ) {
    const { data } = await app.json(`/api/releases?q=${encodeURIComponent(q)}`);
    assertEquals([q, data.length], [q, 1], name);
  }
});

/** What no reader of a question may stumble over. */
const ODD_QUESTIONS = [
  "&",
  "data & !pipeline",
  "data <-> pipeline",
  "data:* | (pipeline",
  "'data' \\",
  '"data pipeline',
  '"" "data"""',
  "'; drop table items; --",
  "data\\:B",
  "שלום עולם",
  "a".repeat(1_000),
  "ﷺ".repeat(1_000),
  Array.from({ length: 200 }, (_, n) => `w${n}`).join(" "),
  Array.from({ length: 200 }, () => "data").join(" "),
  Array.from({ length: 330 }, (_, n) => String.fromCharCode(97 + n % 26)).join("/ "),
  "\u0301".repeat(500),
  "1e5abc 0x1F 3.14 -7",
];

slowOnDatabases("Odd questions get a response", async (database) => {
  await importNames(database, ["Data pipeline", "שלום עולם", ...ODD_QUESTIONS]);
  await using app = await startApp(database);
  for (const q of ODD_QUESTIONS) {
    const [mode, names] = await find(app, q);
    assertEquals([q, mode !== null, names.length > 0], [q, true, true]);
    await find(app, `${q} zzzz`.slice(0, 1_000));
    assertEquals((await app.fetch(`/search.json?q=${encodeURIComponent(q)}`)).status, 200);
  }
});

testOnDatabases("An unknown value of match is refused", async (database) => {
  await using app = await startApp(database);
  for (const path of ["releases", "filter-options", "changelog", "insights"]) {
    const response = await app.fetch(`/api/${path}?q=a&match=fuzzy`);
    assertEquals([path, response.status], [path, 400]);
    assertEquals((await response.json()).detail, "match must be `words`");
  }
});

testOnDatabases(
  "Pages, feeds, the calendar and the changelog search by words",
  async (database) => {
    await using app = await serve(database, [
      makeItem(1, { feature_name: "Restoring of deleted databases" }),
      makeItem(2, { feature_name: "Other" }),
    ]);
    const q = "q=restore+a+deleted+database";
    const names = async (path: string) => {
      const text = (await (await app.fetch(path)).text()).replace(/<\/?mark>/g, "");
      return ["Restoring of deleted databases", ">Other<", "SUMMARY:Other", '"Other"'].filter((
        name,
      ) => text.includes(name));
    };
    const found = ["Restoring of deleted databases"];
    const paths = ["/search.json?", "/search.json?view=board&", "/?view=board&group=status&"];
    const feeds = ["rss", "atom.xml", "feed.json", "calendar.ics", "api/changelog"];
    for (const path of [...paths, ...feeds.map((feed) => `/${feed}?match=words&`)]) {
      assertEquals([path, await names(path + q)], [path, found]);
    }
    for (const feed of feeds) {
      assertEquals([feed, await names(`/${feed}?${q}`)], [feed, []]);
    }
    for (const path of ["/changelog?", "/compare?", "/insights?", "/api/insights?match=words&"]) {
      assertEquals((await app.fetch(path + q)).status, 200);
    }
  },
);

testOnDatabases("A past day is searched by the words of that day", async (database) => {
  const item = (feature_name: string) => [makeItem(1, { feature_name }), makeItem(2)];
  await importItems(database, item("Restoring of deleted databases"), { asOf: "2026-07-01" });
  await importItems(database, item("Undo"), { asOf: "2026-07-10" });
  await using app = await startApp(database);
  const q = "restore database";
  assertEquals(await find(app, q), ["words", []]);
  assertEquals(await find(app, q, "&as_of=2026-07-05"), ["words", [
    "Restoring of deleted databases",
  ]]);
  assertEquals(await find(app, "undo", "&as_of=2026-07-05"), ["words", []]);
});
