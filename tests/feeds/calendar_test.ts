import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import fc from "fast-check";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { startEmbeddingServer } from "../support/servers/embedding_server.ts";
import { type ReadCalendar, readCalendar, valuesOf } from "../support/subjects/feeds.ts";
import { settingsFor, startEmbedded } from "../support/subjects/semantic.ts";
import { watchDatabase } from "../support/watched_database.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

const summariesOf = ({ events }: ReadCalendar) =>
  events.flatMap((event) => valuesOf(event, "summary"));

/** Imports items of which the third is removed on a day. */
async function importRemoved(
  database: Parameters<typeof importItems>[0],
  asOf: string,
): Promise<void> {
  const items = [1, 2, 3].map((number) => makeItem(number, { last_modified: "2026-03-01" }));
  await importItems(database, items, { asOf: "2026-03-01" });
  await importItems(database, items.slice(0, 2), { asOf });
}

testOnDatabases("A release is an all-day event with a permanent UID", async (database) => {
  const item = makeItem(1, { feature_name: "Sign-in; with, passkeys &amp; more" });
  await importItems(database, [item], { asOf: "2026-07-01" });
  const moved = { ...item, release_date: "2026-11-30", last_modified: "2026-07-10" };
  await importItems(database, [moved]);
  await using app = await startApp(database, {
    ROADMAP_VARIANT: "both",
    BASE_URL: "https://example.com:8443/road",
    SITE_NAME: "Roads, Rails; \\",
  });
  const a = await readCalendar(app, "/road/calendar.ics");
  const b = await readCalendar(app, "/road/b/calendar.ics");
  for (const [site, { calendar, events }] of [["/road", a], ["/road/b", b]] as const) {
    assertEquals(valuesOf(calendar, "version"), ["2.0"]);
    assertEquals(valuesOf(calendar, "prodid").length, 1);
    assertEquals(valuesOf(calendar, "name"), ["Roads, Rails; \\"]);
    assertEquals(valuesOf(calendar, "x-wr-calname"), ["Roads, Rails; \\"]);
    assertEquals(valuesOf(calendar, "source"), [`https://example.com:8443${site}/calendar.ics`]);
    assertEquals(valuesOf(calendar, "url"), [`https://example.com:8443${site}/`]);
    const [event] = events;
    assertEquals(valuesOf(event!, "uid"), [`${item.release_item_id}@example.com`]);
    assertEquals(valuesOf(event!, "dtstart"), ["2026-11-30"]);
    assertEquals(event!.getFirstProperty("dtstart")!.type, "date");
    assertEquals(valuesOf(event!, "transp"), ["TRANSPARENT"]);
    const [start, end] = ["dtstart", "dtend"].map((name) => String(valuesOf(event!, name)[0]));
    assertEquals(Date.parse(end!) - Date.parse(start!), 86_400_000);
    assertEquals(valuesOf(event!, "summary"), ["Sign-in; with, passkeys & more (Product)"]);
    assertEquals(valuesOf(event!, "categories"), ["Product", "General availability", "Planned"]);
    assertEquals(valuesOf(event!, "url"), [
      `https://example.com:8443${site}/release/${item.release_item_id}`,
    ]);
    assertEquals(valuesOf(event!, "sequence"), ["2"]);
    assertEquals(valuesOf(event!, "last-modified"), ["2026-07-10T00:00:00Z"]);
    assertEquals(valuesOf(event!, "dtstamp"), ["2026-07-10T00:00:00Z"]);
    assertEquals(valuesOf(event!, "status"), []);
  }
  assertEquals(valuesOf(a.calendar, "refresh-interval"), ["PT240M"]);
  assertEquals(valuesOf(b.calendar, "refresh-interval"), ["PT30M"]);
  assertEquals(valuesOf(a.events[0]!, "description"), [
    "Release date: Q4 2026\nPlanned, General availability",
  ]);
  assertEquals(valuesOf(b.events[0]!, "description"), ["Planned, General availability"]);
});

