import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { makeItem, serve } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { subscribe } from "../support/subjects/subscribing.ts";

/** Of these, only the second is due in the next 7 days. */
const ITEMS = [
  makeItem(1, { feature_name: "Late thing", release_date: "2026-07-18" }),
  makeItem(2, { feature_name: "Soon thing", release_date: "2026-07-25" }),
  makeItem(3, { feature_name: "Next thing", release_date: "2026-08-10" }),
  makeItem(4, {
    feature_name: "Done thing",
    release_date: "2026-07-25",
    release_status: "Shipped",
  }),
];
const NAMES = ITEMS.map(({ feature_name }) => feature_name as string);

testOnDatabases("Changes can be of several periods, which move with the day", async (database) => {
  await using app = await serve(database, ITEMS);
  const several = await app.json("/api/changes?due=overdue&due=next7");
  const told = several.data.map((entry: { release: { feature_name: string } }) =>
    entry.release.feature_name
  );
  assertEquals(told.sort(), ["Late thing", "Soon thing"]);
  app.setClock("2026-08-05T12:00:00Z"); // no import, but another day
  const later = await app.fetch("/api/changes?due=next7");
  assertEquals((await later.text()).match(/\w+ thing/g), ["Next thing"]);
});

testOnDatabases("An unknown period is refused with the list of periods", async (database) => {
  await using app = await serve(database, ITEMS);
  for (const path of ["/", "/api/changes", "/changes.csv", "/rss.xml", "/calendar.ics"]) {
    const response = await app.fetch(`${path}?due=tomorrow`, {
      headers: { Accept: "application/json" },
    });
    const text = await response.text();
    assertEquals([path, response.status], [path, 400], text);
    const periods = path === "/"
      ? ["This filter doesn’t exist any more"]
      : ["overdue", "next7", "next30", "next90"];
    const named = periods.filter((period) => text.includes(period));
    assertEquals([path, named.length], [path, path === "/" ? 1 : 4], text);
  }
  const refused = await subscribe(app, { email: "a@example.com", due: "tomorrow" });
  assertEquals(refused.status, 400);
  assertEquals((await refused.json()).errors[0].name, "due");
});

testOnDatabases("Follow pages of a due filter subscribe to it", async (database) => {
  await using app = await serve(database, ITEMS);
  const read = async (path: string) => await (await app.fetch(path)).text();
  match(
    await read("/subscribe?due=next30"),
    /<input type="checkbox" name="due" value="next30" checked/,
  );
  match(await read("/changelog?due=next30"), /<input type="hidden" name="due" value="next30"/);
  const preview = await read("/subscribe/preview?due=next7&cadence=daily");
  assertEquals(NAMES.filter((name) => preview.includes(name)), ["Soon thing"]);
});
