import { deepStrictEqual as assertEquals, match, ok as assert, rejects } from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import { readRuns } from "../../lib/import/import_runs_sql.ts";
import { importText } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { TOOL_FILES } from "../support/tool_files.ts";
import { type ReadCase, readTable, testReading } from "../support/read_table.ts";

testReading("A column whose name is unknown is found by its words and values, and that is said", {
  name: "excel-portfolio.csv",
  of: await Deno.readFile(new URL("excel-portfolio.csv", TOOL_FILES)),
  notes: /"Forecast go live" as release_date.*; a mapping may name others/,
}, {
  // A column of days without a word for it is named only.
  of: "Key,Title,Status,Wann\n1,A,Planned,2026-09-30\n2,B,Planned,2026-12-31\n",
  is: ["A | My source | planned | -", "B | My source | planned | -"],
  notes: /No column of dates was found.*"Wann" has days in 2 of 2 rows: {"release_date":"Wann"}/,
}, {
  // Neither the day of creation nor that of a review is planned.
  of: "Key,Title,Status,Start,Last review\n1,A,Planned,2026-01-02,2026-02-03\n",
  is: ["A | My source | planned | -"],
});

testReading(
  "A header may have remarks, and an empty column hides none that is filled",
  ...[
    "Key *,Title [required],Status (RAG),Due date (YYYY-MM-DD)\n1,A,Planned,2026-09-30\n",
    "Key,Title,Status,Due date,Target date,Finish\n1,A,Planned,,2026-09-30,2026-01-01\n",
    "Key,Title,Status,Due date,Finish\n1,A,Planned,,2026-09-30\n",
  ].map((of) => ({ of, is: ["A | My source | planned | 2026-09-30"] })),
);

testReading("Blanks and signs of no width make no second product, status or tag", {
  of: "Key,Title,Product,Status\n" +
    "1,A,Widgets,In  development\n2, B\u200b,Widgets ,In\u00a0development\u200b\n" +
    "3,C 👨‍👩‍👧,\u00a0Widgets\ufeff,In development \n",
  shows: ["feature_name", "product_name", "release_status"],
  is: ["A", "B", "C 👨‍👩‍👧"].map((name) => `${name} | Widgets | In development`),
});

const NONE = ["when it\u00a0is done", "later\u200b", "\u2003Later", "When  it is done"];
testReading("A word of none is found whatever blanks stand in it", {
  of: "Key,Title,Status,Due\n" + NONE.map((word, at) => `${at},${at},Planned,${word}\n`).join(""),
  fields: { release_date: { from: "Due", none: ["when it is done", "later"] } },
  is: NONE.map((_, at) => `${at} | My source | planned | -`),
});

testReading("Columns of one name are said where a release has one value", {
  of: "Key,Title,Status,Status,Labels,Labels\n1,A,In progress,Done,x,y\n2,B,Planned,,x,y\n",
  notes: new RegExp(
    '^2 columns are named "Status": 1 row has the values of several as release_status, such as ' +
      '"In progress, Done"; rename those that are not meant$',
    "m",
  ),
}, { of: "Key,Title,Status,Status\n1,A,In progress,\n2,B,,Planned\n", notes: [] });

testReading("A version is no day, and refuses no table", {
  of: "Issue key,Issue id,Summary,Status,Fix Version/s\nW-1,1,A,To Do,10.2.11\n" +
    "W-2,2,B,To Do,10.3.0\nW-3,3,C,To Do,Q3 2026\nW-4,4,D,To Do,2026-09-30\nW-5,5,E,To Do,2026.1\n",
  shows: ["feature_name", "release_date"],
  is: ["A | -", "B | -", "C | 2026-09-30", "D | 2026-09-30", "E | -"],
  notes: /"Fix Version\/s": 3 values cannot be read as a date, such as "10.2.11"/,
});

