import {
  deepStrictEqual as assertEquals,
  doesNotMatch,
  match,
  ok as assert,
  rejects,
} from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { readRuns } from "../../lib/import/import_runs_sql.ts";
import type { Reading } from "../../lib/import/read_items.ts";
import { readSource } from "../../lib/import/read_source.ts";
import { describeProblem } from "../../lib/import/snapshot_error.ts";
import { TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

const FOLDER = new URL("../fixtures/tools/", import.meta.url).pathname;

/** Name, products, what the status counts as, and the planned day. */
type Row = readonly [string, string, string, string | null];

const DARK = "Dark mode";
const MAPS = "Offline maps";
const LOGIN = "Single sign-on";
const YEAR_END = "2026-12-31";
const SPRING = "2027-03-31";
const OCTOBER = "2026-10-30";
/** What most of these tables have. */
const USUAL: readonly Row[] = [
  [DARK, "Widgets", "in_progress", YEAR_END],
  [MAPS, "Widgets", "planned", SPRING],
  [LOGIN, "Gadgets", "shipped", OCTOBER],
];
const of = (product: string, rows = USUAL) =>
  rows.map(([name, _, ...more]): Row => [name, product, ...more]);

/** Tables of tools that no document names, and sheets as people write them; all without a mapping. */
const TOOLS: Readonly<Record<string, { items: readonly Row[]; left?: Record<string, number> }>> = {
  "airfocus.csv": { items: of("My source", USUAL.slice(0, 2)), left: { archived: 1 } },
  "backlog-ja.csv": {
    items: [
      ["ダークモード", "ウィジェット", "in_progress", YEAR_END],
      ["オフライン地図", "ウィジェット", "planned", SPRING],
      ["シングルサインオン", "ガジェット", "shipped", OCTOBER],
    ],
  },
  "basecamp.json": {
    items: [
      [DARK, "My source", "in_progress", YEAR_END],
      [MAPS, "My source", "in_progress", SPRING],
    ],
  },
  "coda.csv": { items: USUAL },
  "craft-io.csv": { items: USUAL },
  "excel-portfolio.csv": { items: USUAL },
  "feishu-zh.csv": {
    items: [
      ["深色模式", "控件", "in_progress", YEAR_END],
      ["离线地图", "控件", "planned", SPRING],
      ["单点登录", "配件", "shipped", OCTOBER],
    ],
  },
  "jpd.csv": {
    items: [
      [DARK, "My source", "in_progress", YEAR_END],
      [MAPS, "My source", "planned", SPRING],
      ["Fax gateway", "My source", "stopped", null],
    ],
  },
  "kanbanize.csv": { items: USUAL },
  "mantis.csv": {
    items: [
      [DARK, "Widgets", "planned", null],
      [MAPS, "Widgets", "planned", null],
      ["Fax gateway", "Gadgets", "stopped", null],
    ],
    left: { "not public": 1 },
  },
  "ms-project.csv": { items: of("My source") },
  "openproject.csv": {
    items: [...USUAL.slice(0, 2), ["Fax gateway", "Gadgets", "stopped", null]],
  },
  // A story that was accepted is done; one that is finished, delivered or rejected may come back.
  "pivotal-tracker.csv": {
    items: of("My source", [
      ...USUAL.slice(0, 2),
      [LOGIN, "Gadgets", "shipped", OCTOBER],
      ["Fax gateway", "Gadgets", "in_progress", null],
      ["Audit log", "Gadgets", "in_progress", null],
    ]),
  },
  "plane.csv": { items: USUAL.slice(0, 2), left: { archived: 1 } },
  "planner.csv": { items: of("My source") },
  "prodpad.csv": {
    items: [
      [DARK, "Widgets", "in_progress", YEAR_END],
      [MAPS, "Widgets", "planned", SPRING],
      [LOGIN, "Widgets + Gadgets", "shipped", YEAR_END],
    ],
  },
  "rally.csv": { items: USUAL },
  "redmine.csv": { items: USUAL, left: { private: 1 } },
  "roadmunk.csv": { items: USUAL },
  "servicenow.csv": {
    items: [...USUAL.slice(0, 2), ["Fax gateway", "Gadgets", "stopped", null]],
  },
  "sharepoint-list.csv": { items: USUAL },
  "sheet-ru.csv": {
    items: [
      ["Тёмная тема", "Виджеты", "in_progress", YEAR_END],
      ["Офлайн-карты", "Виджеты", "planned", SPRING],
      ["Единый вход", "Гаджеты", "shipped", OCTOBER],
    ],
  },
  "taiga.csv": { items: of("My source") },
  "targetprocess.csv": { items: USUAL },
  "teamwork.csv": { items: USUAL },
  "uservoice.csv": {
    items: [...of("My source", USUAL.slice(0, 2)), [LOGIN, "My source", "shipped", "2026-10-31"]],
  },
  "zenhub.csv": {
    items: [
      [DARK, "widgets", "in_progress", YEAR_END],
      [MAPS, "widgets", "planned", null],
      [LOGIN, "gadgets", "shipped", OCTOBER],
    ],
  },
  "zoho-projects.csv": { items: USUAL },
};

async function read(location: string, kind?: "feed"): Promise<Reading> {
  return (await readSource(location, { asOf: TODAY, sourceName: "My source", kind }))!;
}

/** Reads a text as a file of that name. */
async function readText(name: string, text: string, kind?: "feed"): Promise<Reading> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/${name}`, text);
    return await read(`${folder}/${name}`, kind);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const table = (text: string) => readText("plan.csv", text);

function rowsOf({ firstItems }: Reading): Row[] {
  return firstItems.map(({ feature_name, product_names, tone, release_date }) => [
    feature_name,
    product_names.join(" + "),
    tone,
    release_date,
  ]);
}

const problemsOf = ({ problems }: Reading) => problems.kept.map(describeProblem);

Deno.test("Tables of tools that nobody named are read without a mapping", async () => {
  const files = [...Deno.readDirSync(FOLDER)].map(({ name }) => name);
  assertEquals(files.sort(), Object.keys(TOOLS).sort());
  for (const [file, { items, left = {} }] of Object.entries(TOOLS)) {
    const found = await read(FOLDER + file);
    assertEquals([file, problemsOf(found)], [file, []]);
    assertEquals([file, rowsOf(found), found.remarks.left_out ?? {}], [file, items, left]);
  }
});

Deno.test("A column whose name is unknown is found by its words and values, and that is said", async () => {
  const { remarks, columns } = await read(`${FOLDER}excel-portfolio.csv`);
  match(remarks.notes!.join(), /"Forecast go live" as release_date.*; a mapping may name others/);
  const column = columns.find(({ field }) => field === "release_date")?.column;
  assertEquals(column, "Forecast go live");
  // A column of days without a word for it is named only.
  const named = await table(
    "Key,Title,Status,Wann\n1,A,Planned,2026-09-30\n2,B,Planned,2026-12-31\n",
  );
  assertEquals(named.firstItems.map(({ release_date }) => release_date), [null, null]);
  match(
    named.remarks.notes!.join(),
    /No column of dates was found.*"Wann" has days in 2 of 2 rows: {"release_date":"Wann"}/,
  );
  // Neither the day of creation nor that of a review is planned.
  const others = await table(
    "Key,Title,Status,Start,Last review\n1,A,Planned,2026-01-02,2026-02-03\n",
  );
  assertEquals(others.firstItems[0]!.release_date, null);
});

Deno.test("A header may have remarks, and an empty column hides none that is filled", async () => {
  const remarks = await table(
    "Key *,Title [required],Status (RAG),Due date (YYYY-MM-DD)\n1,A,Planned,2026-09-30\n",
  );
  assertEquals(rowsOf(remarks), [["A", "My source", "planned", "2026-09-30"]]);
  const empty = await table(
    "Key,Title,Status,Due date,Target date,Finish\n1,A,Planned,,2026-09-30,2026-01-01\n",
  );
  assertEquals(rowsOf(empty), [["A", "My source", "planned", "2026-09-30"]]);
  const lower = await table("Key,Title,Status,Due date,Finish\n1,A,Planned,,2026-09-30\n");
  assertEquals(rowsOf(lower), [["A", "My source", "planned", "2026-09-30"]]);
});

Deno.test("Blanks and signs of no width make no second product, status or tag", async () => {
  const { firstItems } = await table(
    "Key,Title,Product,Status\n" +
      "1,A,Widgets,In  development\n2, B\u200b,Widgets ,In\u00a0development\u200b\n" +
      "3,C 👨‍👩‍👧,\u00a0Widgets\ufeff,In development \n",
  );
  const values = firstItems.map(({ product_name, release_status }) =>
    `${product_name}|${release_status}`
  );
  assertEquals([...new Set(values)], ["Widgets|In development"]);
  assertEquals(firstItems.map(({ feature_name }) => feature_name), ["A", "B", "C 👨‍👩‍👧"]);
});

Deno.test("A word of none is found whatever blanks stand in it", async () => {
  const folder = await Deno.makeTempDir();
  const words = ["when it\u00a0is done", "later\u200b", "\u2003Later", "When  it is done"];
  await Deno.writeTextFile(
    `${folder}/plan.csv`,
    "Key,Title,Status,Due\n" +
      words.map((word, at) => `${at},Item ${at},Planned,${word}\n`).join(""),
  );
  const release_date = { from: "Due", none: ["when it is done", "later"] };
  const read = (await readSource(`${folder}/plan.csv`, { asOf: TODAY, fields: { release_date } }))!;
  assertEquals(problemsOf(read), []);
  assertEquals(read.firstItems.map((item) => item.release_date), words.map(() => null));
  await Deno.remove(folder, { recursive: true });
});

Deno.test("Columns of one name are said where a release has one value", async () => {
  const both = await table(
    "Key,Title,Status,Status,Labels,Labels\n1,A,In progress,Done,x,y\n2,B,Planned,,x,y\n",
  );
  assertEquals(both.remarks.notes!.filter((note) => note.includes("columns are named")), [
    '2 columns are named "Status": 1 row has the values of several as release_status, such as ' +
    '"In progress, Done"; rename those that are not meant',
  ]);
  const one = await table("Key,Title,Status,Status\n1,A,In progress,\n2,B,,Planned\n");
  assertEquals(one.remarks.notes, null);
});

Deno.test("A version is no day, and refuses no table", async () => {
  const versions = await table(
    "Issue key,Issue id,Summary,Status,Fix Version/s\nW-1,1,A,To Do,10.2.11\nW-2,2,B,To Do,10.3.0\n" +
      "W-3,3,C,To Do,Q3 2026\nW-4,4,D,To Do,2026-09-30\nW-5,5,E,To Do,2026.1\n",
  );
  assertEquals(problemsOf(versions), []);
  assertEquals(versions.firstItems.map(({ release_date }) => release_date), [
    null,
    null,
    "2026-09-30",
    "2026-09-30",
    null,
  ]);
  match(
    versions.remarks.notes!.join(),
    /"Fix Version\/s": 3 values cannot be read as a date, such as "10.2.11"/,
  );
});

Deno.test("What is not public is left out, whatever says so", async () => {
  const visibility = await table(
    "Key,Title,Status,Visibility\n1,A,Planned,Public\n2,B,Planned,Internal\n",
  );
  assertEquals(visibility.remarks.left_out, { "not public": 1 });
  const event = (uid: string, more: string) =>
    `BEGIN:VEVENT\r\nUID:${uid}\r\nSUMMARY:Event ${uid}\r\nDTSTART;VALUE=DATE:20261201\r\n${more}END:VEVENT\r\n`;
  const calendar = await readText(
    "plan.ics",
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n" + event("1", "") +
      event("2", "CLASS:PRIVATE\r\n") + event("3", "CLASS:CONFIDENTIAL\r\n") +
      event("4", "CLASS:PUBLIC\r\n") + "END:VCALENDAR\r\n",
  );
  assertEquals(calendar.firstItems.map(({ feature_name }) => feature_name), ["Event 1", "Event 4"]);
  assertEquals(calendar.remarks.left_out?.private, 2);
  const pulls = await readText(
    "issues.json",
    JSON.stringify([
      { number: 1, title: "A", state: "open", html_url: "x" },
      { number: 2, title: "B", state: "open", html_url: "y", pull_request: { url: "z" } },
    ]),
  );
  assertEquals([pulls.ids.length, pulls.remarks.left_out], [1, { "pull request": 1 }]);
});

Deno.test("Titles of sections, sums and feet of groups are no releases", async () => {
  const wrike = await table(
    "Key,Folder,Task,Status,Due\nF-1,/Comfort,,,\nT-1,/Comfort,Dark mode,Active,2026-09-30\n",
  );
  assertEquals([wrike.ids.length, wrike.remarks.left_out, problemsOf(wrike)], [1, {
    "group title": 1,
  }, []]);
  const sections = await table(
    "ID,Task,Status,Due,Effort\n,Comfort,,,12\n1,Dark mode,Active,2026-09-30,12\n,Total,4,,24\n",
  );
  assertEquals([sections.ids.length, problemsOf(sections)], [1, []]);
  assertEquals(sections.remarks.left_out, { "group title": 1, "sum": 1 });
  const monday = await table(
    "Name,Person,Status,Product,Due date\nDark mode,Ana,Working on it,Widgets,2026-09-30\n" +
      "Offline maps,,,Widgets,2027-03-31\n,,0/2,,\n",
  );
  assertEquals([monday.ids.length, monday.remarks.left_out], [2, { sum: 1 }]);
});

Deno.test("A column that was found by its name and has other values refuses nothing", async () => {
  const active = await table(
    "Key,Title,Status,Active\n1,A,Planned,120 users\n2,B,Planned,80 users\n",
  );
  assertEquals([active.ids.length, problemsOf(active)], [2, []]);
  match(
    active.remarks.notes!.join(),
    /"Active": 2 values cannot be read as yes or no, such as "120 users"/,
  );
});

Deno.test("Marks in cells are read as other programs read them, or named", async () => {
  const inches = await table('Key,Title,Product,Status\nR-1,24" monitor,W,Planned\n');
  assertEquals(inches.firstItems[0]!.feature_name, '24" monitor');
  const escaped = await table('Key,Title,Product,Status\nR-1,"Say \\"hi\\", twice",W,Planned\n');
  assertEquals(escaped.firstItems[0]!.feature_name, 'Say "hi", twice');
  const ids = await table('Key,Title,Product,Status\n="001",A,W,Planned\n');
  const same = await table("Key,Title,Product,Status\n001,A,W,Planned\n");
  assertEquals(ids.ids, same.ids);
  await rejects(
    table('Key,Title,Product,Status\nR-1,"Big" screen,W,Planned\n'),
    /a quotation mark stands inside of a cell that begins with one: write it twice, row 2, in "/,
  );
  const pipes = await table("sep=|\nKey|Title|Product|Status\nR-1|A|W|Planned\n");
  assertEquals(rowsOf(pipes), [["A", "W", "planned", null]]);
});

Deno.test("A cell that says null is empty, but for a name", async () => {
  const { firstItems } = await table(
    "Task ID,Task Name,Task Content,Status,Space Name\n1,A,null,Open,NULL\n2,null,Text,null,W\n",
  );
  assertEquals(
    firstItems.map((item) => [item.feature_name, item.feature_description, item.product_name]),
    [["A", null, "My source"], ["null", "Text", "W"]],
  );
});

Deno.test("Moments of older programs of .NET are days", async () => {
  const { firstItems } = await readText(
    "plan.json",
    String.raw`[{"id":1,"title":"A","status":"Planned","due":"\/Date(1767225600000)\/"}]`,
  );
  assertEquals(firstItems[0]!.release_date, "2026-01-01");
});

Deno.test("What is no table is refused in words that help, and nobody advises a removal", async () => {
  await rejects(
    table("<!DOCTYPE html><html><body>Sign in</body></html>"),
    /it is an HTML page, not JSON, NDJSON or CSV: save its table as CSV or as a spreadsheet/,
  );
  const header = await table("Employee,Salary,Room\n");
  match(problemsOf(header).join(), /no column found for feature_name \(columns are "Employee"/);
  const says = (document: unknown) => readText("answer.json", JSON.stringify(document));
  await rejects(
    says({ issues: [], errorMessages: ["Issues cannot be seen"] }),
    /Issues cannot be seen/,
  );
  await rejects(says({ data: [], errors: [{ message: "Token expired" }] }), /says: Token expired/);
  await rejects(says({ items: [], warnings: ["Your plan ended"] }), /says: Your plan ended/);
  const calendar = (inside: string) =>
    readText(
      "plan.ics",
      `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n${inside}END:VCALENDAR\r\n`,
    );
  for (const inside of ["", "BEGIN:VJOURNAL\r\nUID:1\r\nSUMMARY:A\r\nEND:VJOURNAL\r\n"]) {
    await rejects(calendar(inside), /plan\.ics: the calendar has no events and no to-dos$/);
  }
  const errors: [string, string][] = [
    ["plan.xml", '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'],
    ["plan.rss", "<error>Access denied</error>"],
    ["plan.atom", "<html><body>Sign in</body></html>"],
  ];
  for (const [name, text] of errors) {
    for (const kind of [undefined, "feed" as const]) {
      await rejects(readText(name, text, kind), (error: Error) => {
        match(error.message, /^Cannot read /);
        doesNotMatch(error.message, /has no items|removal|anyway/);
        return true;
      }, name);
    }
  }
  const board = await table("Now,Next,Later\nDark mode,Offline maps,\n");
  match(
    problemsOf(board).join(),
    /"Now", "Next", "Later" are columns, but a table has a row for each/,
  );
  const nameless = await table("Key,Title,Status\n1,,Planned\n2,,Planned\n");
  assertEquals(problemsOf(nameless), ['"Title" is empty in every row']);
});

Deno.test("A page of more is never taken for the whole, wherever that stands", async () => {
  const data = [{ id: 1, title: "A", status: "Planned" }];
  for (
    const about of [
      { meta: { pagination: { total: 250 } } },
      { links: [{ rel: "self", href: "/f" }, { rel: "next", href: "/f?page=2" }] },
      { link: [{ relation: "next", url: "/f?page=2" }] },
      { pages: { next: "https://example.com/f?page=2" } },
      { page: 1, total_pages: 3 },
      { result: { paging: { current_page: 2, last_page: 4 } } },
    ]
  ) {
    const text = JSON.stringify({ data, ...about });
    await rejects(readText("page.json", text), /it is one page of more/, text);
  }
  const whole = { data, meta: { page: 3, pages: 3, config: { next: "Q4" } }, stats: { total: 1 } };
  assertEquals((await readText("page.json", JSON.stringify(whole))).ids.length, 1);
  const deep = JSON.stringify({ data: { issues: { nodes: data } } });
  assertEquals((await readText("deep.json", deep)).ids.length, 1);
});

testOnDatabases(
  "An import says what its dry run says, wherever imports are listed",
  async (database) => {
    const folder = await Deno.makeTempDir();
    const file = `${folder}/plan.csv`;
    await Deno.writeTextFile(
      file,
      "Key,Title,Product,Status,Archived\n1,A,W,Waved 2,no\n2,B,W,Planned,no\n3,C,W,Planned,yes\n",
    );
    const result = await importLocation(database, file, { asOf: TODAY, sourceName: "plan" });
    assertEquals(result.left_out_because, { archived: 1 });
    match(
      String(result.notes),
      /1 of 2 releases has a status that is not known, "Waved 2": they count as/,
    );
    const [run] = await readRuns(database, 1);
    assertEquals([run!.left_out, run!.notes], [{ archived: 1 }, result.notes]);
    await Deno.remove(folder, { recursive: true });
  },
);

testOnDatabases("A field that is gone from all releases is a mass removal", async (database) => {
  const folder = await Deno.makeTempDir();
  const file = `${folder}/plan.csv`;
  const write = (header: string) =>
    Deno.writeTextFile(
      file,
      `Key,Title,Product,Status,${header}\n` +
        [1, 2, 3, 4].map((number) => `${number},Item ${number},W,Planned,2026-12-31\n`).join(""),
    );
  const options = { asOf: TODAY, sourceName: "plan" };
  await write("Due");
  await importLocation(database, file, options);
  await write("Wann");
  await rejects(
    importLocation(database, file, options),
    /No item of the snapshot has a release_date any more, which 4 of 4 active items have: nothing was stored\. No column of dates was found.*"Wann" has days in 4 of 4 rows/,
  );
  const [{ dated } = { dated: 0 }] = await database.query<{ dated: number }>(
    sql`select count(release_date)::int as dated from items`,
  );
  assertEquals(dated, 4);
  const { changed } = await importLocation(database, file, { ...options, allowMassRemoval: true });
  assert(changed === 4);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("Names that a source writes as HTML are text, and others are what they are", async () => {
  const namesIn = async (...titles: string[]) => {
    const rows = titles.map((title, at) => ({ id: at, title, status: "Planned" }));
    const json = await readText("plan.json", JSON.stringify(rows));
    const lines = rows.map(({ id, title }) => `${id},"${title}",Planned\n`);
    const csv = await readText("plan.csv", `Key,Title,Status\n${lines.join("")}`);
    const names = [json, csv].map(({ firstItems }) =>
      firstItems.map(({ feature_name }) => feature_name)
    );
    assertEquals(names[0], names[1]);
    return names[0];
  };
  assertEquals(await namesIn("Widgets &amp; Gadgets", "It&#39;s &#x2F; here", "Plain"), [
    "Widgets & Gadgets",
    "It's / here",
    "Plain",
  ]);
  // Once, and not where a sign stands for itself.
  assertEquals(await namesIn("Write &amp;amp; in HTML"), ["Write &amp; in HTML"]);
  assertEquals(await namesIn("Show &nbsp; in titles", "R&D", "AT&T;"), [
    "Show &nbsp; in titles",
    "R&D",
    "AT&T;",
  ]);
  const written = await readText(
    "plan.csv",
    "Title,Product,Status\nOne,R&amp;D,Planned\nTwo,A&amp;B,Planned\n",
  );
  assertEquals(written.products, ["R&D", "A&B"]);
});
