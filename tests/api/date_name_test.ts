import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

testOnDatabases(
  "A named date stands for the release date where it is asked by",
  async (database) => {
    const rows = (preview: string) => [
      makeItem(1, {
        feature_name: "Both",
        release_date: "2027-03-31",
        dates: { Preview: preview, Retirement: "2029-12-31" },
      }),
      makeItem(2, { feature_name: "Released", release_date: "2026-12-31" }),
    ];
    await importItems(database, rows("2026-09-30"), { asOf: "2026-07-18" });
    await importItems(database, rows("2026-12-31"), { asOf: "2026-07-19" });
    await using app = await startApp(database);

    const { data } = await app.json("/api/releases?date_name=PREVIEW&sort=release_date");
    assertEquals(
      data.map((item: Record<string, string>) => [item.feature_name, item.release_date]),
      [["Both", "Q4 2026"], ["Released", null]],
    );
    const { items } = await app.json("/search.json?date_name=preview&release_date_to=2026-12-31");
    assertEquals(items.length, 1);
    assertEquals([items[0].release_date, items[0].moved_from], ["Q4 2026", "Q3 2026"]);

    const { date_names } = await app.json("/api/filter-options");
    assertEquals(date_names, [{ name: "Preview", count: 1 }, { name: "Retirement", count: 1 }]);

    const compared = await (await app.fetch("/compare?from=2026-07-18&date_name=preview")).text();
    match(compared.replace(/<[^>]+>/g, " "), /1 slipped.*Both +Product .*Q3 2026.*Q4 2026/s);

    const none = await app.json("/search.json?date_name=Nothing");
    assertEquals([none.total, none.said.title], [0, "By Nothing"]);
  },
);

testOnDatabases("A calendar has an event for each date that it asks by", async (database) => {
  await using app = await serve(database, [
    makeItem(1, {
      feature_name: "Both",
      release_date: "2027-03-31",
      dates: { "End of life": "2029-12-31" },
    }),
    makeItem(2, { feature_name: "Released", release_date: "2026-12-31" }),
  ]);
  const read = async (query: string) => {
    const text = await (await app.fetch(`/calendar.ics?${query}`)).text();
    const of = (event: string, property: string) =>
      new RegExp(`^${property}[:;](?:VALUE=DATE:)?(.*?)\\r$`, "m").exec(event)![1]!;
    return text.split("BEGIN:VEVENT").slice(1).map((event) => ({
      uid: of(event, "UID").split("@")[0]!,
      title: of(event, "SUMMARY").split(" · ")[0]!.split(" (")[0]!,
      day: of(event, "DTSTART"),
    }));
  };
  const id = (place: number) => makeItem(place).release_item_id;
  const ends = await read("date_name=end%20of%20life");
  assertEquals(ends.map(({ uid, day }) => [uid, day]), [
    [`${id(1)}-end%20of%20life`, "20291231"],
  ]);
  assertEquals(ends[0]!.title.startsWith("End of life: Both"), true, ends[0]!.title);
  const all = await read("date_name=end%20of%20life&date_name=release");
  assertEquals(all.map(({ uid }) => uid), [id(2), id(1), `${id(1)}-end%20of%20life`]);
  const many = Array.from({ length: 11 }, (_, place) => `date_name=${place}`).join("&");
  assertEquals((await app.fetch(`/calendar.ics?${many}`)).status, 400);
});