const calendarOf = (...lines: string[]) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", ...lines, "END:VCALENDAR", ""].join("\r\n");
const event = (uid: string, ...more: string[]) => [
  ...["BEGIN:VEVENT", `UID:${uid}`, `SUMMARY:Event ${uid}`, "DTSTART;VALUE=DATE:20261201"],
  ...[...more, "END:VEVENT"],
];
testReading("What is not public is left out, whatever says so", {
  of: "Key,Title,Status,Visibility\n1,A,Planned,Public\n2,B,Planned,Internal\n",
  leftOut: { "not public": 1 },
}, {
  name: "plan.ics",
  of: calendarOf(
    ...event("1"),
    ...event("2", "CLASS:PRIVATE"),
    ...event("3", "CLASS:CONFIDENTIAL"),
    ...event("4", "CLASS:PUBLIC"),
  ),
  shows: ["feature_name"],
  is: ["Event 1", "Event 4"],
  leftOut: { private: 2 },
}, {
  of: [
    { number: 1, title: "A", state: "open", html_url: "x" },
    { number: 2, title: "B", state: "open", html_url: "y", pull_request: { url: "z" } },
  ],
  is: ["A | My source | planned | -"],
  leftOut: { "pull request": 1 },
});

testReading("Titles of sections, sums and feet of groups are no releases", {
  of: "Key,Folder,Task,Status,Due\nF-1,/Comfort,,,\nT-1,/Comfort,Dark mode,Active,2026-09-30\n",
  is: ["Dark mode | My source | in_progress | 2026-09-30"],
  leftOut: { "group title": 1 },
}, {
  of: "ID,Task,Status,Due,Effort\n,Comfort,,,12\n1,Dark mode,Active,2026-09-30,12\n,Total,4,,24\n",
  is: ["Dark mode | My source | in_progress | 2026-09-30"],
  leftOut: { "group title": 1, "sum": 1 },
}, {
  of: "Name,Person,Status,Product,Due date\nDark mode,Ana,Working on it,Widgets,2026-09-30\n" +
    "Offline maps,,,Widgets,2027-03-31\n,,0/2,,\n",
  is: [
    "Dark mode | Widgets | in_progress | 2026-09-30",
    "Offline maps | Widgets | planned | 2027-03-31",
  ],
  leftOut: { sum: 1 },
});

testReading("A column that was found by its name and has other values refuses nothing", {
  of: "Key,Title,Status,Active\n1,A,Planned,120 users\n2,B,Planned,80 users\n",
  is: ["A | My source | planned | -", "B | My source | planned | -"],
  notes: /"Active": 2 values cannot be read as yes or no, such as "120 users"/,
});

const HEAD = "Key,Title,Product,Status\n";
const ids = (of: string) => ({ of, shows: ["release_item_id"] as const });
const ID_1 = (await readTable("a.csv", `${HEAD}001,A,W,Planned\n`)).items[0]!.release_item_id;
testReading(
  "Marks in cells are read as other programs read them, or named",
  { of: `${HEAD}R-1,24" monitor,W,Planned\n`, is: ['24" monitor | W | planned | -'] },
  { of: `${HEAD}R-1,"Say \\"hi\\", twice",W,Planned\n`, is: ['Say "hi", twice | W | planned | -'] },
  { ...ids(`${HEAD}="001",A,W,Planned\n`), is: [ID_1] },
  {
    of: `${HEAD}R-1,"Big" screen,W,Planned\n`,
    refused:
      /a quotation mark stands inside of a cell that begins with one: write it twice, row 2, in "/,
  },
  { of: "sep=|\nKey|Title|Product|Status\nR-1|A|W|Planned\n", is: ["A | W | planned | -"] },
);

testReading("A cell that says null is empty, but for a name", {
  of: "Task ID,Task Name,Task Content,Status,Space Name\n1,A,null,Open,NULL\n2,null,Text,null,W\n",
  shows: ["feature_name", "feature_description", "product_name"],
  is: ["A | - | My source", "null | Text | W"],
});

testReading("Moments of older programs of .NET are days", {
  name: "plan.json",
  of: String.raw`[{"id":1,"title":"A","status":"Planned","due":"\/Date(1767225600000)\/"}]`,
  is: ["A | My source | planned | 2026-01-01"],
});

