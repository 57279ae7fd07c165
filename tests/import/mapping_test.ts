import { deepStrictEqual as assertEquals, ok as assert, rejects } from "node:assert/strict";
import { SnapshotProblems } from "../../lib/import/snapshot_error.ts";
import { importItems, importText, makeItem, startApp, TODAY } from "../support/app.ts";
import { testOnDatabases, testOnOne } from "../support/databases.ts";
import { type ReadCase, readTable, SHOWS, testReading } from "../support/read_table.ts";
import { slowOnDatabases, slowOnOne } from "../support/slow.ts";

/** As Excel saves it in Germany: semicolons, a byte order mark, CR LF. */
const EXCEL = "\ufeffTitle;Product;Status;Release\r\n" +
  "Dark mode für alle;Widgets;Planned;Q3 2026\r\n" +
  '"Two\nlines";Widgets;In development;31.12.2026\r\n' +
  "Third;Gadgets;Planned;\r\n";
const bytesOf = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const UTF16 = Uint16Array.from(EXCEL.replaceAll(";", "\t"), (unit) => unit.charCodeAt(0));

testReading(
  "A table needs no mapping, whatever its name, its separator and its encoding",
  ...Object.entries({
    "roadmap.csv": EXCEL,
    "utf16.csv": new Uint8Array(UTF16.buffer),
    "latin.csv": bytesOf(EXCEL.slice(1)),
    "commas.csv": EXCEL.replaceAll(";", ","),
    "tabs.tsv": EXCEL.replaceAll(";", "\t"),
    "unknown.txt": EXCEL,
  }).map(([name, of]) => ({
    ...{ name, of, shows: SHOWS },
    is: [
      "Dark mode für alle | Widgets | Not stated | Planned | 2026-09-30",
      "Third | Gadgets | Not stated | Planned | -",
      "Two lines | Widgets | Not stated | In development | 2026-12-31",
    ],
  })),
);

testOnOne("A table is served as it is read, and its name says nothing", async (database) => {
  await importText(database, EXCEL);
  await using app = await startApp(database, { ROADMAP_VARIANT: "b" });
  const { data } = await app.json("/api/releases?sort=release_date");
  assertEquals(
    data.map((item: Record<string, unknown>) => SHOWS.map((field) => item[field])),
    [
      ["Two lines", "Widgets", "Not stated", "In development", "2026-12-31"],
      ["Dark mode für alle", "Widgets", "Not stated", "Planned", "2026-09-30"],
      ["Third", "Gadgets", "Not stated", "Planned", null],
    ],
  );
  assertEquals((await importText(database, EXCEL)).unchanged, 3);
});

const PLANNED = `Key,Title,Product,Status,Labels,Labels
R-1,Dark mode,Widgets,Planned,ux,Customer-Facing
R-2,Offline maps,Widgets,Won't do,customer-facing,
R-3,Refactoring,Widgets,Planned,internal,
R-4,Import,Widgets,,"a; customer-facing",
R-5,,,Planned,,
`;

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
        content: ["Colours, at last", "for all"].map((text) => ({
          type: "paragraph",
          content: [{ type: "text", text }],
        })),
      },
    },
  }],
};

const [epic] = JIRA_JSON.issues;
const other = { ...epic, key: "PROJ-2", fields: { ...epic!.fields, labels: [] } };
testReading(
  "A mapping can exclude rows of tables and of JSON",
  {
    of: PLANNED,
    fields: {
      where: { Labels: "customer-facing", Status: { not: ["won't do"] } },
      release_status: { from: "Status", default: "Idea" },
    },
    shows: ["feature_name", "release_status"],
    is: ["Dark mode | Planned", "Import | Idea"],
    leftOut: { "by the mapping": 3 },
  },
  {
    of: PLANNED,
    fields: { where: { Title: ["dark mode", "Refactoring"] } },
    shows: ["feature_name"],
    is: ["Dark mode", "Refactoring"],
    leftOut: { "by the mapping": 3 },
  },
  ...["labels", "fields.labels"].map((name) => ({
    of: { issues: [epic, other] },
    fields: { where: { [name]: "UX", "fields.status.name": { not: "Done" } } },
    shows: ["feature_name"] as const,
    is: ["Dark mode"],
  })),
  {
    of: PLANNED,
    fields: { where: { Label: "ux" } },
    refused: [
      '"where" names "Label", but that column does not exist: ' +
      'columns are "Key", "Title", "Product", "Status", "Labels"',
    ],
  },
);

