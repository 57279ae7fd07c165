import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { isoDate } from "../../lib/text/dates.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { ADMIN_TOKEN } from "../support/subjects/operator.ts";

const LATER =
  /The day of the import, \d{4}-\d\d-\d\d, is in the future: by the clock of the database/;

/** The clock of the database is that of this machine. */
function dayFromNow(days: number): string {
  return isoDate(new Date(Date.now() + days * 86_400_000));
}

testOnDatabases(
  "The day of an import is at most tomorrow by the clock of the database",
  async (database) => {
    await using app = await startApp(database, { ADMIN_TOKEN });
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" };
    const send = async (query: string) => {
      const body = JSON.stringify([makeItem(1)]);
      const answer = await app.fetch(`/api/import${query}`, { method: "POST", body, headers });
      return { status: answer.status, text: await answer.text() };
    };
    for (const day of [dayFromNow(3), "2199-12-31", "2962-11-28"]) {
      const { status, text } = await send(`?as_of=${day}`);
      assertEquals([day, status], [day, 422]);
      match(text, LATER);
      match((await send(`?as_of=${day}&dry_run=true`)).text, LATER);
    }
    assertEquals((await app.json("/api/releases")).pagination.total_items, 0);

    // The clock of this process is wrong, and that of the database is right.
    app.setClock("2962-11-28T12:00:00Z");
    match((await send("")).text, LATER);
    assertEquals((await send(`?as_of=${dayFromNow(1)}`)).status, 200);
    // It has moved no day: an import of today dates its changes today.
    await importItems(database, [makeItem(1, { release_status: "Shipped" })], {
      asOf: dayFromNow(1),
    });
    const { data: [release] } = await app.json("/api/releases");
    assertEquals(release.last_modified, dayFromNow(1));
  },
);
