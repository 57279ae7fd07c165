import { deepStrictEqual as assertEquals, match, rejects } from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { emptyDatabase, testOnDatabases } from "../support/databases.ts";
import { startDigests } from "../support/subjects/digests.ts";

const ID = makeItem(1).release_item_id as string;

type Dates = Record<string, string | null>;

/** A release with named dates, planned for a day that others do not move. */
const dated = (dates: Dates, fields: Record<string, unknown> = {}) =>
  makeItem(1, { last_modified: null, release_date: "2026-12-31", dates, ...fields });

/**
 * What becomes of a release that is imported on 10 July and again on 15 July: what variant A says of
 * it, and its kinds in variants A and B.
 */
const CHANGES: [before: Dates, after: Dates, a: string[], kinds: string[], kindsOfB?: string[]][] =
  [
    [{ Preview: "2026-08-31" }, { Preview: "2026-08-31" }, [], []],
    [{ Preview: "2026-08-31" }, { Preview: "2026-11-30" }, [
      "Date (Preview) 2026-08-31 -> 2026-11-30",
    ], ["slipped"]],
    [{ Preview: "2026-11-30" }, { Preview: "2026-08-31" }, [
      "Date (Preview) 2026-11-30 -> 2026-08-31",
    ], ["earlier"]],
    // Variant A shows quarters: within one nothing has moved.
    [
      { Preview: "2026-08-31" },
      { Preview: "2026-09-30" },
      ["Date (Preview) 2026-08-31 -> 2026-09-30"],
      ["edited"],
      ["slipped"],
    ],
    [{}, { Retirement: "2029-12-31" }, ["Date (Retirement) (none) -> 2029-12-31"], ["dated"]],
    [{ Retirement: "2029-12-31" }, {}, ["Date (Retirement) 2029-12-31 -> (none)"], ["edited"]],
    // What lies in the past is no promise.
    [{ Preview: "2026-03-31" }, { Preview: "2026-06-30" }, [
      "Date (Preview) 2026-03-31 -> 2026-06-30",
    ], ["edited"]],
    [{}, { Preview: "2026-03-31" }, ["Date (Preview) (none) -> 2026-03-31"], ["edited"]],
    // It was missed, and has a new day to come.
    [{ Preview: "2026-06-30" }, { Preview: "2026-09-30" }, [
      "Date (Preview) 2026-06-30 -> 2026-09-30",
    ], ["slipped"]],
    [
      { Preview: "2026-08-31", Retirement: "2029-12-31" },
      { Preview: "2026-11-30", Retirement: "2028-12-31" },
      ["Date (Preview) 2026-08-31 -> 2026-11-30", "Date (Retirement) 2029-12-31 -> 2028-12-31"],
      ["slipped", "earlier"],
    ],
  ];

testOnDatabases(
  "A change of a named date is listed by its name, with its kind",
  async (database) => {
    for (const [before, after, a, kinds, kindsOfB = kinds] of CHANGES) {
      await emptyDatabase(database);
      await importItems(database, [dated(before)], { asOf: "2026-07-10" });
      const counts = await importItems(database, [dated(after)], { asOf: "2026-07-15" });
      assertEquals(counts.changed, a.length > 0 ? 1 : 0, JSON.stringify(after));
      await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
      const historyAt = async (path: string) =>
        (await app.json(`${path}/api/releases/history/${ID}`)).map((
          { changed_columns }: { changed_columns: string | string[] },
        ) => changed_columns).slice(0, -1);
      assertEquals(await historyAt(""), a);
      assertEquals(await historyAt("/b"), a.length > 0 ? [["Dates"]] : []);
      for (const [path, expected] of [["", kinds], ["/b", kindsOfB]] as const) {
        const { data } = await app.json(`${path}/api/changes`);
        assertEquals(data.slice(1).flatMap((entry: { kinds: string[] }) => entry.kinds), expected);
      }
      const past = await app.json("/api/releases?as_of=2026-07-12");
      await emptyDatabase(database);
      await importItems(database, [dated(before)], { asOf: "2026-07-10" });
      const { data: [expected] } = await app.json("/api/releases");
      assertEquals(past.data, [expected]);
    }
  },
);