testOnDatabases(
  "A calendar says which day of its quarter stands for a release",
  async (database) => {
    const dates = ["Q1 2026", "2026-01-31", "2026-02"];
    await using app = await serve(
      database,
      dates.map((date, n) => makeItem(n, { release_date: date })),
    );
    const { calendar, events } = await readCalendar(app, "/calendar.ics");
    assertEquals(valuesOf(calendar, "description"), [
      "Release dates. Each release is shown on the day its source gives, or on the last day of the quarter, month " +
      "or year.",
    ]);
    assertEquals(
      events.map((event) => [
        valuesOf(event, "dtstart")[0],
        valuesOf(event, "description")[0]!.split("\n")[0],
      ]),
      ["2026-01-31", "2026-02-28", "2026-03-31"].map((day) => [day, "Release date: Q1 2026"]),
    );
  },
);

testOnDatabases("A removed release is cancelled for 90 days", async (database) => {
  await importRemoved(database, "2026-04-21");
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  const statesAt = async (path: string) =>
    (await readCalendar(app, path)).events.map((event) => [
      valuesOf(event, "summary")[0],
      valuesOf(event, "status")[0],
    ]);
  const standing = [["Feature 1 (Product)", undefined], ["Feature 2 (Product)", undefined]];
  const withCancelled = [...standing, ["Removed: Feature 3 (Product)", "CANCELLED"]];
  for (const path of ["/calendar.ics", "/calendar.ics?release_status=Planned&q=feature"]) {
    app.setClock("2026-07-20T23:00:00Z");
    assertEquals(await statesAt(path), withCancelled);
    app.setClock("2026-07-21T01:00:00Z");
    assertEquals(await statesAt(path), standing);
  }
  assertEquals(await statesAt("/calendar.ics?include_inactive=true"), withCancelled);
  assertEquals(await statesAt("/b/calendar.ics?include_inactive=true"), standing);
  app.setClock("2026-07-20T01:00:00Z");
  assertEquals(await statesAt("/b/calendar.ics?limit=1999"), withCancelled);
  const { events } = await readCalendar(app, "/calendar.ics");
  assertEquals(events.flatMap((event) => valuesOf(event, "sequence")), ["1", "1", "2"]);
});

testOnDatabases(
  "On the day of its removal only the name of a release says so",
  async (database) => {
    await importRemoved(database, "2026-07-20");
    await using app = await startApp(database);
    const stateOf = async () => {
      const { events } = await readCalendar(app, "/calendar.ics");
      const last = events.at(-1)!;
      return [valuesOf(last, "summary")[0], valuesOf(last, "status")[0]];
    };
    app.setClock("2026-07-20T23:00:00Z");
    assertEquals(await stateOf(), ["Removed: Feature 3 (Product)", undefined]);
    app.setClock("2026-07-21T01:00:00Z");
    assertEquals(await stateOf(), ["Removed: Feature 3 (Product)", "CANCELLED"]);
  },
);

testOnDatabases("A limited calendar has the releases nearest to today", async (database) => {
  const dates = ["2026-07-01", "2026-08-01", "2026-07-20", "2025-01-01", "2030-01-01", null];
  await importItems(
    database,
    dates.map((release_date, number) => makeItem(number, { release_date })),
  );
  await using app = await startApp(database);
  const datesAt = async (query: string) =>
    (await readCalendar(app, `/calendar.ics${query}`)).events
      .flatMap((event) => valuesOf(event, "dtstart"));
  const dated = dates.filter((date) => date !== null).sort();
  assertEquals(await datesAt(""), dated);
  assertEquals(await datesAt("?limit=9999999"), dated);
  assertEquals(await datesAt("?limit=1"), ["2026-07-20"]);
  assertEquals(await datesAt("?limit=0"), ["2026-07-20"]);
  assertEquals(await datesAt("?limit=3"), ["2026-07-01", "2026-07-20", "2026-08-01"]);
  assertEquals(await datesAt("?limit=4"), ["2025-01-01", ...dated.slice(1, 4)]);
  assertEquals(await datesAt("?release_date_from=Q3+2026&release_date_to=Q3+2026"), [
    "2026-07-01",
    "2026-07-20",
    "2026-08-01",
  ]);
  const refused = await app.fetch("/calendar.ics?limit=all");
  assertEquals(refused.status, 400);
  assertEquals((await refused.json()).errors[0].name, "limit");
});

