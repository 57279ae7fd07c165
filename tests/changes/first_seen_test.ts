import { deepStrictEqual as assertEquals, doesNotMatch, match, rejects } from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, serve } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { readPage } from "../support/pages.ts";

const ID = String(makeItem(1).release_item_id);
const HISTORY = `/api/releases/history/${ID}`;

testOnDatabases("An item is first seen by the import that added it", async (database) => {
  await using app = await serve(database, [makeItem(1, { last_modified: "2026-02-13" })]);
  assertEquals(await app.json(HISTORY), [{
    changed_columns: "Roadmap Item Added",
    last_modified: "2026-07-20",
  }]);
  const { last_modified } = await app.json(`/api/releases?release_item_id=${ID}`);
  assertEquals(last_modified, "2026-02-13");
  const html = await readPage(app, `/release/${ID}`);
  match(html, /<span dir="auto">First seen<\/span>/);
  match(html, /20 Jul 2026/);
  doesNotMatch(html, /datePublished/);
  match(await (await app.fetch("/rss.xml")).text(), /First seen/);
});

testOnDatabases("An item is added on the date that its source gives", async (database) => {
  const created = { last_modified: "2026-02-13", created: "2025-11-02T10:00:00.1234567Z" };
  await using app = await serve(database, [makeItem(1, created)]);
  assertEquals(await app.json(HISTORY), [{
    changed_columns: "Roadmap Item Added",
    last_modified: "2025-11-02",
  }]);
  const html = await readPage(app, `/release/${ID}`);
  match(html, /<span dir="auto">Added to the roadmap<\/span>/);
  match(html, /"datePublished":"2025-11-02"/);
});

testOnDatabases("A source may say later when an item was created", async (database) => {
  await using app = await serve(database, [makeItem(1)]);
  const added = async () => (await app.json(HISTORY)).at(-1).last_modified;
  assertEquals(await added(), "2026-07-20");
  const counts = await importItems(database, [makeItem(1, { created: "2026-05-04" })]);
  assertEquals(counts.changed, 0);
  app.setClock("2026-07-20T12:00:05Z");
  assertEquals(await added(), "2026-05-04");
  const { data } = await app.json("/api/changes");
  assertEquals(data[0].date, "2026-05-04");
});

testOnDatabases("An impossible creation date is ignored", async (database) => {
  for (const [place, created] of ["2026-07-21", "0001-01-01", "soon", 5, null].entries()) {
    await importItems(database, [makeItem(place + 1, { created })], { partial: true });
  }
  const days = await database.query(sql`select distinct day::text from changes`);
  assertEquals(days, [{ day: "2026-07-20" }]);
});

testOnDatabases("A mapped creation date must be valid", async (database) => {
  const csv = "Key,Title,Status,Product,Opened\nA-1,One,Open,P,2026-01-02\n" +
    "A-2,Two,Open,P,whenever\nA-3,Three,Open,P,03/04/2026\nA-4,Four,Open,P,\n";
  const fields = { created: { from: "Opened" } };
  await rejects(importItems(database, csv, { fields }), (error: Error) => {
    const [, ...lines] = error.message.split("\n");
    assertEquals(lines, [
      '  row 3: "Opened" is "whenever", which is not a date such as 2026-09-30, Q3 2026 or ' +
      'Sep 2026; if it means none, say so in the mapping, {"none": ["whenever"]}',
      '  row 4: "Opened" is "03/04/2026", which may be 2026-04-03 or 2026-03-04: ' +
      'say which with a "format" in the mapping, "DD/MM/YYYY" or "MM/DD/YYYY"',
    ]);
    return true;
  });
  await importItems(database, csv.replace("whenever", "2026-01-03"), {
    fields: { created: { from: "Opened", format: "DD/MM/YYYY" } },
  });
  const days = await database.query<{ day: string }>(sql`
    select day::text from changes order by day
  `);
  assertEquals(days.map(({ day }) => day), [
    "2026-01-02",
    "2026-01-03",
    "2026-04-03",
    "2026-07-20",
  ]);
});

testOnDatabases("Columns of trackers say when an item was created", async (database) => {
  const csv = "Issue key,Summary,Status,Project,Created,Updated\n" +
    "A-1,One,Open,P,2026-01-02,2026-06-01\nA-2,Two,Open,P,whenever,2026-06-01\n";
  await importItems(database, csv);
  const days = await database.query(sql`
    select feature_name, day::text from changes join items using (release_item_id) order by 1
  `);
  assertEquals(days, [{ feature_name: "One", day: "2026-01-02" }, {
    feature_name: "Two",
    day: "2026-07-20",
  }]);
  // Several such columns were never a question.
  const both = "Key,Title,Status,Project,Created on,Created at\nB-1,Both,Open,P,soon,2026-01-03\n";
  await importItems(database, both, { sourceName: "other" });
  const [added] = await database.query(sql`
    select day::text from changes join items using (release_item_id) where feature_name = 'Both'
  `);
  assertEquals(added, { day: "2026-01-03" });
});