testOnDatabases("Where the release date moves, it decides", async (database) => {
  await importItems(database, [dated({ Preview: "2026-08-31" })], { asOf: "2026-07-10" });
  await importItems(database, [dated({ Preview: "2026-11-30" }, { release_date: "2026-09-30" })], {
    asOf: "2026-07-15",
  });
  await using app = await startApp(database);
  const { data } = await app.json("/api/changes");
  assertEquals(data[1].kinds, ["earlier"]);
  assertEquals(data[1].fields, [{ field: "release_date", old: "Q4 2026", new: "Q3 2026" }, {
    field: "dates",
    name: "Preview",
    old: "Q3 2026",
    new: "Q4 2026",
  }]);
});

testOnDatabases("A variant writes named dates as it writes the release date", async (database) => {
  const dates = { " Private\u00a0 preview ": "2026-05-31", Preview: "2026-09-30", Beta: null };
  await using app = await serve(database, [dated(dates), makeItem(2)], { ROADMAP_VARIANT: "both" });
  const datesAt = async (path: string) => {
    const { data } = await app.json(`${path}/api/releases?order=asc`);
    const find = (id: unknown) =>
      data.find(({ release_item_id }: { release_item_id: unknown }) => release_item_id === id);
    assertEquals("dates" in find(makeItem(2).release_item_id), false);
    return find(ID).dates;
  };
  assertEquals(await datesAt(""), { "Private preview": "Q2 2026", "Preview": "Q3 2026" });
  assertEquals(await datesAt("/b"), { "Private preview": "2026-05-31", "Preview": "2026-09-30" });
});

testOnDatabases("Invalid named dates are refused", async (database) => {
  const wrong: [unknown, RegExp][] = [
    [["2026-09-30"], /"dates" must be an object such as \{"Preview": "2026-09-30"\}/],
    [{ Preview: "soon" }, /"dates\.Preview" is "soon"/],
    [{ Preview: 7 }, /"dates\.Preview" must be text or null/],
    [{ " ": "2026-09-30" }, /"dates" must have names that are texts/],
    [{ ["x".repeat(61)]: "2026-09-30" }, /which is longer than 60 characters/],
    [
      { Preview: "2026-09-30", preview: "2026-12-31" },
      /"dates" has "Preview" and "preview", which are one name/,
    ],
    [
      Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`Date ${at}`, "2026-09-30"])),
      /"dates" has more than 20 dates/,
    ],
  ];
  for (const [dates, reason] of wrong) {
    await rejects(importItems(database, [makeItem(1, { dates })]), reason);
  }
});

/** Three releases with a preview and an end of life, and a fourth with neither. */
const named = (dates: Dates) => [1, 2, 3].map((n) => makeItem(n, { last_modified: null, dates }));

testOnDatabases("A name that vanishes from a whole source is refused", async (database) => {
  const both = { Preview: "2026-09-30", "End of life": "2029-12-31" };
  await importItems(database, [...named(both), makeItem(4)], { asOf: "2026-07-10" });
  const renamed = [...named({ Preview: "2026-09-30", EOL: "2029-12-31" }), makeItem(4)];
  await rejects(
    importItems(database, renamed, { asOf: "2026-07-15" }),
    /No item of the snapshot has a date "End of life" any more, which 3 of its active items have/,
  );
  const counts = await importItems(database, renamed, {
    asOf: "2026-07-15",
    allowMassRemoval: true,
  });
  assertEquals(counts.changed, 3);
  // What one release still has is no lost name, and neither is that of releases which are gone.
  const [one, ...others] = named({ Preview: "2026-09-30" });
  const left = [makeItem(1, { ...one, dates: { EOL: "2029-12-31" } }), ...others, makeItem(4)];
  assertEquals((await importItems(database, left, { asOf: "2026-07-16" })).changed, 3);
});