slowOnDatabases(
  "A calendar has 1,000 events by default, up to 2,000 on request",
  async (database) => {
    await importItems(database, Array.from({ length: 2_010 }, (_, number) => makeItem(number)));
    const watched = watchDatabase(database);
    await using app = await startApp(watched);
    watched.takeCount();
    assertEquals((await readCalendar(app, "/calendar.ics")).events.length, 1_000);
    assertEquals(watched.takeCount(), 1, "one question, however many events");
    assertEquals((await readCalendar(app, "/calendar.ics?limit=2001")).events.length, 2_000);
  },
);

testOnDatabases("An empty calendar is valid and has a title", async (database) => {
  await using app = await serve(database, [makeItem(1, { release_date: null })]);
  for (const query of ["", "?product_name=R%26D,+or;+none&release_status=Shipped"]) {
    const { calendar, events } = await readCalendar(app, `/calendar.ics${query}`);
    assertEquals(events, []);
    assertEquals(valuesOf(calendar, "name"), [
      query ? "R&D, or; none, shipped · Roadcast" : "Roadcast",
    ]);
  }
});

slowOnDatabases("No text breaks out of its line, whatever it contains", async (database) => {
  const texts = [
    "x\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:forged",
    "a\u0001\u0008\u000b\u001f\u007f\u0085\u2028b ]]> <script>",
    "\u202eright to left, \u2066left open",
    'back\\slash, comma; semicolon: colon "quotes" ^ \\n',
    "é".repeat(500),
    `${"x".repeat(60)}${"😀".repeat(400)}`,
    `${"x".repeat(61)}${"漢".repeat(400)}`,
    "x".repeat(2_000),
    ...fc.sample(fc.string({ unit: "binary", minLength: 1, maxLength: 300 }), {
      seed: 11,
      numRuns: runs(80),
    }).map((text) => `x${text.replaceAll("\0", "")}`),
  ];
  await importItems(
    database,
    texts.map((text, number) =>
      makeItem(number, {
        feature_name: text,
        product_name: text.slice(0, 200).toWellFormed(),
        release_type: "Type, with; marks",
      })
    ),
  );
  await using app = await startApp(database, { SITE_NAME: texts[0]! });
  const read = await readCalendar(app, "/calendar.ics?product_name=%0D%0AX-FORGED:1&q=");
  assertEquals(read.calendar.getFirstProperty("x-forged"), null);
  const { events, calendar } = await readCalendar(app, "/calendar.ics");
  assertEquals(events.length, texts.length);
  assertEquals(valuesOf(calendar, "name")[0]!.split("\n").length, 4);
  const byUid = new Map(events.map((event) => [valuesOf(event, "uid")[0], event]));
  const clean = (text: string) =>
    text.toWellFormed().replace(/\p{Bidi_Control}/gu, "").replace(/[\s\p{Cc}]+/gu, " ").trim()
      .replace(/[\ufffe\uffff]/g, "");
  for (const [number, text] of texts.entries()) {
    const event = byUid.get(`${makeItem(number).release_item_id}@localhost`)!;
    const product = clean(text.slice(0, 200));
    assertEquals(valuesOf(event, "summary"), [`${clean(text)} (${product})`]);
    assertEquals(valuesOf(event, "categories"), [product, "Type, with; marks", "Planned"]);
  }
});

