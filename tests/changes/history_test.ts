import { deepStrictEqual as assertEquals } from "node:assert/strict";
import type { Sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

const ID = String(makeItem(1).release_item_id);

/** One item that was added, changed twice on a day, removed, and came back with another blog. */
async function importLife(database: Parameters<typeof importItems>[0]): Promise<void> {
  const others = [makeItem(8), makeItem(9)];
  const first = makeItem(1, { last_modified: null, product_id: null, feature_description: "" });
  await importItems(database, [...others, first], { asOf: "2026-07-01" });
  const moved = { ...first, release_date: "2026-10-15", feature_description: "New -> text" };
  await importItems(database, [...others, moved], { asOf: "2026-07-05" });
  const renamed = { ...moved, feature_name: "Renamed", release_date: null };
  await importItems(database, [...others, renamed], { asOf: "2026-07-05" });
  await importItems(database, others, { asOf: "2026-07-08" });
  const back = { ...renamed, blog_title: "Blog", blog_url: "https://example.com/blog" };
  await importItems(database, [...others, back], { asOf: "2026-07-10" });
  await importItems(database, [...others, { ...back, blog_title: null }], { asOf: "2026-07-11" });
}

testOnDatabases("History of variant A: one entry per change, newest first", async (database) => {
  await importLife(database);
  await using app = await startApp(database);
  const entries = await app.json(`/api/releases/history/${ID}`);
  assertEquals(
    entries.map((entry: Record<string, unknown>) => [entry.last_modified, entry.changed_columns]),
    [
      ["2026-07-11", "Blog Title Blog -> (none)"],
      ["2026-07-10", "Restored to Roadmap"],
      ["2026-07-10", "Blog Title (none) -> Blog"],
      ["2026-07-10", "Blog Url (none) -> https://example.com/blog"],
      ["2026-07-08", "Removed from Roadmap"],
      ["2026-07-05", "Feature Name Feature 1 -> Renamed"],
      ["2026-07-05", "Release Date 2026-10-15 -> (none)"],
      ["2026-07-05", "Release Date 2026-09-30 -> 2026-10-15"],
      ["2026-07-05", "Feature Description (none) -> New -> text"],
      ["2026-07-01", "Roadmap Item Added"],
    ],
  );
});

testOnDatabases("History of variant B: one entry per modification", async (database) => {
  await importLife(database);
  await using app = await startApp(database, { ROADMAP_VARIANT: "b" });
  assertEquals(await app.json(`/api/releases/history/${ID}`), [
    { changed_columns: ["FeatureName", "ReleaseDate"], last_modified: "2026-07-05" },
    { changed_columns: ["ReleaseDate", "FeatureDescription"], last_modified: "2026-07-05" },
    {
      changed_columns: [
        "FeatureName",
        "ReleaseDate",
        "ReleaseType",
        "ReleaseStatus",
        "ProductName",
      ],
      last_modified: "2026-07-01",
    },
  ]);
});

testOnDatabases("History includes removed items in variant A only", async (database) => {
  await importItems(database, [1, 2, 3].map((number) => makeItem(number)));
  await using app = await serve(database, [makeItem(2), makeItem(3)], { ROADMAP_VARIANT: "both" });
  const [newest] = await app.json(`/api/releases/history/${ID}`);
  assertEquals(newest.changed_columns, "Removed from Roadmap");
  assertEquals((await app.fetch(`/b/api/releases/history/${ID}`)).status, 404);
});

testOnDatabases("A history takes one statement", async (database) => {
  await importLife(database);
  let statements = 0;
  const counted = {
    ...database,
    query<Row>(statement: Sql): Promise<Row[]> {
      if (/from (items|changes)/.test(statement.compile().text)) statements++;
      return database.query<Row>(statement);
    },
  };
  await using app = await startApp(counted);
  const before = statements;
  await app.json(`/api/releases/history/${ID}`);
  assertEquals(statements - before, 1);
});

testOnDatabases("History of an unknown or malformed id is refused", async (database) => {
  await using app = await startApp(database);
  const unknown = await app.fetch(`/api/releases/history/${ID}`);
  assertEquals(unknown.status, 404);
  assertEquals(unknown.headers.get("content-type"), "application/problem+json");
  assertEquals((await unknown.json()).detail, `There is no release with the id ${ID}`);
  for (const id of ["xyz", "%00", "%zz", `${ID}0`]) {
    const malformed = await app.fetch(`/api/releases/history/${id}`);
    assertEquals([id, malformed.status], [id, 400]);
    assertEquals((await malformed.json()).errors[0].name, "release_item_id");
  }
  assertEquals((await app.fetch("/api/releases/history")).status, 404);
});