testOnOne("What a mapping excludes is removed, but never all of it", async (database) => {
  const take = (fields: Record<string, unknown>) => importText(database, PLANNED, { fields });
  await take({ where: { Title: ["Dark mode", "Offline maps"] } });
  const { added, removed, unchanged, left_out } = await take({
    where: { Title: ["dark mode", "Refactoring"] },
  });
  assertEquals({ added, removed, unchanged, left_out }, {
    ...{ added: 1, removed: 1, unchanged: 1, left_out: 3 },
  });
  await rejects(
    take({ where: { Title: "Nothing" } }),
    /All rows of the snapshot are left out \(\d by the mapping\): nothing was stored$/,
  );
});

const TITLE = 'Roadmap 2026;;;\r\n"As of\r\nSunday";;;\r\n\r\n';
const TABLE = "Title;Product;Status;Release\r\nDark mode;Widgets;Planned;Q3 2026\r\n";
const DARK = ["Dark mode | Widgets | planned | 2026-09-30"];
testReading(
  "The header of a table may follow a title",
  ...[TITLE, TITLE.replaceAll(";", ""), "", "\r\n"].map((above) => ({
    of: above + TABLE,
    is: DARK,
  })),
  { name: "a.tsv", of: (TITLE + TABLE).replaceAll(";", "\t"), is: DARK },
  {
    of: `${TITLE}${TABLE}Two;Widgets;;soon\r\nThree\r\n`,
    refused: [
      'row 6: "Release" is "soon", which is not a date such as 2026-09-30, Q3 2026 or Sep 2026; if it means none, say so in the mapping, {"none": ["soon"]}',
    ],
  },
  {
    of: "Our plan,,\nWas,Wo,Wann\nDark mode,Widgets,Q3 2026\n",
    fields: {
      feature_name: { from: "Was" },
      product_name: { from: "Wo" },
      release_status: { value: "Planned" },
    },
    is: ["Dark mode | Widgets | planned | -"],
  },
  {
    // The first row already fits, whatever stands in the others.
    of: "Title,Product,State,Note,More\nStatus,Type,Planned,Key,Date\n",
    is: ["Status | Type | planned | -"],
  },
  {
    of: "Our plan,,\n,,\nTitle,Wo,Wann\nDark mode,Widgets,Q3 2026\n",
    refused: /^row 3 looks like the header: remove the rows above it$/m,
  },
);

const JIRA_SHOWS = [...SHOWS, "last_modified", "feature_description"] as const;
const DARK_JIRA =
  "Dark mode | Widgets | Story | To Do | 2026-12-31 | 2026-06-20 | Colours, at last";
testReading("Jira exports are read unchanged, as CSV and as JSON", {
  of: JIRA_CSV,
  shows: JIRA_SHOWS,
  is: [
    `${DARK_JIRA}\nfor all`,
    "Light mode | Widgets | Epic | In Progress | - | 2026-06-19 | -",
  ],
}, { of: JIRA_JSON, shows: JIRA_SHOWS, is: [`${DARK_JIRA}\n\nfor all`] });

