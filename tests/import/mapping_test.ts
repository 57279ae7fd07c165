import { deepStrictEqual as assertEquals, ok as assert, rejects } from "node:assert/strict";
import type { Mapping } from "../../lib/import/mapping/fields.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { previewLocation } from "../../lib/import/preview_snapshot.ts";
import { SnapshotProblems } from "../../lib/import/snapshot_error.ts";
import type { Database } from "../../lib/database/database.ts";
import { makeItem, startApp, TODAY } from "../support/app.ts";
import { emptyDatabase, testOnDatabases, testOnOne } from "../support/databases.ts";
import { slowOnDatabases, slowOnOne } from "../support/slow.ts";

interface ImportFile {
  name: string;
  body: string | Uint8Array | unknown[] | Record<string, unknown>;
  fields?: Mapping;
  sourceName?: string;
}

/** Imports a file of that name, as a person would. */
async function importFile(database: Database, { name, body, fields, sourceName }: ImportFile) {
  const folder = await Deno.makeTempDir();
  try {
    const file = `${folder}/${name}`;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    await Deno.writeFile(file, body instanceof Uint8Array ? body : new TextEncoder().encode(text));
    return await importLocation(database, file, { asOf: TODAY, fields, sourceName });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

type Shown = Record<string, unknown>;

/** What variant B serves after an import: its dates are days. */
async function importAndRequest(database: Database, file: ImportFile): Promise<Shown[]> {
  await emptyDatabase(database);
  await importFile(database, file);
  await using app = await startApp(database, { ROADMAP_VARIANT: "b" });
  return (await app.json("/api/releases?sort=release_date&page_size=200")).data;
}

/** The reasons of a refusal, each with its place. */
async function problemsOf(database: Database, file: ImportFile): Promise<string[]> {
  let found: string[] = [];
  await rejects(() => importFile(database, file), (error: Error) => {
    assert(error instanceof SnapshotProblems, error.stack);
    found = error.problems.map(({ row, item, reason }) =>
      `${row === null ? item === null ? "" : `item ${item}: ` : `row ${row}: `}${reason}`
    );
    return true;
  });
  return found;
}

function pick(items: Shown[], ...fields: string[]): unknown[][] {
  return items.map((item) => fields.map((field) => item[field]));
}

const NAME_TO_DATE = ["feature_name", "product_name", "release_type", "release_status"];

/** As Excel saves it in Germany: semicolons, a byte order mark, CR LF. */
const EXCEL = "\ufeffTitle;Product;Status;Release\r\n" +
  "Dark mode für alle;Widgets;Planned;Q3 2026\r\n" +
  '"Two\nlines";Widgets;In development;31.12.2026\r\n' +
  "Third;Gadgets;Planned;\r\n";

testOnOne("A spreadsheet with plain names needs no mapping", async (database) => {
  const items = await importAndRequest(database, { name: "roadmap.csv", body: EXCEL });
  assertEquals(pick(items, ...NAME_TO_DATE, "release_date"), [
    ["Two lines", "Widgets", "Not stated", "In development", "2026-12-31"],
    ["Dark mode für alle", "Widgets", "Not stated", "Planned", "2026-09-30"],
    ["Third", "Gadgets", "Not stated", "Planned", null],
  ]);
  const again = await importFile(database, { name: "other.csv", body: EXCEL });
  assertEquals([again.unchanged, again.added], [3, 0]);
});

testOnOne(
  "A table is known by its names, its separator and its encoding",
  async (database) => {
    const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
    const units = Uint16Array.from(EXCEL.replaceAll(";", "\t"), (unit) => unit.charCodeAt(0));
    const bodies: Record<string, string | Uint8Array> = {
      "utf16.csv": new Uint8Array(units.buffer),
      "latin.csv": bytes(EXCEL.slice(1)),
      "commas.csv": EXCEL.replaceAll(";", ","),
      "tabs.tsv": EXCEL.replaceAll(";", "\t"),
      "unknown.txt": EXCEL,
    };
    for (const [name, body] of Object.entries(bodies)) {
      const items = await importAndRequest(database, { name, body });
      assertEquals(items[1]!.feature_name, "Dark mode für alle", name);
    }
  },
);

const PLANNED = `Key,Title,Product,Status,Labels,Labels
R-1,Dark mode,Widgets,Planned,ux,Customer-Facing
R-2,Offline maps,Widgets,Won't do,customer-facing,
R-3,Refactoring,Widgets,Planned,internal,
R-4,Import,Widgets,,"a; customer-facing",
R-5,,,Planned,,
`;

testOnOne("A mapping can exclude rows of tables and of JSON", async (database) => {
  const where = { Labels: "customer-facing", Status: { not: ["won't do"] } };
  const fields = { where, release_status: { from: "Status", default: "Idea" } };
  const file = { name: "roadmap.csv", body: PLANNED, fields };
  const items = await importAndRequest(database, file);
  assertEquals(pick(items, "feature_name").flat().sort(), ["Dark mode", "Import"]);
  assertEquals((await importFile(database, file)).left_out, 3);

  const either = { ...file, fields: { where: { Title: ["dark mode", "Refactoring"] } } };
  const { added, removed, unchanged, left_out } = await importFile(database, either);
  assertEquals({ added, removed, unchanged, left_out }, {
    added: 1,
    removed: 1,
    unchanged: 1,
    left_out: 3,
  });
  const none = { ...file, fields: { where: { Title: "Nothing" } } };
  await rejects(
    () => importFile(database, none),
    /All rows of the snapshot are left out \(\d by the mapping\): nothing was stored$/,
  );

  const [epic] = JIRA_JSON.issues;
  const other = { ...epic, key: "PROJ-2", fields: { ...epic!.fields, labels: [] } };
  const json = { name: "a.json", body: { issues: [epic, other] } };
  for (const name of ["labels", "fields.labels"]) {
    const found = await importAndRequest(database, {
      ...json,
      fields: { where: { [name]: "UX", "fields.status.name": { not: "Done" } } },
    });
    assertEquals(found.length, 1, name);
  }
});

testOnOne("An unknown column is reported, with the existing ones", async (database) => {
  const fields = { where: { Label: "ux" } };
  assertEquals(await problemsOf(database, { name: "a.csv", body: PLANNED, fields }), [
    '"where" names "Label", but that column does not exist: ' +
    'columns are "Key", "Title", "Product", "Status", "Labels"',
  ]);
});

testOnOne("The header of a table may follow a title", async (database) => {
  const title = 'Roadmap 2026;;;\r\n"As of\r\nSunday";;;\r\n\r\n';
  const table = "Title;Product;Status;Release\r\nDark mode;Widgets;Planned;Q3 2026\r\n";
  for (const above of [title, title.replaceAll(";", ""), "", "\r\n"]) {
    const items = await importAndRequest(database, { name: "a.csv", body: above + table });
    assertEquals(pick(items, "feature_name", "product_name"), [["Dark mode", "Widgets"]], above);
  }
  const tabs = title.replaceAll(";", "\t") + table.replaceAll(";", "\t");
  assertEquals((await importAndRequest(database, { name: "a.tsv", body: tabs })).length, 1);

  const wrong = { name: "a.csv", body: `${title}${table}Two;Widgets;;soon\r\nThree\r\n` };
  assertEquals(await problemsOf(database, wrong), [
    'row 6: "Release" is "soon", which is not a date such as 2026-09-30, Q3 2026 or Sep 2026; if it means none, say so in the mapping, {"none": ["soon"]}',
  ]);

  const own = "Our plan,,\nWas,Wo,Wann\nDark mode,Widgets,Q3 2026\n";
  const fields = {
    feature_name: { from: "Was" },
    product_name: { from: "Wo" },
    release_status: { value: "Planned" },
  };
  assertEquals((await importAndRequest(database, { name: "a.csv", body: own, fields })).length, 1);

  // The first row already fits, whatever stands in the others.
  const first = "Title,Product,State,Note,More\nStatus,Type,Planned,Key,Date\n";
  const [item] = await importAndRequest(database, { name: "a.csv", body: first });
  assertEquals(pick([item!], "feature_name", "product_name"), [["Status", "Type"]]);
});

testOnOne(
  "If no header is found, the nearest row is reported",
  async (database) => {
    const body = "Our plan,,\n,,\nTitle,Wo,Wann\nDark mode,Widgets,Q3 2026\n";
    const [problem] = await problemsOf(database, { name: "a.csv", body });
    assertEquals(problem, "row 3 looks like the header: remove the rows above it");
  },
);

/** Columns that Jira Cloud exports ("Export Excel CSV"); those of one name stand several times. */
const JIRA_CSV =
  `Summary,Issue key,Issue id,Issue Type,Status,Project key,Project name,Project type,Priority,Created,Updated,Last Viewed,Fix versions,Fix versions,Components,Components,Due date,Labels,Labels,Description
Dark mode,PROJ-1,10001,Story,To Do,PROJ,Widgets,software,Medium,01/Oct/26 9:12 AM,20/Jun/26 3:15 PM,21/Nov/26 9:00 AM,2026.4,2027.1,UI,API,31/Dec/26 12:00 AM,ux,dark,"Colours, at last
for all"
Light mode,PROJ-2,10002,Epic,In Progress,PROJ,Widgets,software,Medium,01/Oct/26 9:12 AM,19/Jun/26 3:15 PM,,,,,,,,,
`;

/** A search result of Jira's REST API, version 3. */
const JIRA_JSON = {
  expand: "schema,names",
  startAt: 0,
  maxResults: 50,
  total: 1,
  issues: [{
    expand: "operations",
    id: "10001",
    self: "https://example.atlassian.net/rest/api/3/issue/10001",
    key: "PROJ-1",
    fields: {
      summary: "Dark mode",
      status: { name: "To Do", statusCategory: { name: "To Do" } },
      issuetype: { name: "Story", subtask: false },
      project: { key: "PROJ", name: "Widgets" },
      components: [{ name: "UI" }, { name: "API" }],
      fixVersions: [{ name: "2026.4", releaseDate: "2026-12-15" }],
      duedate: "2026-12-31",
      updated: "2026-06-20T15:15:00.000+0200",
      labels: ["ux"],
      description: {
        type: "doc",
        version: 1,
        content: [
          { type: "paragraph", content: [{ type: "text", text: "Colours, at last" }] },
          { type: "paragraph", content: [{ type: "text", text: "for all" }] },
        ],
      },
    },
  }],
};

testOnOne("Jira exports are read unchanged, as CSV and as JSON", async (database) => {
  const fields = [...NAME_TO_DATE, "release_date", "last_modified"];
  const csv = await importAndRequest(database, { name: "Jira.csv", body: JIRA_CSV });
  const [dark, light] = csv;
  assertEquals(pick([dark!, light!], ...fields), [
    ["Dark mode", "Widgets", "Story", "To Do", "2026-12-31", "2026-06-20"],
    ["Light mode", "Widgets", "Epic", "In Progress", null, "2026-06-19"],
  ]);
  assertEquals(dark!.feature_description, "Colours, at last\nfor all");
  const [json] = await importAndRequest(database, { name: "search.json", body: JIRA_JSON });
  assertEquals(json, { ...dark, feature_description: "Colours, at last\n\nfor all" });
});

const ISSUE = {
  url: "https://api.github.com/repos/octo/widgets/issues/7",
  repository_url: "https://api.github.com/repos/octo/widgets",
  html_url: "https://github.com/octo/widgets/issues/7",
  id: 100,
  node_id: "I_kwDO",
  number: 7,
  title: "Dark mode",
  user: { login: "octocat", id: 1, type: "User" },
  labels: [{ id: 1, name: "good first issue" }, { id: 2, name: "Coming Soon", color: "fff" }],
  state: "open",
  milestone: { id: 9, number: 1, title: "v1", state: "open", due_on: "2026-12-31T08:00:00Z" },
  created_at: "2026-06-01T09:12:00Z",
  updated_at: "2026-06-20T15:15:00Z",
  closed_at: null,
  type: null,
  body: "Colours",
};

testOnOne("GitHub issues are read unchanged", async (database) => {
  const other = { ...ISSUE, id: 101, number: 8, milestone: null, body: null, labels: [] };
  const file = { name: "issues.json", body: [ISSUE, other] };
  const items = await importAndRequest(database, file);
  assertEquals(pick(items, ...NAME_TO_DATE, "release_date", "feature_description"), [
    ["Dark mode", "widgets", "Not stated", "open", "2026-12-31", "Colours"],
    ["Dark mode", "widgets", "Not stated", "open", null, null],
  ]);
  const labels = { labels: { "coming soon": "In development" }, default: "Planned" };
  const mapped = await importAndRequest(database, { ...file, fields: { release_status: labels } });
  assertEquals(pick(mapped, "release_status"), [["In development"], ["Planned"]]);
});

testOnOne(
  "For GitHub releases, milestones and projects the missing fields are reported",
  async (database) => {
    const release = {
      url: "https://api.github.com/repos/octo/widgets/releases/1",
      id: 1,
      tag_name: "v1.0.0",
      name: "Version 1",
      draft: false,
      prerelease: false,
      created_at: "2026-06-01T00:00:00Z",
      published_at: "2026-06-02T00:00:00Z",
      body: "Notes",
      author: { login: "octocat" },
    };
    const there =
      '(columns are "url", "id", "tag_name", "name", "draft", "prerelease", "created_at", ' +
      '"published_at", "body", "author"): name one in a mapping (--fields), ';
    assertEquals(await problemsOf(database, { name: "releases.json", body: [release] }), [
      `no column found for release_status ${there}{"release_status": "COLUMN"}, or the same for every item, {"release_status": {"value": "Planned"}}`,
    ]);
    const fields = { product_name: { value: "Widgets" }, release_status: { value: "Shipped" } };
    const releases = await importAndRequest(database, { name: "a.json", body: [release], fields });
    assertEquals(pick(releases, ...NAME_TO_DATE, "release_date"), [
      ["Version 1", "Widgets", "Not stated", "Shipped", "2026-06-02"],
    ]);

    const milestone = {
      url: "https://api.github.com/repos/octo/widgets/milestones/1",
      id: 5,
      number: 1,
      title: "v1",
      description: "First",
      creator: { login: "octocat" },
      state: "open",
      updated_at: "2026-06-02T00:00:00Z",
      due_on: "2026-12-31T08:00:00Z",
    };
    const { product_name } = fields;
    const milestones = { name: "milestones.json", body: [milestone], fields: { product_name } };
    assertEquals(
      pick(await importAndRequest(database, milestones), ...NAME_TO_DATE, "release_date"),
      [
        ["v1", "Widgets", "Not stated", "open", "2026-12-31"],
      ],
    );

    // gh project item-list --format json; and "Export view data" of a project's page
    const project = {
      items: [{
        content: { body: "B", number: 1, repository: "octo/widgets", title: "T", type: "Issue" },
        id: "PVTI_lADO",
        repository: "https://github.com/octo/widgets",
        status: "In Progress",
        title: "Dark mode",
      }],
      totalCount: 1,
    };
    const expected = [["Dark mode", "widgets", "Not stated", "In Progress"]];
    const listed = await importAndRequest(database, { name: "project.json", body: project });
    assertEquals(pick(listed, ...NAME_TO_DATE), expected);
    const view = "Title\tURL\tAssignees\tStatus\tRepository\n" +
      "Dark mode\thttps://github.com/octo/widgets/issues/7\toctocat\tIn Progress\tocto/widgets\n";
    const viewed = await importAndRequest(database, { name: "project.tsv", body: view });
    assertEquals(pick(viewed, ...NAME_TO_DATE), expected);
  },
);

testOnOne("Lists under a name, and the sample itself, are read", async (database) => {
  const own = { id: 1, name: "Dark mode", state: "open", product: "Widgets", eta: 2027 };
  for (const list of ["data", "items", "issues"]) {
    const items = await importAndRequest(database, { name: "own.json", body: { [list]: [own] } });
    assertEquals(pick(items, ...NAME_TO_DATE, "release_date"), [
      ["Dark mode", "Widgets", "Not stated", "open", "2027-12-31"],
    ]);
  }
  const lines = `${JSON.stringify(own)}\n${JSON.stringify({ ...own, id: 2 })}\n`;
  assertEquals((await importAndRequest(database, { name: "own.txt", body: lines })).length, 2);
  await emptyDatabase(database);
  const sample = new URL("../../sample/roadmap.json", import.meta.url).pathname;
  const { added } = await importLocation(database, sample, { asOf: TODAY });
  assertEquals(added, 100);
});

testOnOne("IDs of any kind become stable UUIDs", async (database) => {
  const uuid = "ABCDEFAB-0000-4000-8000-00000000000A";
  const rows = (ids: string[]) =>
    "Key,Title,Product,Status\n" + ids.map((id) => `${id},Dark mode,Widgets,Planned\n`).join("");
  const name = "ids.csv";
  const idsOf = async (file: ImportFile) =>
    (await importAndRequest(database, file)).map((item) => item.release_item_id).sort();
  // python3: uuid.uuid5(uuid.uuid5(uuid.NAMESPACE_URL, "roadcast"), '["default","PROJ-1"]') …
  const ids = await idsOf({ name, body: rows(["PROJ-1", "1", uuid]) });
  assertEquals(ids, IDS.default);
  assertEquals(await idsOf({ name, body: rows(["PROJ-1"]), sourceName: "ours" }), IDS.ours);
  const json = [{ id: 1, title: "Dark mode", product: "Widgets", status: "Planned" }];
  assert(IDS.default.includes(String((await idsOf({ name: "a.json", body: json }))[0])));
  const bare = "Title,Product,Status\nDark mode,Widgets,Planned\n";
  assertEquals(await idsOf({ name, body: bare }), IDS.named);
  const own = makeItem(1, { release_item_id: "PROJ-1" });
  assert(IDS.default.includes(String((await idsOf({ name: "b.json", body: [own] }))[0])));
});

testOnOne("Standard column names with informal values are read", async (database) => {
  const body =
    "release_item_id,feature_name,release_type,release_status,product_name,release_date,active\n" +
    "1,A,GA,Planned,P,12/31/2026,WAHR\nPROJ-1,B,,Planned,P,Q1/2027,VRAI\n" +
    "x,C,GA,Planned,P,January 2027,\ny,D,GA,Planned,P,2027,FALSCH\n";
  const items = await importAndRequest(database, { name: "correct.csv", body });
  assertEquals(pick(items, "feature_name", "release_type", "release_date"), [
    ["B", "Not stated", "2027-03-31"],
    ["C", "GA", "2027-01-31"],
    ["A", "GA", "2026-12-31"],
  ]);
  const bad = await problemsOf(database, { name: "a.csv", body: body.replace("WAHR", "maybe") });
  assertEquals(bad, ['row 2: "active" must be true or false']);
});

testOnOne("A binary file is refused with advice", async (database) => {
  const files: [string, number[], RegExp][] = [
    ["roadmap.xls", [0xd0, 0xcf, 0x11, 0xe0], /an old spreadsheet \(\.xls\).*save it as \.xlsx/],
    ["roadmap.json.gz", [0x1f, 0x8b, 8, 0], /compressed \(gzip\): unpack it/],
    ["roadmap.pdf", [0x25, 0x50, 0x44, 0x46], /a PDF, not text: export/],
  ];
  for (const [name, bytes, reason] of files) {
    await rejects(importFile(database, { name, body: new Uint8Array(bytes) }), reason);
  }
});

testOnOne("A mapping overrides column names, and maps their values", async (database) => {
  const fields: Mapping = {
    release_item_id: { from: "Ticket" },
    feature_name: { from: "What" },
    product_name: { value: "Widgets" },
    release_status: {
      from: "Status",
      values: { open: "Planned", closed: "Shipped" },
    },
    release_type: { from: "kind", default: "General availability" },
    release_date: { from: "When", format: "DD/MM/YYYY" },
    feature_description: null,
  };
  const body = "Ticket,What,Status,Kind,When,Description,Product\n" +
    "7,Dark mode,OPEN,,03/04/2026,secret,Ignored\n" +
    "8,Light mode, closed ,Preview,Q3 2026,secret,Ignored\n" +
    "9,No mode,waiting,Preview,TBD,secret,Ignored\n";
  const items = await importAndRequest(database, { name: "mapped.csv", body, fields });
  assertEquals(pick(items, ...NAME_TO_DATE, "release_date", "feature_description"), [
    ["Light mode", "Widgets", "Preview", "Shipped", "2026-09-30", null],
    ["Dark mode", "Widgets", "General availability", "Planned", "2026-04-03", null],
    ["No mode", "Widgets", "Preview", "waiting", null, null],
  ]);
  const nested: Mapping = { ...fields, feature_name: { from: "about.title.en" } };
  const row = { Ticket: 1, about: { title: { en: "Deep" } }, Status: "open", Kind: "x", When: "" };
  const deep = await importAndRequest(database, { name: "a.json", body: [row], fields: nested });
  assertEquals(pick(deep, "feature_name"), [["Deep"]]);
  const status: Mapping = { release_status: { from: "State", values: { a: "A" }, default: "B" } };
  const states = "Title,Product,State\none,P,a\ntwo,P,\nthree,P,c\n";
  const said = await importAndRequest(database, { name: "b.csv", body: states, fields: status });
  assertEquals(
    Object.fromEntries(pick(said, "feature_name", "release_status")),
    { one: "A", two: "B", three: "B" },
  );
});

testOnOne(
  "Ambiguous columns are reported with the mapping to write",
  async (database) => {
    const problems = (body: string, fields?: Mapping) =>
      problemsOf(database, { name: "a.csv", body, fields });
    assertEquals(
      await problems("Title,Product,Status,State,Due,Target\na,b,c,d,Q1 2027,Q2 2027\n"),
      [
        '"Due" and "Target" could be release_date: choose with a mapping (--fields), {"release_date": "Due"}',
        '"Status" and "State" could be release_status: choose with a mapping (--fields), {"release_status": "Status"}',
      ],
    );
    const taken: Mapping = { release_status: { from: "state" }, release_date: null };
    const body = "Title,Product,Status,State,Due,Target\na,b,c,d,,\n";
    const [item] = await importAndRequest(database, { name: "a.csv", body, fields: taken });
    assertEquals(item!.release_status, "d");
    assertEquals(
      await problems("Title,Product,Status\na,b,c\n", { release_type: { from: "Knd" } }),
      [
        'the mapping takes release_type from "Knd", but that column does not exist: ' +
        'columns are "Title", "Product", "Status"',
      ],
    );
  },
);

testOnOne(
  "Every problem is reported with its spreadsheet row number",
  async (database) => {
    const body = "Key;Title;Product;Status;Due\n" +
      "A;One;P;Planned;03/04/2026\n" +
      'B;"Two\n\nlines";P;;soon\n' +
      "\n" +
      ";;;;\n" +
      "C;;P;Planned;1900-01-01\n" +
      "A;Four;P;Planned;9999-12-31\n" +
      "D;Five;P\n";
    assertEquals(
      await problemsOf(database, { name: "a.csv", body }),
      [
        'row 2: "Due" is "03/04/2026", which may be 2026-04-03 or 2026-03-04: say which with a "format" in the mapping, "DD/MM/YYYY" or "MM/DD/YYYY"',
        'row 3: "Due" is "soon", which is not a date such as 2026-09-30, Q3 2026 or Sep 2026; if it means none, say so in the mapping, {"none": ["soon"]}',
        'row 6: "Due" is "1900-01-01", not between 1970 and 2199: leave it empty where there is no date',
        'row 6: "Title" is empty',
        'row 7: "Due" is "9999-12-31", not between 1970 and 2199: leave it empty where there is no date',
        'row 7: its "Key" "A" is already used by row 2',
      ],
    );
    const twins = "Title,Product,Status\na,b,c\na,b,d\n";
    assertEquals(await problemsOf(database, { name: "a.csv", body: twins }), [
      "row 3: its product and name are those of row 2 already: a column of ids, such as Key, distinguishes them",
    ]);
  },
);

testOnOne(
  "The first 50 of many problems are reported, with their total",
  async (database) => {
    await importFile(database, { name: "good.csv", body: EXCEL });
    const rows = Array.from({ length: 3_000 }, (_, number) => `${number},Name,Product,\n`).join("");
    const file = { name: "many.csv", body: `Key,Title,Product,Status\n${rows}` };
    await rejects(importFile(database, file), (error: Error) => {
      assert(error instanceof SnapshotProblems);
      assertEquals([error.problems.length, error.total], [50, 3_000]);
      const lines = error.message.split("\n");
      assertEquals(lines.length, 52);
      assert(lines[0]!.endsWith("many.csv, it has 3000 problems:"), lines[0]);
      assert(lines[1]!.startsWith('  row 2: "Status" is empty'), lines[1]);
      assertEquals(lines[51], "  … and 2950 more");
      return true;
    });
    await using app = await startApp(database);
    assertEquals((await app.json("/api/releases")).data.length, 3);
  },
);

slowOnDatabases("10,000 products are imported as 10,000 products", async (database) => {
  const count = 10_000;
  const rows = Array.from({ length: count }, (_, number) => `Name,Product ${number},Planned\n`);
  const body = `Title,Product,Status\n${rows.join("")}`;
  const { added } = await importFile(database, { name: "many.csv", body });
  assertEquals(added, count);
  await using app = await startApp(database);
  assertEquals((await app.json("/api/filter-options")).product_names.length, count);
});

/** Made by Python's uuid module. */
const IDS = {
  default: [
    "95a3e4ae-64a8-52d3-bc1c-b93842a05047",
    "abcdefab-0000-4000-8000-00000000000a",
    "c0e9c307-5eb4-58d8-89a0-8a95f9ce3cbf",
  ],
  ours: ["83031dd4-6567-5265-9d89-59e3b26e9e26"],
  named: ["9b189186-bacc-5ef0-8474-578bba3ad597"],
};

testOnDatabases(
  "A field is read by its index in a list, or where a condition is met",
  async (database) => {
    const run = (plain_text: string) => ({ type: "text", plain_text });
    const items = [
      {
        id: 1,
        title: [run("Dark "), run("mode")],
        text: "<p>Now <b>bold</b></p>",
        versions: [{ name: "a", day: "2026-09-01" }, { name: "b", day: "2026-10-01" }],
        kind: "fixed",
      },
      { id: 2, title: "Maps", text: "1 < 2", versions: [{ day: "2026-09-02" }], kind: "draft" },
      { id: 3, title: "Fax", versions: [], kind: null },
    ];
    const fields = {
      feature_description: { from: "text", format: "html" },
      product_name: { value: "Widgets" },
      release_status: { from: "kind", where: { kind: "fixed" }, default: "Open" },
      release_date: { from: "versions.0.day", where: { kind: { not: "draft" } } },
    };
    const data = await importAndRequest(database, { name: "a.json", body: items, fields });
    const shown = data.map((item) => [
      item.feature_name,
      item.feature_description,
      item.release_status,
      item.release_date,
    ]);
    assertEquals(shown.sort(), [
      ["Dark mode", "Now **bold**", "fixed", "2026-09-01"],
      ["Fax", null, "Open", null],
      ["Maps", "1 < 2", "Open", null],
    ]);
    const unknown = { ...fields, release_date: { from: "kind", where: { sort: "fixed" } } };
    assertEquals(await problemsOf(database, { name: "a.json", body: items, fields: unknown }), [
      '"where" names "sort", but that column does not exist: columns are "id", "title", "text", ' +
      '"versions", "kind"',
    ]);
  },
);

testOnOne("HTML has an end, and deep nesting becomes plain text", async (database) => {
  const texts = {
    long: `<p>${"word ".repeat(20_000)}</p><p>The end</p>`,
    picture: `<p>Before <img src="data:image/png;base64,${"A".repeat(200_000)}"> after</p>`,
    nested: `${"<ul><li>".repeat(400)}${"line\n".repeat(200)}`,
    // What closes nothing opens no level for what follows either.
    closed: `${"<ul></b>".repeat(2_000)}${"line\n".repeat(200)}`,
    blank: `<p>Text</p><pre><code>${"\t\n".repeat(60_000)}`,
    list: "<ul><li>One</li><li><p>Two  </p></li></ul><p>Then</p>",
  };
  const body = Object.entries(texts).map(([title, text]) => ({ id: title, title, text }));
  const fields = {
    feature_description: { from: "text", format: "html" },
    product_name: { value: "Widgets" },
    release_status: { value: "Open" },
  };
  const data = await importAndRequest(database, { name: "a.json", body, fields });
  const described = Object.fromEntries(
    data.map((item) => [item.feature_name, String(item.feature_description)]),
  );
  assertEquals(described.long!.length <= 65_536, true);
  assertEquals([described.long!.slice(-1), described.long!.includes("The end")], ["…", false]);
  assertEquals(described.picture, "Before  after".replace("  ", " "));
  for (const name of ["nested", "closed"]) {
    assertEquals(described[name]!.length <= 5 * 200, true);
    assertEquals(described[name]!.includes("- "), false);
  }
  assertEquals(described.blank, "Text");
  assertEquals(described.list, "- One\n- Two\n\nThen");
});

const COMPONENTS = `Key,Summary,Status,Components,Components,Squad,Platforms
R-1,Dark mode,Planned,Web app,Mobile,Blue,Web; iOS
R-2,Offline maps,Planned,"Maps, Mobile",,,
R-3,Import,Planned,,,Red,Web
`;

testOnOne("A mapping names several products, and tags", async (database) => {
  const fields: Mapping = {
    product_name: { from: "Components", split: ",", default: "Other" },
    tags: { Team: { from: "Squad" }, Platform: { from: "Platforms", split: ";" } },
  };
  const file = { name: "jira.csv", body: COMPONENTS, fields };
  const items = await importAndRequest(database, file);
  const names = ["feature_name", "product_name", "product_names", "tags"];
  assertEquals(pick(items, ...names).toSorted(), [
    ["Dark mode", "Web app", ["Web app", "Mobile"], { Platform: ["Web", "iOS"], Team: ["Blue"] }],
    ["Import", "Other", undefined, { Platform: ["Web"], Team: ["Red"] }],
    ["Offline maps", "Maps", ["Maps", "Mobile"], undefined],
  ]);
  const { tags: _, ...products } = fields;
  await importFile(database, { ...file, fields: { ...products, product_name: { value: "One" } } });
  await using app = await startApp(database);
  const { data } = await app.json("/api/releases");
  assertEquals(
    pick(data, "product_name", "product_names", "tags"),
    Array(3).fill([
      "One",
      undefined,
      undefined,
    ]),
  );
});

testOnOne("A mapping of tags must name existing columns", async (database) => {
  const tags = { Team: { from: "Crew" }, Area: { labels: "area/*" } };
  const file = {
    name: "jira.csv",
    body: COMPONENTS,
    fields: { tags, product_name: { value: "A" } },
  };
  const columns = 'columns are "Key", "Summary", "Status", "Components", "Squad", "Platforms"';
  assertEquals(await problemsOf(database, file), [
    `the mapping takes the tags "Team" from "Crew", but that column does not exist: ${columns}`,
    `the mapping takes the tags "Area" from labels, "area/*", but that column does not exist: ${columns}`,
  ]);
});

slowOnOne(
  "What a document means does not depend on how long its texts are",
  async (database) => {
    for (const length of [1, 1_500]) {
      const text = "x".repeat(length);
      const items = Array.from({ length: 120 }, (_, number) => ({
        id: number,
        title: `Item ${number}`,
        product: "Widgets",
        status: "Planned",
        description: text,
        ...(number < 60 ? { notes: "2026-09-30" } : { release_date: "2026-12-31" }),
      }));
      const [first, last] = [items[0]!, items.at(-1)!].map(({ title }) => title);
      const read = await importAndRequest(database, { name: "late.json", body: items });
      const dateOf = (name: string) =>
        read.find((item) => item.feature_name === name)!.release_date;
      assertEquals([dateOf(first!), dateOf(last!)], [null, "2026-12-31"]);
    }
  },
);

testOnOne(
  "A day that nobody asked for is left out where it cannot be read",
  async (database) => {
    const body = "Title,Product,Status,Updated,Created\na,b,Planned,9/7/2026 15:24,soon\n" +
      "c,b,Planned,2026-07-01,2026-06-01\n";
    const file = { name: "days.csv", body };
    const [item, other] = await importAndRequest(database, file);
    assertEquals([item!.last_modified, other!.last_modified], [TODAY, "2026-07-01"]);
    const fields: Mapping = { last_modified: { from: "Updated" } };
    assertEquals((await problemsOf(database, { ...file, fields })).length, 1);
  },
);

testOnDatabases("A source cannot date a change later than its import", async (database) => {
  const body = "Title,Product,Status,Updated\na,b,Planned,2062-11-24\n";
  const [item] = await importAndRequest(database, { name: "future.csv", body });
  assertEquals(item!.last_modified, TODAY);
  const mended = body.replace("Planned", "Shipped").replace("2062-11-24", "2026-07-01");
  await importFile(database, { name: "future.csv", body: mended });
  await using app = await startApp(database);
  assertEquals((await app.json("/api/releases")).data[0].last_modified, TODAY);
});

testOnOne(
  "Excel's short rows are read, and rows with too many cells are not",
  async (database) => {
    const body = "Title,Product,Status,Due,Notes\nA,b,Planned,Q3 2026\nB,b,Planned\n";
    const items = await importAndRequest(database, { name: "short.csv", body });
    assertEquals(items.map(({ feature_name }) => feature_name).sort(), ["A", "B"]);
    assertEquals(
      await problemsOf(database, { name: "long.csv", body: `${body}C,b,Planned,,x,y\n` }),
      [
        "row 4: it has 6 cells, but the first row 5: is a quotation mark or a separator missing?",
      ],
    );
  },
);

testOnOne("Ids beyond the whole numbers of JavaScript stay apart", async (database) => {
  const item = (id: string) => `{"id": ${id}, "title": "a", "product": "b", "status": "c"}`;
  const body = `)]}'\n[${item("9007199254740993")}, ${item("9007199254740992")}, ${item("-7")}]`;
  assertEquals((await importFile(database, { name: "large.json", body })).added, 3);
});

slowOnOne(
  "A description of more than 65,536 characters is cut, and that is said",
  async (database) => {
    const folder = await Deno.makeTempDir();
    try {
      const file = `${folder}/items.json`;
      const items = [65_536, 65_537, 200_000].map((length, place) =>
        makeItem(place + 1, { feature_description: "🙂".padEnd(length + 1, "a") })
      );
      await Deno.writeTextFile(file, JSON.stringify(items));
      const { notes } = await previewLocation(database, file, { asOf: TODAY });
      assertEquals(notes, ["2 descriptions are longer than 65,536 characters: they are cut"]);
      await importLocation(database, file, { asOf: TODAY });
      const again = await importLocation(database, file, { asOf: TODAY });
      assertEquals(again.changed, 0);
      await using app = await startApp(database, { ROADMAP_VARIANT: "b" });
      const { data } = await app.json("/api/releases");
      const lengths = data.map((item: Shown) => [...item.feature_description as string].length);
      assertEquals(lengths.sort(), [65_536, 65_536, 65_536]);
      assertEquals(
        data.filter((item: Shown) => String(item.feature_description).endsWith("…")).length,
        2,
      );
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);
