import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { MAPPING } from "../../lib/import/mapping/fields.ts";
import { readSource } from "../../lib/import/read_source.ts";
import { describeProblem } from "../../lib/import/snapshot_error.ts";
import { TODAY } from "../support/app.ts";
import { itemsOf, testReading } from "../support/read_table.ts";
import { serveSource } from "../support/servers/source_server.ts";

const SHOWS = ["feature_name", "release_date", "dates"] as const;
/** Columns, the cells of a release, its day and its other dates. */
const TABLES: readonly (readonly [columns: string, cells: string, day: string, dates: object])[] = [
  [
    "Release date,Beta date,End of life",
    "2026-12-31,2026-09-30,Q4 2029",
    ...["2026-12-31", { "Beta": "2026-09-30", "End of life": "2029-12-31" }] as const,
  ],
  [
    "Release date,Rollout start,Launch owner,EOL",
    "2026-12-31,2026-11-30,2026-08-31,2029-12-31",
    ...["2026-12-31", { "Rollout start": "2026-11-30", "EOL": "2029-12-31" }] as const,
  ],
  ["Planned release date,GA date", "2026-12-31,2027-01-31", "2026-12-31", { "GA": "2027-01-31" }],
  // Days of the work stay where they are, and so does what is private.
  [
    "Release date,Beta start,Created,Preview (internal),Preview owner",
    "2026-12-31,2026-09-30,2026-01-01,2026-08-31,2026-08-31",
    ...["2026-12-31", {}] as const,
  ],
  // No day, no date.
  ["Release date,Preview", "2026-12-31,yes", "2026-12-31", {}],
];
testReading(
  "Columns of a table become named dates by their names",
  ...TABLES.map(([columns, cells, day, dates]) => ({
    of: `Title,Status,${columns}\nMaps,Planned,${cells}`,
    shows: SHOWS,
    is: [`Maps | ${day} | ${JSON.stringify(dates)}`],
  })),
  {
    // What stands in for the release date of a row is no date beside it.
    of: "Title,Status,Planned release date,GA date\n" +
      "Mail,Planned,2026-12-31,2027-03-31\nMaps,Planned,,2027-01-31",
    shows: SHOWS,
    is: ['Mail | 2026-12-31 | {"GA":"2027-03-31"}', "Maps | 2027-01-31 | {}"],
  },
);

const PILOT = "Title,Status,Release date,Pilot,eol\nMaps,Planned,2026-12-31,30.09.2026,never";
testReading(
  "A mapping names dates and their columns",
  {
    of: PILOT,
    fields: {
      dates: {
        "Early adopters": { from: "Pilot", format: "DD.MM.YYYY" },
        "End of life": { from: "eol", none: ["never"] },
      },
    },
    shows: SHOWS,
    is: ['Maps | 2026-12-31 | {"Early adopters":"2026-09-30"}'],
  },
  { of: PILOT, fields: { dates: { "End of life": "eol" } }, refused: /"eol" is "never"/ },
  {
    of: PILOT,
    fields: { dates: { Beta: "Beta date" } },
    refused: /the mapping takes the date "Beta" from "Beta date", but that column does not exist/,
  },
);

/** The dates of a release on the second page of an API, or why it is refused. */
async function readJson(dates: unknown, fields: unknown = {}): Promise<unknown> {
  const title = { title: "Maps", status: "Planned", due: "2026-12-31" };
  const pages = [[{ ...title, title: "Mail" }], [{ ...title, dates }]];
  await using server = serveSource((_, { searchParams }) => {
    const page = Number(searchParams.get("page") ?? 0);
    return Response.json({ list: pages[page], next: page === 0 ? "?page=1" : null });
  });
  const reading = (await readSource(`${server.url}/list`, {
    asOf: TODAY,
    kind: "json",
    pausesMs: [],
    api: { items: "/list", pages: { next: "/next" } },
    fields: MAPPING.parse(fields),
  }))!;
  const problems = reading.problems.kept.map(describeProblem).join("\n");
  return problems || itemsOf(reading)[1]!.dates;
}

Deno.test("Items of any JSON may have an object of dates", async () => {
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
  assertEquals(await readJson({ ...preview, range: { from: "2026-01-01" } }), {});
  assertEquals(await readJson(preview, { dates: {} }), {});
  const many = Array.from({ length: 21 }, (_, place) => [`Ring ${place}`, "2026-09-30"]);
  for (
    const [dates, reason] of [
      [{ Preview: "soon" }, /"dates\.Preview" is "soon", which is not a date/],
      [{ ["x".repeat(61)]: "2026-09-30" }, /longer than 60 characters/],
      [{ ...preview, preview: "2026-10-31" }, /"Preview" and "preview", which are one name/],
      [Object.fromEntries(many), /"dates" has more than 20 dates/],
    ] as const
  ) match(String(await readJson(dates)), reason);
});
