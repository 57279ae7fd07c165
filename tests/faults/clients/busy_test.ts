import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { importItems, makeItem, startApp } from "../../support/app.ts";
import { testOnDatabases } from "../../support/databases.ts";
import { holdDatabase } from "../../support/held_database.ts";
import { waitFor } from "../../support/wait_for.ts";

testOnDatabases(
  "A request that waits in vain for the database, or for a response being built, gets 503",
  async (database) => {
    await importItems(database, [makeItem(1)]);
    const held = holdDatabase(database);
    await using app = await startApp(held);
    held.hold();
    const built = Array.from(
      { length: 8 },
      (_, index) => app.fetch(`/changelog?days=${index + 1}`),
    );
    await waitFor("the questions", () => held.held >= built.length);
    const response = await app.fetch("/changelog?days=9");
    assertEquals([response.status, response.headers.get("retry-after")], [503, "5"]);
    for (const { status } of await Promise.all(built)) assertEquals(status, 503);
    held.release();
    assertEquals((await app.fetch("/changelog?days=9")).status, 200);
  },
);
