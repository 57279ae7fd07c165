import { deepStrictEqual as assertEquals, rejects } from "node:assert/strict";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { sql } from "../../lib/database/sql.ts";
import { readDataVersion } from "../../lib/database/data_version.ts";
import { importItems, makeItem, startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { readPage } from "../support/pages.ts";
import { waitFor } from "../support/wait_for.ts";
import { answerConditionally, serveSource } from "../support/servers/source_server.ts";

/** The day of the clock of the tests. */
const TODAY = "2026-07-20";
const PAGES = ["/", "/?view=board", "/changelog", "/insights"];

/** What a page says about when the sources were last read; null if it says nothing. */
async function freshnessOf(app: TestApp, path = "/") {
  const [, said] = /<p class="freshness">(.*?)<\/p>/.exec(await readPage(app, path)) ?? [];
  return said === undefined ? null : said.replaceAll(/<(?!\/?bdi)[^>]*>/g, "").trim();
}

/** Waits until a page says this: a server is notified of an import shortly afterwards. */
async function assertSays(app: TestApp, expected: string, path = "/"): Promise<void> {
  const says = async () => await freshnessOf(app, path) === expected;
  await waitFor(expected, says).catch(() => {});
  assertEquals(await freshnessOf(app, path), expected);
}

/** A config file of sources that are read every hour, except one that is read every 10 days. */
async function configure(names: readonly string[], rarely?: string): Promise<string> {
  const path = await Deno.makeTempFile({ suffix: ".json" });
  const sources = names.map((name) => ({
    name,
    from: "https://example.com/roadmap.json",
    every_minutes: name === rarely ? 14_400 : 60,
  }));
  await Deno.writeTextFile(path, JSON.stringify({ sources }));
  return path;
}

testOnDatabases("Every page says when its source was last read", async (database) => {
  await using app = await startApp(database);
  for (const path of PAGES) assertEquals(await freshnessOf(app, path), null);
  await rejects(importItems(database, "[1]"));
  assertEquals(await freshnessOf(app), null);
  await importItems(database, [makeItem(1)], { asOf: "2026-07-18" });
  for (const path of PAGES) {
    await assertSays(app, "updated 18 Jul 2026", path);
  }
  // A failed import does not count as a reading.
  await rejects(importItems(database, "[1]", { asOf: "2026-07-19" }));
  await assertSays(app, "updated 18 Jul 2026");
  // An unchanged import counts, but invalidates the caches only once per day.
  const before = await readDataVersion(database);
  for (const asOf of ["2026-07-19", "2026-07-19", "2026-07-20", "2026-07-20"]) {
    const { unchanged } = await importItems(database, [makeItem(1)], { asOf });
    assertEquals(unchanged, 1);
    await assertSays(
      app,
      `updated ${asOf === TODAY ? "today" : `${Number(asOf.slice(8))} Jul 2026`}`,
    );
  }
  assertEquals(await readDataVersion(database), before + 2);
});

testOnDatabases("A 304 response from a source counts as a reading", async (database) => {
  await using source = serveSource((request) =>
    answerConditionally(request, `"1"`, JSON.stringify([makeItem(1)]))
  );
  await using app = await startApp(database);
  const versions: number[] = [];
  for (const asOf of ["2026-07-18", "2026-07-19", "2026-07-19"]) {
    await importLocation(database, source.url, { asOf });
    await assertSays(
      app,
      `updated ${asOf === TODAY ? "today" : `${Number(asOf.slice(8))} Jul 2026`}`,
    );
    versions.push(await readDataVersion(database));
  }
  assertEquals(versions.map((version) => version - versions[0]!), [0, 1, 1]);
});

testOnDatabases("Several sources are summarised, and late ones named", async (database) => {
  const path = await configure(["<b>a</b>", "b", "c", "d", "e"], "e");
  const read = (name: string, number: number, asOf: string) =>
    importItems(database, [makeItem(number)], { sourceName: name, asOf });
  await read("<b>a</b>", 1, "2026-07-20");
  await read("b", 2, "2026-07-20");
  await using app = await startApp(database, { ROADMAP_CONFIG: path });
  await assertSays(app, "updated today from 2 sources");
  await read("by hand", 9, "2026-01-31");
  await assertSays(app, "updated between 31 Jan 2026 and 20 Jul 2026 from 3 sources");
  // Three intervals later, without an import, the sources are late.
  await read("by hand", 9, "2026-07-20");
  app.setClock("2026-07-21T02:59:59Z");
  await assertSays(app, "updated 20 Jul 2026 from 3 sources");
  app.setClock("2026-07-21T03:00:00Z");
  await assertSays(
    app,
    "updated 20 Jul 2026 from 1 source. <bdi>&lt;b>a&lt;/b></bdi> has not been updated since " +
      "20 Jul 2026. <bdi>b</bdi> has not been updated since 20 Jul 2026",
  );
  await read("c", 3, "2026-07-19");
  await read("d", 4, "2026-07-20");
  await read("e", 5, "2026-07-01");
  await assertSays(
    app,
    "updated between 1 Jul 2026 and 20 Jul 2026 from 2 sources. " +
      "4 sources are out of date, the oldest since 19 Jul 2026",
  );
  await Deno.remove(path);
});

testOnDatabases("A late source is not named if it is the only one", async (database) => {
  const path = await configure(["only"]);
  await importItems(database, [makeItem(1)], { sourceName: "only", asOf: "2026-07-17" });
  await using app = await startApp(database, { ROADMAP_CONFIG: path });
  await assertSays(app, "not updated since 17 Jul 2026");
  await Deno.remove(path);
});

testOnDatabases(
  "A source is late after three intervals, and no longer once it is read",
  async (database) => {
    const path = await configure(["only"]);
    const readAt = async (moment: string) => {
      const asOf = moment.slice(0, 10);
      await importItems(database, [makeItem(1)], { sourceName: "only", asOf });
      await database.query(sql`update import_runs set finished_at = ${moment}
      where run_id = (select max(run_id) from import_runs)`);
    };
    await readAt("2026-07-20T00:30:00Z");
    await using app = await startApp(database, { ROADMAP_CONFIG: path });
    app.setClock("2026-07-20T03:29:59Z");
    for (const page of PAGES) await assertSays(app, "updated today", page);
    app.setClock("2026-07-20T03:30:00Z");
    for (const page of PAGES) {
      await assertSays(app, "not updated since 00:30 UTC today", page);
    }
    // An import that changes nothing is a reading as well.
    await readAt("2026-07-20T03:40:00Z");
    app.setClock("2026-07-20T03:45:00Z");
    for (const page of PAGES) await assertSays(app, "updated today", page);
    await readAt("2026-07-20T05:00:00Z");
    app.setClock("2026-07-20T07:59:00Z");
    for (const page of PAGES) await assertSays(app, "updated today", page);
    app.setClock("2026-07-21T00:00:00Z");
    await assertSays(app, "not updated since 20 Jul 2026");
    await Deno.remove(path);
  },
);
