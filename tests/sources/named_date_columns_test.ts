import { deepStrictEqual as assertEquals, rejects } from "node:assert/strict";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { MAPPING } from "../../lib/import/mapping/fields.ts";
import { startApp, TODAY } from "../support/app.ts";
import { emptyDatabase, testOnDatabases } from "../support/databases.ts";

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