testOnDatabases("A calendar finds what the page finds, including by meaning", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await startEmbedded(database, settingsFor(server), [
    makeItem(1, { feature_name: "Rent an automobile", feature_description: null }),
    makeItem(2, { feature_name: "Night theme", feature_description: null }),
    makeItem(3, { feature_name: "Car", feature_description: null, release_date: null }),
  ]);
  assertEquals(summariesOf(await readCalendar(app, "/calendar.ics?q=vehicle")), [
    "Rent an automobile (Product)",
  ]);
  assertEquals(summariesOf(await readCalendar(app, "/calendar.ics?q=vehicle&limit=1")).length, 1);
});

testOnDatabases("A calendar is unchanged while the data is", async (database) => {
  await using app = await serve(database, [makeItem(1), makeItem(2, { release_date: "Q4 2026" })]);
  const first = await app.fetch("/calendar.ics");
  app.setClock("2026-07-28T09:00:00Z");
  const later = await app.fetch("/calendar.ics", {
    headers: { "If-None-Match": first.headers.get("etag")! },
  });
  assertEquals(later.status, 304);
  assert(first.headers.get("cache-control")!.startsWith("public, max-age=14400"));
});

testOnDatabases("An upcoming release has the requested alarms", async (database) => {
  const release = (number: number, more: Parameters<typeof makeItem>[1]) =>
    makeItem(number, { release_date: "2027-01-31", ...more });
  const releases = [
    release(1, { feature_name: "To come; soon" }),
    release(2, { feature_name: "Shipped", release_status: "Shipped" }),
    release(3, { feature_name: "Cancelled", release_status: "Cancelled" }),
    release(4, { feature_name: "Overdue", release_date: "2026-07-01" }),
    release(5, { feature_name: "Removed" }),
  ];
  await importItems(database, releases, { asOf: "2026-07-01" });
  await importItems(database, releases.slice(0, 4), { asOf: "2026-07-02" });
  await using app = await startApp(database);
  app.setClock("2026-07-10T12:00:00Z");
  const alarmsOf = (event: ReadCalendar["events"][number]) =>
    event.getAllSubcomponents("valarm").map((alarm) => ({
      action: valuesOf(alarm, "action"),
      trigger: valuesOf(alarm, "trigger"),
      description: valuesOf(alarm, "description"),
    }));
  const path = "/calendar.ics?alarm=P7D&alarm=PT12H&alarm=P2W&alarm=P7D";
  const { calendar, events } = await readCalendar(app, path);
  const description = ["To come; soon (Product)"];
  assertEquals(
    Object.fromEntries(events.map((event) => [valuesOf(event, "summary")[0], alarmsOf(event)])),
    {
      "To come; soon (Product)": ["-P2W", "-P7D", "-PT12H"].map((trigger) => ({
        action: ["DISPLAY"],
        trigger: [trigger],
        description,
      })),
      "Shipped (Product)": [],
      "Cancelled: Cancelled (Product)": [],
      "Overdue (Product)": [],
      "Removed: Removed (Product)": [],
    },
  );
  assertEquals(valuesOf(calendar, "source"), [
    "http://localhost:8000/calendar.ics?alarm=P2W&alarm=P7D&alarm=PT12H",
  ]);
  const without = await readCalendar(app, "/calendar.ics");
  assertEquals(without.events.flatMap(alarmsOf), []);
});

testOnDatabases("An invalid alarm is refused with a valid example", async (database) => {
  await using app = await startApp(database);
  for (const wrong of ["7", "P0D", "-P7D", "P7DT1H", "P1Y", "P1000D", "P7D\r\nX:1"]) {
    const response = await app.fetch(`/calendar.ics?alarm=${encodeURIComponent(wrong)}`);
    assertEquals(response.status, 400, wrong);
    const { detail } = await response.json();
    assertEquals(detail, "alarm must be a duration such as P7D, P2W or PT12H");
  }
  const many = await app.fetch("/calendar.ics?alarm=P1D&alarm=P2D&alarm=P3D&alarm=P4D");
  assertEquals([many.status, (await many.json()).detail], [
    400,
    "alarm must have at most 3 values",
  ]);
});
