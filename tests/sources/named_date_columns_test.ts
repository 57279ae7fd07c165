import { deepStrictEqual as assertEquals, rejects } from "node:assert/strict";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { MAPPING } from "../../lib/import/mapping/fields.ts";
import { startApp, TODAY } from "../support/app.ts";
import { emptyDatabase, testOnDatabases } from "../support/databases.ts";
import { serveSource } from "../support/servers/source_server.ts";

/** Imports a table, and what its first release has: its date, and its named ones. */
async function read(
  database: Parameters<typeof emptyDatabase>[0],
  rows: string[],
  fields?: unknown,
) {
  await emptyDatabase(database);
  const file = await Deno.makeTempFile({ suffix: ".csv" });
  try {
    await Deno.writeTextFile(file, rows.join("\n"));
    await importLocation(database, file, {
      asOf: TODAY,
      fields: fields === undefined ? undefined : MAPPING.parse(fields),
    });
  } finally {
    await Deno.remove(file);
  }
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  const { data: [item] } = await app.json("/b/api/releases?q=Maps");
  return [item.release_date, item.dates];
}

testOnDatabases("Columns of a table become named dates by their names", async (database) => {
  const tables: [rows: string[], expected: unknown[]][] = [
    [
      [
        "Title,Status,Release date,Beta date,End of life",
        "Maps,Planned,2026-12-31,2026-09-30,Q4 2029",
      ],
      ["2026-12-31", { "Beta": "2026-09-30", "End of life": "2029-12-31" }],
    ],
    [
      [
        "Title,Status,Release date,Rollout start,Launch owner,EOL",
        "Maps,Planned,2026-12-31,2026-11-30,2026-08-31,2029-12-31",
      ],
      ["2026-12-31", { "Rollout start": "2026-11-30", "EOL": "2029-12-31" }],
    ],
    [
      ["Title,Status,Planned release date,GA date", "Maps,Planned,2026-12-31,2027-01-31"],
      ["2026-12-31", { "GA": "2027-01-31" }],
    ],
    // What stands in for the release date of a row is no date beside it.
    [
      [
        "Title,Status,Planned release date,GA date",
        "Mail,Planned,2026-12-31,2027-03-31",
        "Maps,Planned,,2027-01-31",
      ],
      ["2027-01-31", undefined],
    ],
    // Days of the work stay where they are, and so does what is private.
    [
      [
        "Title,Status,Release date,Beta start,Created,Preview (internal),Preview owner",
        "Maps,Planned,2026-12-31,2026-09-30,2026-01-01,2026-08-31,2026-08-31",
      ],
      ["2026-12-31", undefined],
    ],
    // No day, no date.
    [["Title,Status,Release date,Preview", "Maps,Planned,2026-12-31,yes"], [
      "2026-12-31",
      undefined,
    ]],
  ];
  for (const [rows, expected] of tables) {
    assertEquals(await read(database, rows), expected, rows[0]);
  }
});

testOnDatabases("A mapping names dates and their columns", async (database) => {
  const rows = ["Title,Status,Release date,Pilot,eol", "Maps,Planned,2026-12-31,30.09.2026,never"];
  const fields = {
    dates: {
      "Early adopters": { from: "Pilot", format: "DD.MM.YYYY" },
      "End of life": { from: "eol", none: ["never"] },
    },
  };
  assertEquals(await read(database, rows, fields), ["2026-12-31", {
    "Early adopters": "2026-09-30",
  }]);
  await rejects(
    read(database, rows, { dates: { "End of life": "eol" } }),
    /"eol" is "never"/,
  );
  await rejects(
    read(database, rows, { dates: { Beta: "Beta date" } }),
    /the mapping takes the date "Beta" from "Beta date", but that column does not exist/,
  );
});

testOnDatabases("Items of any JSON may have an object of dates", async (database) => {
  const title = { title: "Maps", status: "Planned", due: "2026-12-31" };
  const readJson = async (dates: unknown, fields?: unknown) => {
    await emptyDatabase(database);
    const pages = [[{ ...title, title: "Mail" }], [{ ...title, dates }]];
    await using server = serveSource((_, { searchParams }) => {
      const page = Number(searchParams.get("page") ?? 0);
      return Response.json({ list: pages[page], next: page === 0 ? "?page=1" : null });
    });
    await importLocation(database, `${server.url}/list`, {
      asOf: TODAY,
      kind: "json",
      pausesMs: [],
      api: { items: "/list", pages: { next: "/next" } },
      fields: fields === undefined ? undefined : MAPPING.parse(fields),
    });
    await using app = await startApp(database, { ROADMAP_VARIANT: "B" });
    return (await app.json("/api/releases?q=Maps")).data[0].dates;
  };
  const preview = { Preview: "2026-09-30" };
  assertEquals(await readJson({ ...preview, "End of life": "Q4 2029", Beta: null }), {
    ...preview,
    "End of life": "2029-12-31",
  });
  // Days of the work, and objects of another shape, are not published.
  assertEquals(
    await readJson({ ...preview, created: "2026-01-01", started: "2026-02-01" }),
    preview,
  );
  assertEquals(await readJson({ ...preview, range: { from: "2026-01-01" } }), undefined);
  assertEquals(await readJson(preview, { dates: {} }), undefined);
  const many = Array.from({ length: 21 }, (_, place) => [`Ring ${place}`, "2026-09-30"]);
  for (
    const [dates, reason] of [
      [{ Preview: "soon" }, /"dates\.Preview" is "soon", which is not a date/],
      [{ ["x".repeat(61)]: "2026-09-30" }, /longer than 60 characters/],
      [{ ...preview, preview: "2026-10-31" }, /"Preview" and "preview", which are one name/],
      [Object.fromEntries(many), /"dates" has more than 20 dates/],
    ] as const
  ) await rejects(readJson(dates), reason);
});
