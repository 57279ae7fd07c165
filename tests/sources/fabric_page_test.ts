import {
  deepStrictEqual as assertEquals,
  match as assertMatch,
  rejects as assertRejects,
} from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { repairJson } from "../../lib/import/kinds/fabric.ts";
import { startApp, TODAY } from "../support/app.ts";
import { readFabric, serveFabricRoadmap } from "../support/subjects/fabric_roadmap.ts";
import { testOnDatabases } from "../support/databases.ts";
import { answerConditionally, serveSource } from "../support/servers/source_server.ts";
import { slowOnDatabases } from "../support/slow.ts";

const NAMES = ["Data Engineering", "Power BI"];
const guid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** Documents by the number of the family; a Response is made by a function. */
type Answers = (() => Response | string)[];

function pageOf(names: readonly string[], quote = '"'): string {
  return "<!DOCTYPE html><html><script>" +
    names.map((name, index) =>
      `ProductFamily = new Object();\n ProductFamily . id=${quote}{${guid(index)}}${quote};\n` +
      ` ProductFamily.name = ${quote}${name}${quote};`
    ).join("\n") + "</script></html>";
}

function item(family: number, number: number, more: Record<string, string> = {}) {
  return {
    ReleaseItemID: guid(100 * (family + 1) + number),
    FeatureName: `Feature ${number}`,
    ReleaseDate: "Q3 2026",
    ReleaseType: "Public preview",
    ReleaseStatus: "Planned",
    ProductID: guid(family),
    ProductName: NAMES[family],
    isPublishExternally: "true",
    FeatureDescription: "",
    ...more,
  };
}

const documentOf = (items: unknown[]) => JSON.stringify({ results: items });
const items = (family: number, count: number) =>
  Array.from({ length: count }, (_, number) => item(family, number));

function serveFabric(site: { page: string; answers: Answers }) {
  return serveSource((request, url) => {
    if (url.pathname === "/") return answerConditionally(request, etagOf(site.page), site.page);
    const family = Number(url.searchParams.get("productId")!.slice(-12));
    const answer = site.answers[family]!();
    if (answer instanceof Response) return answer;
    return answerConditionally(request, etagOf(answer), answer);
  });
}

const etagOf = (text: string) => `"${text.length}-${text.replace(/\D/g, "").slice(-9)}"`;
const read = (database: Database, url: string, more = {}) =>
  importLocation(database, url, { asOf: TODAY, pausesMs: [], ...more });

testOnDatabases("All product families of the page are one snapshot", async (database) => {
  const site = {
    page: pageOf(NAMES, "'"),
    answers: [() => documentOf(items(0, 6)), () => documentOf(items(1, 6))],
  };
  await using server = serveFabric(site);
  assertEquals((await read(database, server.url)).added, 12);
  assertEquals((await read(database, server.url)).unchanged, 12);
  assertEquals(server.asked.slice(3).map((line) => line.slice(-3)), ["304", "304", "304"]);

  const broken = item(1, 0, { FeatureName: "SQL\\_LIKE<TAB>&quot;x&quot; \u200b" });
  site.answers[1] = () =>
    documentOf([broken, ...items(1, 6).slice(1).reverse()])
      .replace("\\\\_", "\\_").replace("<TAB>", "\t");
  const result = await read(database, server.url);
  assertEquals([result.changed, result.unchanged, result.repaired], [1, 11, 2]);
  await using app = await startApp(database);
  const { data } = await app.json("/api/releases?product_name=Power+BI");
  const names = data.map(({ feature_name }: { feature_name: string }) => feature_name);
  assertEquals(names.filter((name: string) => name.startsWith("SQL")), ['SQL_LIKE "x"']);
});

slowOnDatabases(
  "Fabric's documents are repaired, and read with dates of both forms",
  async (database) => {
    const site = { document: await readFabric("broken.txt") };
    await using server = await serveFabricRoadmap(site);
    const { added, repaired } = await read(database, server.url);
    assertEquals([added, repaired, server.asked.length], [16, 6, 15]);
    await using app = await startApp(database);
    const list = async () => {
      const { data } = await app.json(
        "/api/releases?product_name=Data+Engineering&sort=release_date",
      );
      return data.map((found: Record<string, string>) =>
        [found.feature_name, found.release_date, found.feature_description] as const
      ).sort();
    };
    const [dynamic, lakehouse, entities] = await list();
    assertEquals(entities?.[0], '[KQL DB] Entities diagram ("lineage")');
    assertMatch(
      dynamic![2],
      /^Adds REGEXP_LIKE and REGEXP_REPLACE\.\s+See the "preview" notes for/,
    );
    assertMatch(lakehouse![2], /^Uses “curly” quotes, an em dash — and a line\s+break inside/);
    assertMatch(lakehouse![2], /escaped "quotes" and a path C:\\temp stay as they are\.$/);

    site.document = await readFabric("old_dates.txt");
    assertEquals((await read(database, server.url)).removed, 1);
    assertEquals((await list()).map(([name, date]: readonly string[]) => [name, date]), [
      ["Dynamic RLS support in Spark", "Q1 2026"],
      ["Lakehouse Query Window", "Q4 2024"],
    ]);
  },
);