/** An error says what it is, and nobody advises a removal. */
const ERRORS: readonly ReadCase[] = [
  ["plan.xml", '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'],
  ["plan.rss", "<error>Access denied</error>"],
  ["plan.atom", "<html><body>Sign in</body></html>"],
].flatMap(([name, of]) =>
  [undefined, "feed" as const].map((kind) => ({
    ...{ of: of!, name, kind },
    refused: /^Cannot read (?!.*(?:has no items|removal|anyway))/,
  }))
);
testReading(
  "What is no table is refused in words that help, and nobody advises a removal",
  {
    of: "<!DOCTYPE html><html><body>Sign in</body></html>",
    refused:
      /it is an HTML page, not JSON, NDJSON or CSV: save its table as CSV or as a spreadsheet/,
  },
  {
    of: "Employee,Salary,Room\n",
    refused: /no column found for feature_name \(columns are "Employee"/,
  },
  {
    of: { issues: [], errorMessages: ["Issues cannot be seen"] },
    refused: /Issues cannot be seen/,
  },
  { of: { data: [], errors: [{ message: "Token expired" }] }, refused: /says: Token expired/ },
  { of: { items: [], warnings: ["Your plan ended"] }, refused: /says: Your plan ended/ },
  ...[[], ["BEGIN:VJOURNAL", "UID:1", "SUMMARY:A", "END:VJOURNAL"]].map((lines) => ({
    name: "plan.ics",
    of: calendarOf(...lines),
    refused: /plan\.ics: the calendar has no events and no to-dos$/,
  })),
  ...ERRORS,
  {
    of: "Now,Next,Later\nDark mode,Offline maps,\n",
    refused: /"Now", "Next", "Later" are columns, but a table has a row for each/,
  },
  { of: "Key,Title,Status\n1,,Planned\n2,,Planned\n", refused: ['"Title" is empty in every row'] },
);

const data = [{ id: 1, title: "A", status: "Planned" }];
testReading(
  "A page of more is never taken for the whole, wherever that stands",
  ...[
    { meta: { pagination: { total: 250 } } },
    { links: [{ rel: "self", href: "/f" }, { rel: "next", href: "/f?page=2" }] },
    { link: [{ relation: "next", url: "/f?page=2" }] },
    { pages: { next: "https://example.com/f?page=2" } },
    { page: 1, total_pages: 3 },
    { result: { paging: { current_page: 2, last_page: 4 } } },
  ].map((about) => ({ of: { data, ...about }, refused: /it is one page of more/ })),
  ...[
    { data, meta: { page: 3, pages: 3, config: { next: "Q4" } }, stats: { total: 1 } },
    { data: { issues: { nodes: data } } },
  ].map((of) => ({ of, is: ["A | My source | planned | -"] })),
);

/** Names as a source writes them, and as they are read. */
const NAMES: readonly (readonly [written: readonly string[], read: readonly string[]])[] = [
  [["It&#39;s &#x2F; here", "Plain", "Widgets &amp; Gadgets"], [
    "It's / here",
    "Plain",
    "Widgets & Gadgets",
  ]],
  // Once, and not where a sign stands for itself.
  [["Write &amp;amp; in HTML"], ["Write &amp; in HTML"]],
  [["AT&T;", "R&D", "Show &nbsp; in titles"], ["AT&T;", "R&D", "Show &nbsp; in titles"]],
];
testReading(
  "Names that a source writes as HTML are text, and others are what they are",
  ...NAMES.flatMap(([titles, is]) => {
    const rows = titles.map((title, id) => ({ id, title, status: "Planned" }));
    const lines = rows.map(({ id, title }) => `${id},"${title}",Planned\n`);
    const shows = ["feature_name"] as const;
    return [rows, `Key,Title,Status\n${lines.join("")}`].map((of) => ({ of, shows, is }));
  }),
  {
    of: "Title,Product,Status\nOne,R&amp;D,Planned\nTwo,A&amp;B,Planned\n",
    is: ["One | R&D | planned | -", "Two | A&B | planned | -"],
  },
);

const STAND = "Key,Title,Short,Stand,Group,Due,Quarter,Hidden,Archived\n" +
  "1,,One,Wave 1,Done,,Q3 2026,,\n" +
  "2,Two,2,Wave 2,In progress,Later,Q4 2026,,yes\n" +
  "3,Three,3,Wave 3,,2026-10-01,,,\n" +
  "4,Four,4,Wave 3,,,,x,\n";
const status = { from: "Stand", tone: "Group", tones: { "wave 3": "stopped" } };
testReading("A mapping names several columns, a column of categories, and full or empty cells", {
  of: STAND,
  fields: {
    feature_name: { from: ["Title", "Short"] },
    release_status: status,
    release_date: { from: ["Due", "Quarter"], none: ["later"] },
    // Speaking of a column replaces what it would leave out by itself.
    where: { Hidden: "", Archived: ["yes", ""], Short: "*" },
  },
  shows: ["feature_name", "tone", "tone_by", "release_date"],
  is: [
    "One | shipped | category | 2026-09-30",
    "Three | stopped | mapping | 2026-10-01",
    "Two | in_progress | category | -",
  ],
  leftOut: { "by the mapping": 1 },
}, {
  of: STAND,
  fields: { release_status: { ...status, tone: "Grop" } },
  refused:
    /the mapping takes the tone from "Grop", but that column does not exist: columns are "Key"/,
});

testOnDatabases(
  "Dates that prove no order are read in that of the source's last import",
  async (database) => {
    const read = async (...days: string[]) => {
      const rows = days.map((day, number) => `${number},Item ${number},P,Planned,${day}\n`);
      const text = `Key,Title,Product,Status,Due\n${rows.join("")}`;
      await importText(database, text, { sourceName: "sheet", allowMassRemoval: true });
      const found = await database.query<{ day: string }>(sql`
        select release_date::text as day from items where active order by feature_name
      `);
      return found.map(({ day }) => day);
    };
    await rejects(read("6/7/2026"), /may be 2026-07-06 or 2026-06-07.*"DD\/MM\/YYYY" or/);
    assertEquals(await read("6/7/2026", "31/12/2026"), ["2026-07-06", "2026-12-31"]);
    assertEquals(await read("6/7/2026"), ["2026-07-06"]);
    assertEquals(await read("2026-07-06"), ["2026-07-06"]);
    assertEquals(await read("5/6/2026"), ["2026-06-05"]);
    // What a file proves itself counts more.
    assertEquals(await read("5/6/2026", "12/31/2026"), ["2026-05-06", "2026-12-31"]);
    await rejects(
      read("5/6/2026", "12/31/2026", "31/12/2026"),
      /"Due" has "12\/31\/2026" in row 3 and "31\/12\/2026" in row 4: one begins with the day/,
    );
  },
);

testOnDatabases(
  "An import says what its dry run says, wherever imports are listed",
  async (database) => {
    const text = `Key,Title,Product,Status,Archived
1,A,W,Waved 2,no\n2,B,W,Planned,no\n3,C,W,Planned,yes\n`;
    const result = await importText(database, text, { sourceName: "plan" });
    assertEquals(result.left_out_because, { archived: 1 });
    match(
      String(result.notes),
      /1 of 2 releases has a status that is not known, "Waved 2": they count as/,
    );
    const [run] = await readRuns(database, 1);
    assertEquals([run!.left_out, run!.notes], [{ archived: 1 }, result.notes]);
  },
);

testOnDatabases("A field that is gone from all releases is a mass removal", async (database) => {
  const take = (column: string, options = {}) => {
    const rows = [1, 2, 3, 4].map((number) => `${number},Item ${number},W,Planned,2026-12-31\n`);
    const text = `Key,Title,Product,Status,${column}\n${rows.join("")}`;
    return importText(database, text, { sourceName: "plan", ...options });
  };
  await take("Due");
  await rejects(
    take("Wann"),
    /No item of the snapshot has a release_date any more, which 4 of 4 active items have: nothing was stored\. No column of dates was found.*"Wann" has days in 4 of 4 rows/,
  );
  const [{ dated } = { dated: 0 }] = await database.query<{ dated: number }>(
    sql`select count(release_date)::int as dated from items`,
  );
  assertEquals(dated, 4);
  assert((await take("Wann", { allowMassRemoval: true })).changed === 4);
});