testOnDatabases(
  "A column or a ring that vanishes from a whole source is refused",
  async (database) => {
    const row = (n: number, more: Record<string, unknown>) => ({ Title: `Row ${n}`, ...more });
    const rows = (more: Record<string, unknown>) =>
      [1, 2, 3].map((n) => row(n, { Status: "Planned", "Release date": "2026-12-31", ...more }));
    const csv = (more: Record<string, unknown>) => {
      const [first, ...others] = rows(more);
      return [Object.keys(first!), ...[first!, ...others].map(Object.values)].join("\n");
    };
    const m365 = (publicPreviewDate: string) =>
      JSON.stringify(
        [1, 2, 3].map((id) => ({
          ...{
            id,
            title: `Row ${id}`,
            description: "",
            status: "In development",
            publicPreviewDate,
          },
          publicDisclosureAvailabilityDate: "December CY2026",
          tagsContainer: { products: [], cloudInstances: [], releasePhase: [], platforms: [] },
        })),
      );
    const before = { dates: { Preview: "2026-09-30" } };
    const sources: [name: string, had: string, has: string][] = [
      ["json", JSON.stringify(rows(before)), JSON.stringify(rows({ dates: {} }))],
      ["csv", csv({ "Preview date": "2026-09-30" }), csv({ "Another day": "2026-09-30" })],
      ["m365", m365("September CY2026"), m365("")],
    ];
    for (const [name, had, has] of sources) {
      await emptyDatabase(database);
      const file = await Deno.makeTempFile({ suffix: name === "csv" ? ".csv" : ".json" });
      const read = (text: string) => {
        Deno.writeTextFileSync(file, text);
        return importLocation(database, file, { kind: name as "csv", asOf: "2026-07-20" });
      };
      assertEquals((await read(had)).added, 3, name);
      await rejects(
        read(has),
        /No item of the snapshot has a date "(Public )?[Pp]review" any more, which 3/,
        name,
      );
      await Deno.remove(file);
    }
  },
);

testOnDatabases("What was said before named dates were read is no news", async (database) => {
  await importItems(database, named({}), { asOf: "2026-07-10" });
  // As an earlier version leaves it.
  await database.query(sql`update import_runs set reads_dates = false`);
  const counts = await importItems(database, named({ Preview: "2026-08-31" }), {
    asOf: "2026-07-15",
  });
  assertEquals([counts.changed, counts.unchanged], [0, 3]);
  await using app = await startApp(database);
  const { data } = await app.json("/api/releases");
  assertEquals(
    data.map((item: Record<string, unknown>) => [item.dates, item.last_modified]),
    data.map(() => [{ Preview: "Q3 2026" }, "2026-07-10"]),
  );
  assertEquals((await app.json("/api/changes")).data.length, 3);
  await importItems(database, named({ Preview: "2026-11-30" }), { asOf: "2026-07-16" });
  const after = (await app.json("/api/changes")).data.slice(3);
  assertEquals(after.map(({ kinds }: { kinds: string[] }) => kinds), Array(3).fill(["slipped"]));
});

testOnDatabases("A table has a column for each name, and reads them back", async (database) => {
  const dates = [{ Preview: "2026-08-31", "End of life": "2029-12-31" }, { Preview: "2026-09-30" }];
  await using app = await serve(
    database,
    [1, 2, 3].map((n) => makeItem(n, { dates: dates[n - 1] ?? {} })),
    { ROADMAP_VARIANT: "both" },
  );
  const file = await Deno.makeTempFile({ suffix: ".csv" });
  const importTable = (table: string) => {
    Deno.writeTextFileSync(file, table);
    return importLocation(database, file, { asOf: "2026-07-20" });
  };
  for (const [path, cell] of [["", "Q3 2026"], ["/b", "2026-08-31"]] as const) {
    const table = await (await app.fetch(`${path}/releases.csv`)).text();
    assertEquals(table.split("\r\n")[0]!.endsWith(",Date: End of life,Date: Preview"), true);
    assertEquals((await importTable(table)).unchanged, 3);
    await rejects(
      importTable(table.replace(`,${cell}\r\n`, ",soon\r\n")),
      /"Date: Preview" is "soon"/,
    );
  }
  await importItems(database, [makeItem(1, { dates: dates[1] })], {
    asOf: "2026-07-21",
    partial: true,
  });
  const changes = await (await app.fetch("/b/changes.csv")).text();
  assertEquals(
    [/,Date \(Preview\),2026-08-31,2026-09-30/, /,Date \(End of life\),2029-12-31,\r/].map((row) =>
      row.test(changes)
    ),
    [true, true],
  );
  await Deno.remove(file);
});

testOnDatabases(
  "A digest says which named date moved, and the page of a release has it",
  async (database) => {
    await importItems(database, [dated({ Preview: "2026-09-30" })], { asOf: "2026-07-10" });
    await using services = await startDigests(database);
    await services.verify("ann@example.com");
    await importItems(database, [dated({ Preview: "2026-11-30" })], { asOf: "2026-07-15" });
    const [mail] = await services.digest();
    match(mail!.text!, /Preview Q3 2026 → Q4 2026/);
    const release = await (await services.app.fetch(`/roadmap/release/${ID}`)).text();
    match(release, /<dt><bdi>Preview<.{0,60}Q4 2026/);
  },
);