testOnDatabases("Fabric fields that flap cause no change", async (database) => {
  const site = { page: pageOf(["Data Engineering"]), answers: [() => documentOf(items(0, 3))] };
  await using server = serveFabric(site);
  await read(database, server.url);
  const flapped = [
    item(0, 2, { FeatureName: "\ufeffFeature\u200b 2 ", VSOItem: "https://example.com/2" }),
    item(0, 1, { VSOItem: "", ReleaseItemID: `{${guid(101).toUpperCase()}}` }),
    item(0, 0, { ProductName: " Data Engineering\u0007", ReleaseDate: "q3-2026" }),
  ];
  site.answers = [() => documentOf(flapped)];
  const { changed, unchanged, removed } = await read(database, server.url);
  assertEquals([changed, unchanged, removed], [0, 3, 0]);
  for (const [value, gone] of [["false", 1], ["true", 0], ["0", 1], ["1", 0]] as const) {
    site.answers = [
      () => documentOf([...flapped.slice(1), item(0, 2, { isPublishExternally: value })]),
    ];
    assertEquals((await read(database, server.url)).removed, gone);
  }
});

testOnDatabases("An incomplete Fabric roadmap removes nothing", async (database) => {
  const good: Answers = [() => documentOf(items(0, 20)), () => documentOf(items(1, 6))];
  const site = { page: pageOf(NAMES), answers: good };
  await using server = serveFabric(site);
  await read(database, server.url);
  const refusals: [() => Response | string, RegExp][] = [
    [() => documentOf([]), /would remove all 6 active items of "Power BI", which the source still/],
    [() => new Response("", { status: 500 }), /^The product family "Power BI": .*responded 500/],
    [() => "<html>Sign in</html>", /^The product family "Power BI": .*it is an HTML page/],
    [() => '{"results":[\n{"a":nul}]}', /^The product family "Power BI": .*in line 2: .*nul/],
    [() => documentOf([item(0, 99)]), /would remove all 6 active items of "Power BI"/],
  ];
  for (const [answer, message] of refusals) {
    site.answers = [good[0]!, answer];
    await assertRejects(read(database, server.url), { message });
  }
  // A family of which nothing is stored may stand empty on the page.
  site.page = pageOf([...NAMES, "IQ"]);
  site.answers = [...good, () => documentOf([])];
  assertEquals((await read(database, server.url)).unchanged, 26);
  site.answers = good;
  site.page = "<html>Maintenance</html>";
  await assertRejects(read(database, server.url, { kind: "fabric" }), {
    message: /the page names no product families/,
  });
  site.page = pageOf(NAMES);
  assertEquals((await read(database, server.url)).unchanged, 26);
  site.answers = [good[0]!, () => documentOf([])];
  assertEquals((await read(database, server.url, { allowMassRemoval: true })).removed, 6);
});

Deno.test("Broken JSON is repaired if only one reading is possible", () => {
  const repairs: [string, string, number][] = [
    ["a\tb\nc", "a\tb\nc", 2],
    ["LIKE\\_x\\_", "LIKE_x_", 2],
    ["C:\\Users", "C:\\Users", 1],
    ['the ""preview"" notes', 'the "preview" notes', 2],
    ['""preview""', '"preview"', 2],
    ['"a", and so on', '"a", and so on', 2],
    ['\\"kept\\" C:\\\\temp\t', '"kept" C:\\temp\t', 1],
  ];
  for (const [written, value, count] of repairs) {
    const given = `{"results":[{"a":"","b":"${written}","c":""}]}`;
    const { text, repaired } = repairJson(given);
    assertEquals([JSON.parse(text).results[0], repaired], [{ a: "", b: value, c: "" }, count]);
  }
});

Deno.test("Ambiguous broken JSON is refused with its line", () => {
  for (const text of ['{"a":\n"say "hi""}', '{"a":\n"x', '{"a":\nx}']) {
    try {
      repairJson(text);
      throw new Error(`${text} was read`);
    } catch (error) {
      assertMatch((error as Error).message, /cannot be repaired, in line 2: /);
    }
  }
});