const REPOSITORY = "https://api.github.com/repos/octo/widgets";
const ISSUE = {
  url: `${REPOSITORY}/issues/7`,
  repository_url: REPOSITORY,
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
const ISSUES = [
  ISSUE,
  { ...ISSUE, id: 101, number: 8, title: "Maps", milestone: null, body: null, labels: [] },
];

testReading("GitHub issues are read unchanged", {
  of: ISSUES,
  shows: [...SHOWS, "feature_description"],
  is: [
    "Dark mode | widgets | Not stated | open | 2026-12-31 | Colours",
    "Maps | widgets | Not stated | open | - | -",
  ],
}, {
  of: ISSUES,
  fields: { release_status: { labels: { "coming soon": "In development" }, default: "Planned" } },
  shows: ["feature_name", "release_status"],
  is: ["Dark mode | In development", "Maps | Planned"],
});

const RELEASE = {
  url: `${REPOSITORY}/releases/1`,
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
const IN_PROGRESS = ["Dark mode | widgets | Not stated | In Progress | -"];
testReading("For GitHub releases, milestones and projects the missing fields are reported", {
  of: [RELEASE],
  refused: [
    'no column found for release_status (columns are "url", "id", "tag_name", "name", "draft", ' +
    '"prerelease", "created_at", "published_at", "body", "author"): name one in a mapping ' +
    '(--fields), {"release_status": "COLUMN"}, or the same for every item, ' +
    '{"release_status": {"value": "Planned"}}',
  ],
}, {
  of: [RELEASE],
  fields: { product_name: { value: "Widgets" }, release_status: { value: "Shipped" } },
  shows: SHOWS,
  is: ["Version 1 | Widgets | Not stated | Shipped | 2026-06-02"],
}, {
  of: [{
    url: `${REPOSITORY}/milestones/1`,
    id: 5,
    number: 1,
    title: "v1",
    description: "First",
    creator: { login: "octocat" },
    state: "open",
    updated_at: "2026-06-02T00:00:00Z",
    due_on: "2026-12-31T08:00:00Z",
  }],
  fields: { product_name: { value: "Widgets" } },
  shows: SHOWS,
  is: ["v1 | Widgets | Not stated | open | 2026-12-31"],
}, {
  // gh project item-list --format json
  of: {
    items: [{
      content: { body: "B", number: 1, repository: "octo/widgets", title: "T", type: "Issue" },
      id: "PVTI_lADO",
      repository: "https://github.com/octo/widgets",
      status: "In Progress",
      title: "Dark mode",
    }],
    totalCount: 1,
  },
  shows: SHOWS,
  is: IN_PROGRESS,
}, {
  // "Export view data" of a project's page
  name: "project.tsv",
  of: "Title\tURL\tAssignees\tStatus\tRepository\n" +
    "Dark mode\thttps://github.com/octo/widgets/issues/7\toctocat\tIn Progress\tocto/widgets\n",
  shows: SHOWS,
  is: IN_PROGRESS,
});

const OWN = { id: 1, name: "Dark mode", state: "open", product: "Widgets", eta: 2027 };
const OWN_LINE = "Dark mode | Widgets | Not stated | open | 2027-12-31";
testReading(
  "Lists under a name, and the sample itself, are read",
  ...["data", "items", "issues"].map((list) => ({
    ...{ of: { [list]: [OWN] }, shows: SHOWS, is: [OWN_LINE] },
  })),
  {
    name: "own.txt",
    of: `${JSON.stringify(OWN)}\n${JSON.stringify({ ...OWN, id: 2 })}\n`,
    shows: SHOWS,
    is: [OWN_LINE, OWN_LINE],
  },
  {
    name: "roadmap.json",
    of: await Deno.readFile(new URL("../../sample/roadmap.json", import.meta.url)),
    shows: [],
    is: Array(100).fill(""),
  },
);

/** Made by Python: uuid.uuid5(uuid.uuid5(uuid.NAMESPACE_URL, "roadcast"), '["default","PROJ-1"]'). */
const IDS: readonly (readonly [ids: readonly string[], of: ReadCase])[] = [
  [[
    "95a3e4ae-64a8-52d3-bc1c-b93842a05047",
    "abcdefab-0000-4000-8000-00000000000a",
    "c0e9c307-5eb4-58d8-89a0-8a95f9ce3cbf",
  ], {
    of: "Key,Title,Product,Status\n" +
      ["PROJ-1", "1", "ABCDEFAB-0000-4000-8000-00000000000A"]
        .map((id) => `${id},Dark mode,Widgets,Planned\n`).join(""),
  }],
  [["83031dd4-6567-5265-9d89-59e3b26e9e26"], {
    of: "Key,Title,Product,Status\nPROJ-1,Dark mode,Widgets,Planned\n",
    sourceName: "ours",
  }],
  [["9b189186-bacc-5ef0-8474-578bba3ad597"], {
    of: "Title,Product,Status\nDark mode,Widgets,Planned\n",
  }],
];

Deno.test("IDs of any kind become stable UUIDs", async () => {
  const idsOf = async ({ of, sourceName = "default" }: ReadCase) => {
    const name = typeof of === "string" ? "a.csv" : "a.json";
    const { items } = await readTable(name, of, { sourceName });
    return items.map(({ release_item_id }) => release_item_id).sort();
  };
  for (const [ids, read] of IDS) assertEquals(await idsOf(read), ids);
  const [[known]] = IDS as [typeof IDS[number]];
  const json = [{ id: 1, title: "Dark mode", product: "Widgets", status: "Planned" }];
  for (const  of of[json, [makeItem(1, { release_item_id: "PROJ-1" })]]) {
    assert(known.includes((await idsOf({ of }))[0]!));
  }
});

const INFORMAL =
  "release_item_id,feature_name,release_type,release_status,product_name,release_date,active\n" +
  "1,A,GA,Planned,P,12/31/2026,WAHR\nPROJ-1,B,,Planned,P,Q1/2027,VRAI\n" +
  "x,C,GA,Planned,P,January 2027,\ny,D,GA,Planned,P,2027,FALSCH\n";
testReading("Standard column names with informal values are read", {
  of: INFORMAL,
  shows: ["feature_name", "release_type", "release_date"],
  is: ["A | GA | 2026-12-31", "B | Not stated | 2027-03-31", "C | GA | 2027-01-31"],
  leftOut: { "not active": 1 },
}, { of: INFORMAL.replace("WAHR", "maybe"), refused: ['row 2: "active" must be true or false'] });

testReading(
  "A binary file is refused with advice",
  ...([
    ["roadmap.xls", [0xd0, 0xcf, 0x11, 0xe0], /an old spreadsheet \(\.xls\).*save it as \.xlsx/],
    ["roadmap.json.gz", [0x1f, 0x8b, 8, 0], /compressed \(gzip\): unpack it/],
    ["roadmap.pdf", [0x25, 0x50, 0x44, 0x46], /a PDF, not text: export/],
  ] as const).map(([name, bytes, refused]) => ({ name, of: Uint8Array.from(bytes), refused })),
);

const FIELDS = {
  release_item_id: { from: "Ticket" },
  feature_name: { from: "What" },
  product_name: { value: "Widgets" },
  release_status: { from: "Status", values: { open: "Planned", closed: "Shipped" } },
  release_type: { from: "kind", default: "General availability" },
  release_date: { from: "When", format: "DD/MM/YYYY" },
  feature_description: null,
};
const CHOICES = "Title,Product,Status,State,Due,Target\na,b,c,d,Q1 2027,Q2 2027\n";
testReading("A mapping overrides column names, and maps their values", {
  of: "Ticket,What,Status,Kind,When,Description,Product\n" +
    "7,Dark mode,OPEN,,03/04/2026,secret,Ignored\n" +
    "8,Light mode, closed ,Preview,Q3 2026,secret,Ignored\n" +
    "9,No mode,waiting,Preview,TBD,secret,Ignored\n",
  fields: FIELDS,
  shows: [...SHOWS, "feature_description"],
  is: [
    "Dark mode | Widgets | General availability | Planned | 2026-04-03 | -",
    "Light mode | Widgets | Preview | Shipped | 2026-09-30 | -",
    "No mode | Widgets | Preview | waiting | - | -",
  ],
}, {
  of: [{ Ticket: 1, about: { title: { en: "Deep" } }, Status: "open", Kind: "x", When: "" }],
  fields: { ...FIELDS, feature_name: { from: "about.title.en" } },
  shows: ["feature_name"],
  is: ["Deep"],
}, {
  of: "Title,Product,State\none,P,a\nthree,P,c\ntwo,P,\n",
  fields: { release_status: { from: "State", values: { a: "A" }, default: "B" } },
  shows: ["feature_name", "release_status"],
  is: ["one | A", "three | B", "two | B"],
});

testReading("Ambiguous columns are reported with the mapping to write", {
  of: CHOICES,
  refused: [
    '"Due" and "Target" could be release_date: choose with a mapping (--fields), {"release_date": "Due"}',
    '"Status" and "State" could be release_status: choose with a mapping (--fields), {"release_status": "Status"}',
  ],
}, {
  of: CHOICES,
  fields: { release_status: { from: "state" }, release_date: null },
  shows: ["release_status", "release_date"],
  is: ["d | -"],
}, {
  of: "Title,Product,Status\na,b,c\n",
  fields: { release_type: { from: "Knd" } },
  refused: [
    'the mapping takes release_type from "Knd", but that column does not exist: ' +
    'columns are "Title", "Product", "Status"',
  ],
});

testReading("Every problem is reported with its spreadsheet row number", {
  of: "Key;Title;Product;Status;Due\n" +
    "A;One;P;Planned;03/04/2026\n" +
    'B;"Two\n\nlines";P;;soon\n' +
    "\n" +
    ";;;;\n" +
    "C;;P;Planned;1900-01-01\n" +
    "A;Four;P;Planned;9999-12-31\n" +
    "D;Five;P\n",
  refused: [
    'row 2: "Due" is "03/04/2026", which may be 2026-04-03 or 2026-03-04: say which with a "format" in the mapping, "DD/MM/YYYY" or "MM/DD/YYYY"',
    'row 3: "Due" is "soon", which is not a date such as 2026-09-30, Q3 2026 or Sep 2026; if it means none, say so in the mapping, {"none": ["soon"]}',
    'row 6: "Due" is "1900-01-01", not between 1970 and 2199: leave it empty where there is no date',
    'row 6: "Title" is empty',
    'row 7: "Due" is "9999-12-31", not between 1970 and 2199: leave it empty where there is no date',
    'row 7: its "Key" "A" is already used by row 2',
  ],
}, {
  of: "Title,Product,Status\na,b,c\na,b,d\n",
  refused: [
    "row 3: its product and name are those of row 2 already: a column of ids, such as Key, distinguishes them",
  ],
});

testOnOne("The first 50 of many problems are reported, with their total", async (database) => {
  await importText(database, EXCEL);
  const rows = Array.from({ length: 3_000 }, (_, number) => `${number},Name,Product,\n`).join("");
  await rejects(importText(database, `Key,Title,Product,Status\n${rows}`), (error: Error) => {
    assert(error instanceof SnapshotProblems);
    assertEquals([error.problems.length, error.total], [50, 3_000]);
    const lines = error.message.split("\n");
    assertEquals(lines.length, 52);
    assert(lines[0]!.endsWith(".csv, it has 3000 problems:"), lines[0]);
    assert(lines[1]!.startsWith('  row 2: "Status" is empty'), lines[1]);
    assertEquals(lines[51], "  … and 2950 more");
    return true;
  });
  await using app = await startApp(database);
  assertEquals((await app.json("/api/releases")).data.length, 3);
});

slowOnDatabases("10,000 products are imported as 10,000 products", async (database) => {
  const count = 10_000;
  const rows = Array.from({ length: count }, (_, number) => `Name,Product ${number},Planned\n`);
  const { added } = await importText(database, `Title,Product,Status\n${rows.join("")}`);
  assertEquals(added, count);
  await using app = await startApp(database);
  assertEquals((await app.json("/api/filter-options")).product_names.length, count);
});

const VERSIONS = [
  {
    id: 1,
    title: ["Dark ", "mode"].map((plain_text) => ({ type: "text", plain_text })),
    text: "<p>Now <b>bold</b></p>",
    versions: [{ name: "a", day: "2026-09-01" }, { name: "b", day: "2026-10-01" }],
    kind: "fixed",
  },
  { id: 2, title: "Maps", text: "1 < 2", versions: [{ day: "2026-09-02" }], kind: "draft" },
  { id: 3, title: "Fax", versions: [], kind: null },
];
const BY_INDEX = {
  feature_description: { from: "text", format: "html" },
  product_name: { value: "Widgets" },
  release_status: { from: "kind", where: { kind: "fixed" }, default: "Open" },
  release_date: { from: "versions.0.day", where: { kind: { not: "draft" } } },
};
testReading("A field is read by its index in a list, or where a condition is met", {
  of: VERSIONS,
  fields: BY_INDEX,
  shows: ["feature_name", "feature_description", "release_status", "release_date"],
  is: [
    "Dark mode | Now **bold** | fixed | 2026-09-01",
    "Fax | - | Open | -",
    "Maps | 1 < 2 | Open | -",
  ],
}, {
  of: VERSIONS,
  fields: { ...BY_INDEX, release_date: { from: "kind", where: { sort: "fixed" } } },
  refused: [
    '"where" names "sort", but that column does not exist: columns are "id", "title", "text", ' +
    '"versions", "kind"',
  ],
});

Deno.test("HTML has an end, and deep nesting becomes plain text", async () => {
  const texts = {
    long: `<p>${"word ".repeat(20_000)}</p><p>The end</p>`,
    picture: `<p>Before <img src="data:image/png;base64,${"A".repeat(200_000)}"> after</p>`,
    nested: `${"<ul><li>".repeat(400)}${"line\n".repeat(200)}`,
    // What closes nothing opens no level for what follows either.
    closed: `${"<ul></b>".repeat(2_000)}${"line\n".repeat(200)}`,
    blank: `<p>Text</p><pre><code>${"\t\n".repeat(60_000)}`,
    list: "<ul><li>One</li><li><p>Two  </p></li></ul><p>Then</p>",
  };
  const { items } = await readTable(
    "a.json",
    Object.entries(texts).map(([title, text]) => ({ id: title, title, text })),
    {
      fields: {
        feature_description: { from: "text", format: "html" },
        product_name: { value: "Widgets" },
        release_status: { value: "Open" },
      },
    },
  );
  const described = Object.fromEntries(
    items.map((item) => [item.feature_name, String(item.feature_description)]),
  );
  assertEquals(described.long!.length <= 65_536, true);
  assertEquals([described.long!.slice(-1), described.long!.includes("The end")], ["…", false]);
  assertEquals(described.picture, "Before after");
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
const PRODUCTS = ["feature_name", "product_names", "tags"] as const;
testReading("A mapping names several products, and tags, of existing columns", {
  of: COMPONENTS,
  fields: {
    product_name: { from: "Components", split: ",", default: "Other" },
    tags: { Team: { from: "Squad" }, Platform: { from: "Platforms", split: ";" } },
  },
  shows: PRODUCTS,
  is: [
    'Dark mode | Web app + Mobile | {"Team":["Blue"],"Platform":["Web","iOS"]}',
    'Import | Other | {"Team":["Red"],"Platform":["Web"]}',
    "Offline maps | Maps + Mobile | {}",
  ],
}, {
  of: COMPONENTS,
  fields: { product_name: { value: "One" } },
  shows: PRODUCTS,
  is: ["Dark mode", "Import", "Offline maps"].map((name) => `${name} | One | {}`),
}, {
  of: COMPONENTS,
  fields: {
    tags: { Team: { from: "Crew" }, Area: { labels: "area/*" } },
    product_name: { value: "A" },
  },
  refused: ['"Team" from "Crew"', '"Area" from labels, "area/*"'].map((tag) =>
    `the mapping takes the tags ${tag}, but that column does not exist: columns are "Key", ` +
    '"Summary", "Status", "Components", "Squad", "Platforms"'
  ),
});

testReading(
  "What a document means does not depend on how long its texts are",
  ...[1, 1_500].map((length) => ({
    of: Array.from({ length: 120 }, (_, number) => ({
      id: number,
      title: String(number).padStart(3, "0"),
      product: "Widgets",
      status: "Planned",
      description: "x".repeat(length),
      ...(number < 60 ? { notes: "2026-09-30" } : { release_date: "2026-12-31" }),
    })),
    shows: ["release_date"] as const,
    is: [...Array(60).fill("-"), ...Array(60).fill("2026-12-31")],
  })),
);

const DAYS = "Title,Product,Status,Updated,Created\na,b,Planned,9/7/2026 15:24,soon\n" +
  "c,b,Planned,2026-07-01,2026-06-01\n";
testReading("A day that nobody asked for is left out where it cannot be read", {
  of: DAYS,
  shows: ["feature_name", "last_modified"],
  is: ["a | -", "c | 2026-07-01"],
}, {
  of: DAYS,
  fields: { last_modified: { from: "Updated" } },
  refused: /^row 2: "Updated" is "9\/7\/2026 15:24".*$/,
});

testOnDatabases("A source cannot date a change later than its import", async (database) => {
  const body = "Title,Product,Status,Updated\na,b,Planned,2062-11-24\n";
  const mended = body.replace("Planned", "Shipped").replace("2062-11-24", "2026-07-01");
  await using app = await startApp(database);
  for (const text of [body, mended]) {
    await importText(database, text);
    assertEquals((await app.json("/api/releases?include_inactive=1")).data[0].last_modified, TODAY);
  }
});

const SHORT = "Title,Product,Status,Due,Notes\nA,b,Planned,Q3 2026\nB,b,Planned\n";
testReading("Excel's short rows are read, and rows with too many cells are not", {
  of: SHORT,
  is: ["A | b | planned | 2026-09-30", "B | b | planned | -"],
}, {
  of: `${SHORT}C,b,Planned,,x,y\n`,
  refused: [
    "row 4: it has 6 cells, but the first row 5: is a quotation mark or a separator missing?",
  ],
});

testReading("Ids beyond the whole numbers of JavaScript stay apart", {
  name: "large.json",
  of: `)]}'\n[${
    ["9007199254740993", "9007199254740992", "-7"]
      .map((id) => `{"id": ${id}, "title": "a", "product": "b", "status": "c"}`).join()
  }]`,
  shows: ["feature_name"],
  is: ["a", "a", "a"],
});

slowOnOne(
  "A description of more than 65,536 characters is cut, and that is said",
  async (database) => {
    const items = [65_536, 65_537, 200_000].map((length, place) =>
      makeItem(place + 1, { feature_description: "🙂".padEnd(length + 1, "a") })
    );
    const { notes } = await importItems(database, items);
    assertEquals(notes, ["2 descriptions are longer than 65,536 characters: they are cut"]);
    assertEquals((await importItems(database, items)).changed, 0);
    await using app = await startApp(database, { ROADMAP_VARIANT: "b" });
    const { data } = await app.json("/api/releases");
    const texts = data.map((item: Record<string, string>) => item.feature_description!);
    assertEquals(texts.map((text: string) => [...text].length), [65_536, 65_536, 65_536]);
    assertEquals(texts.filter((text: string) => text.endsWith("…")).length, 2);
  },
);
