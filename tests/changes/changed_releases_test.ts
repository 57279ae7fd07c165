import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import type { Database } from "../../lib/database/database.ts";
import { testOnDatabases } from "../support/databases.ts";

const PATH = "/api/changes/releases";
const [ONE, TWO, THREE] = [1, 2, 3].map((number) => makeItem(number).release_item_id);

testOnDatabases("The changed releases are listed after a cursor only", async (database) => {
  const item = (number: number, fields: Record<string, unknown> = {}) =>
    makeItem(number, { last_modified: null, ...fields });
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  const empty = await app.json(PATH);
  assertEquals({ ...empty, next_after: "" }, {
    release_item_ids: [],
    total: 0,
    first_day: null,
    kinds: {},
    summary: "",
    next_after: "",
  });
  await importItems(database, [item(1), item(2), item(3)], { asOf: "2026-07-01" });
  await using second = await startApp(database, { ROADMAP_VARIANT: "both" });
  assertEquals((await second.json(`${PATH}?after=${empty.next_after}`)).total, 3);
  const { next_after: after } = await second.json(PATH);
  assertEquals((await second.json(`${PATH}?after=${after}`)).total, 0);
  await importItems(database, [
    item(1),
    item(2, { release_status: "Shipped" }),
    item(3, { blog_title: "Post" }),
  ], { asOf: "2026-07-09" });
  await importItems(database, [
    item(2, { release_status: "Shipped" }),
    item(3, { blog_title: "Post" }),
  ], { asOf: "2026-07-10" });
  await using third = await startApp(database, { ROADMAP_VARIANT: "both" });
  const { next_after, ...news } = await third.json(`${PATH}?after=${after}`);
  assertEquals(news, {
    release_item_ids: [ONE, THREE, TWO],
    total: 3,
    first_day: "2026-07-09",
    kinds: { shipped: 1, removed: 1, edited: 1 },
    summary: "1 shipped, 1 removed, 1 edited",
  });
  assertEquals((await third.json(`${PATH}?after=${next_after}`)).total, 0);
  // Variant B knows neither blog posts nor removed releases.
  const { release_item_ids } = await third.json(`/b${PATH}?after=${after}`);
  assertEquals(release_item_ids, [TWO]);
  // The cursor is that of /api/changes.
  assertEquals((await third.json(`/api/changes?after=${after}&wait=1`)).data.length, 3);
});

testOnDatabases("There and back since a cursor is no change", async (database) => {
  await using app = await serve(database, [makeItem(1), makeItem(2)]);
  const { next_after } = await app.json(PATH);
  const read = async () => {
    await using newest = await startApp(database);
    const { total, kinds } = await newest.json(`${PATH}?after=${next_after}`);
    return { total, kinds };
  };
  await importItems(database, [makeItem(1, { release_date: "Q4 2026" }), makeItem(3)], {
    allowMassRemoval: true,
  });
  assertEquals(await read(), { total: 3, kinds: { removed: 1, slipped: 1, added: 1 } });
  await importItems(database, [makeItem(1), makeItem(2)], { allowMassRemoval: true });
  assertEquals(await read(), { total: 0, kinds: {} });
});

testOnDatabases("A cursor of another database is refused", async (database) => {
  await using app = await serve(database, [makeItem(1)]);
  for (const after of ["1-0123456789ab-1-0", "soon"]) {
    const response = await app.fetch(`${PATH}?after=${after}`);
    assertEquals(response.status, 400);
    const { errors } = await response.json();
    assertEquals(errors[0].name, "after");
    match(errors[0].reason, /cursor/);
  }
});

testOnDatabases("What changed since a visit is said in the words of a page", async (database) => {
  const item = (number: number, fields: Record<string, unknown> = {}) =>
    makeItem(number, { last_modified: null, ...fields });
  await importItems(database, [item(1), item(2), item(3), item(4), item(5)], {
    asOf: "2026-07-01",
  });
  const { after, ...first } = await readVisit(database, "");
  assertEquals(first, { release_item_ids: [], words: "Nothing changed since 20 Jul" });
  await importItems(database, [
    item(1, { release_status: "Shipped" }),
    item(2, { release_date: "Q4 2026" }),
    item(3, { release_date: "Q1 2026" }),
    item(4, { blog_title: "Post" }),
    item(5, { blog_title: "Post" }),
  ], { asOf: "2026-07-09" });
  const { words, link } = await readVisit(database, `?after=${after}&day=2026-07-02`);
  assertEquals(words, "1 shipped, 1 slipped, 3 more since 2 Jul");
  assertEquals(link, `/changelog?after=${after}`);
  assertEquals(
    (await readVisit(database, `?after=${after}&day=2026-07-02`, { ROADMAP_VARIANT: "b" })).link,
    "/?modified_since=2026-07-09",
  );
  await using app = await startApp(database);
  for (const query of ["after=soon", "after=1-0123456789ab-1-0", `after=${after}&day=soon`]) {
    const response = await app.fetch(`/visit.json?${query}`);
    assertEquals(response.status, 400, query);
    match((await response.json()).errors[0].reason, /cursor|a date such as/);
  }
});

async function readVisit(database: Database, query: string, settings = {}) {
  await using app = await startApp(database, settings);
  const { next_after: after, ...news } = await app.json(`/visit.json${query}`);
  return { after, ...news };
}
