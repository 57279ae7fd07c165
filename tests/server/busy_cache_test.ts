import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { type Database, DatabaseBusy } from "../../lib/database/database.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { waitFor } from "../support/wait_for.ts";

/** A database that has too much to do, where a test says so. */
function makeBusy(database: Database): Database & { isBusy: boolean } {
  const busy = {
    ...database,
    isBusy: false,
    query: <Row>(statement: Parameters<Database["query"]>[0]) =>
      busy.isBusy ? Promise.reject(new DatabaseBusy("Too much")) : database.query<Row>(statement),
  };
  return busy;
}

testOnDatabases(
  "While the database is busy, variant A serves no outdated response",
  async (database) => {
    const busy = makeBusy(database);
    await importItems(database, [makeItem(1), makeItem(2)]);
    await using app = await startApp(busy);
    await app.json("/api/releases");
    await importItems(database, [makeItem(1), makeItem(2), makeItem(3)]);
    await waitFor(
      "the new version",
      async () => (await app.json("/api/releases")).data.length === 3,
    );
    await app.json("/api/filter-options");
    await importItems(database, [makeItem(1), makeItem(2)], { allowMassRemoval: true });
    await waitFor("the new data", async () => (await app.json("/api/releases")).data.length === 2);
    busy.isBusy = true;
    const current = await app.fetch("/api/releases");
    assertEquals([current.status, current.headers.get("x-cache")], [200, null]);
    const outdated = await app.fetch("/api/filter-options");
    assertEquals([outdated.status, outdated.headers.get("x-cache")], [503, null]);
    assert((await outdated.json()).detail.includes("too busy"));
  },
);

testOnDatabases(
  "While the database is busy, variant B stays within its windows",
  async (database) => {
    const busy = makeBusy(database);
    await importItems(database, [makeItem(1), makeItem(2)]);
    await using app = await startApp(busy, { ROADMAP_VARIANT: "b" });
    const look = async () => {
      const response = await app.fetch("/api/releases");
      await response.body?.cancel();
      return [response.status, response.headers.get("x-cache")];
    };
    assertEquals(await look(), [200, null]);
    busy.isBusy = true;
    app.advance(24 * 3_600 - 1);
    assertEquals(await look(), [200, null]);
    app.advance(2);
    assertEquals(await look(), [200, "STALE"]);
    app.advance(24 * 3_600);
    assertEquals(await look(), [503, null]);
  },
);
