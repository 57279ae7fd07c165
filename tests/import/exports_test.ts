import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { rejects } from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { SnapshotProblems } from "../../lib/import/snapshot_error.ts";
import { TODAY } from "../support/app.ts";
import { emptyDatabase, testOnDatabases, testOnOne } from "../support/databases.ts";

const FOLDER = new URL("../fixtures/exports/", import.meta.url).pathname;

/** Name, products, status, what it counts as, and the planned day. */
type Row = readonly [string, string, string, string, string | null];

/** What each tool's export becomes without a mapping, and what is left out of it. */
const EXPORTS: Readonly<Record<string, { items: readonly Row[]; left?: Record<string, number> }>> =
  {
    "jira-cloud-us.csv": {
      items: [
        ["Dark mode for dashboards", "Widgets Cloud", "To Do", "planned", "2026-12-31"],
        ["Offline maps", "Widgets Cloud", "In Progress", "in_progress", null],
        ["Single sign-on", "Widgets Cloud", "Done", "shipped", "2026-12-31"],
        ["Fax gateway", "Widgets Cloud", "Won't Do", "stopped", null],
      ],
      left: { "with a security level": 1 },
    },
    "jira-server.csv": {
      items: [
        ["Dark mode", "Widgets Server", "Open", "planned", "2026-09-30"],
        ["Offline maps", "Widgets Server", "In Progress", "in_progress", null],
        ["Single sign-on", "Widgets Server", "Closed", "shipped", "2026-06-15"],
        ["Fax gateway", "Widgets Server", "Closed", "stopped", null],
      ],
      left: { "subitem": 1, "with a security level": 1 },
    },
    "jira-german.csv": {
      items: [
        ["Dunkler Modus", "Widgets", "Zu erledigen", "planned", "2026-09-30"],
        ["Offline-Karten", "Widgets", "In Arbeit", "in_progress", "2026-12-31"],
        ["Anmeldung", "Widgets", "Fertig", "shipped", "2026-06-15"],
      ],
      left: { "with a security level": 1, "subitem": 1 },
    },
    "bugzilla.csv": {
      items: [
        ["Dark mode", "Widgets", "ASSIGNED", "planned", "2026-09-30"],
        ["Offline maps", "Gadgets", "NEW", "planned", null],
        ["Single sign-on", "Widgets", "RESOLVED", "shipped", "2026-10-30"],
        ["Fax gateway", "Widgets", "RESOLVED", "stopped", null],
        ["Fax once more", "Widgets", "VERIFIED", "stopped", null],
        ["Event triggers", "Gadgets", "VERIFIED", "in_progress", "2026-06-30"],
      ],
    },
    "jira-plans.csv": {
      items: [
        ["Dark mode", "Widgets", "In Progress", "in_progress", "2026-09-30"],
        ["Offline maps", "Widgets", "To Do", "planned", "2027-03-31"],
        ["Event triggers", "Widgets", "To Do", "planned", null],
      ],
    },
    "excel-merged-products.xlsx": {
      items: [
        ["Dark mode", "Widgets", "In progress", "in_progress", "2026-09-30"],
        ["Single sign-on", "Widgets", "Done", "shipped", "2026-10-30"],
        ["Fax gateway", "Widgets", "Cancelled", "stopped", null],
        ["Offline maps", "Gadgets", "Planned", "planned", "2027-03-31"],
        ["Event triggers", "Gadgets", "Planned", "planned", "2027-06-30"],
      ],
    },
    "excel-two-header-lines.xlsx": {
      items: [
        ["Dark mode", "Widgets", "In progress", "in_progress", "2026-09-30"],
        ["Offline maps", "Gadgets", "Planned", "planned", "2027-03-31"],
      ],
    },
    "linear.csv": {
      items: [
        ["Dark mode", "Widgets 3", "In Progress", "in_progress", "2026-06-25"],
        ["Offline maps", "Widgets 3", "Backlog", "planned", "2026-09-30"],
        ["Single sign-on", "Widgets", "Done", "shipped", null],
        ["Fax gateway", "Widgets 3", "Canceled", "stopped", null],
        ["Dark mode twice", "Widgets 3", "Duplicate", "stopped", null],
      ],
    },
    "azure-devops.csv": {
      items: [
        ["Dark mode", "Widgets", "Active", "in_progress", "2026-09-30"],
        ["Offline maps", "Widgets", "New", "planned", "2027-03-31"],
        ["Single sign-on", "Gadgets", "Closed", "shipped", "2026-06-15"],
        ["Fax gateway", "Gadgets", "Removed", "stopped", null],
        ["Passkeys", "Gadgets", "Resolved", "shipped", "2026-06-07"],
      ],
    },
    "azure-devops-tree.csv": {
      items: [
        ["Comfort", "Widgets", "Active", "in_progress", "2026-12-31"],
        ["Dark mode", "Widgets", "Active", "in_progress", "2026-09-30"],
        ["Theme switch", "Widgets", "New", "planned", null],
        ["Trust", "Gadgets", "Closed", "shipped", "2026-06-15"],
      ],
    },
    "azure-devops-german.csv": {
      items: [
        ["Offline-Karten", "Mobil", "Aktiv", "in_progress", "2026-09-30"],
        ["Nachtmodus", "Mobil", "Geschlossen", "shipped", "2026-06-30"],
      ],
    },
    "shortcut.csv": {
      items: [
        ["Bulk editing", "Editor", "Ready for Dev", "planned", "2026-09-15"],
        ["Dark theme", "Editor", "Completed", "shipped", null],
      ],
      left: { "archived": 1 },
    },
    "youtrack.csv": {
      items: [
        ["Offline maps", "Maps", "In Progress", "in_progress", "2026-09-30"],
        ["Night mode", "Maps", "Fixed", "shipped", null],
        ["Walk routes", "Maps", "Won't fix", "stopped", null],
      ],
    },
    "wrike.csv": {
      items: [
        ["Offline maps", "My source", "Active", "in_progress", "2026-09-30"],
        ["Night mode", "My source", "Completed", "shipped", "2026-06-30"],
        ["Walks", "My source", "Deferred", "planned", "2026-12-30"],
      ],
    },
    "smartsheet.csv": {
      items: [
        ["Offline maps", "Maps", "In Progress", "in_progress", "2026-09-30"],
        ["Night mode", "Maps", "Complete", "shipped", "2026-06-13"],
        ["Walk routes", "Maps", "Not Started", "planned", "2026-12-15"],
      ],
    },
    "productplan.csv": {
      items: [
        ["Offline maps", "My source", "Committed", "in_progress", "2026-09-30"],
        ["Night mode", "My source", "Done", "shipped", "2026-06-30"],
      ],
    },
    "canny.csv": {
      items: [
        ["Offline maps", "Feature requests", "in progress", "in_progress", "2026-09-30"],
        ["Night mode", "Feature requests", "complete", "shipped", null],
        ["Walks", "Feature requests", "under review", "planned", null],
      ],
    },
    "github-project.tsv": {
      items: [
        ["Dark mode", "widgets", "In Progress", "in_progress", "2026-09-30"],
        ["Offline maps", "maps", "Todo", "planned", null],
        ["A draft", "My source", "Not stated", "planned", null],
        ["Single sign-on", "widgets", "Done", "shipped", "2026-06-15"],
      ],
    },
    "github-project.json": {
      items: [
        ["Dark mode", "widgets", "In Progress", "in_progress", "2026-09-30"],
        ["Offline maps", "My source", "Todo", "planned", null],
        ["Single sign-on", "widgets", "Done", "shipped", "2026-06-15"],
        ["An idea", "My source", "Not stated", "planned", null],
      ],
    },
    "gitlab-issues.csv": {
      items: [
        ["Dark mode", "My source", "Open", "planned", "2026-09-30"],
        ["Single sign-on", "My source", "Closed", "shipped", null],
      ],
      left: { "confidential": 1 },
    },
    "notion.csv": {
      items: [
        ["Dark mode", "Widgets", "Not started", "planned", "2026-09-30"],
        ["Offline maps", "Widgets", "In progress", "in_progress", "2026-12-18"],
        ["Single sign-on", "Gadgets", "Done", "shipped", "2026-06-01"],
      ],
    },
    "airtable.csv": {
      items: [
        ["Dark mode", "Widgets", "In progress", "in_progress", "2026-09-30"],
        ["Offline maps", "Widgets,Maps", "Todo", "planned", "2026-12-18"],
        ["Single sign-on", "Gadgets", "Done", "shipped", "2026-06-07"],
      ],
      left: { "not public": 1 },
    },
    "asana.csv": {
      items: [
        ["Dark mode", "Widgets", "Doing", "in_progress", "2026-09-30"],
        ["Offline maps", "Widgets + Maps", "To do", "planned", null],
        ["Single sign-on", "Gadgets", "Done", "shipped", "2026-06-15"],
        ["Fax gateway", "My source", "Won't do", "stopped", null],
      ],
      left: { "subitem": 1 },
    },
    "monday.xlsx": {
      items: [
        ["Dark mode", "Widgets", "Working on it", "in_progress", "2026-09-30"],
        ["Passkeys", "Gadgets", "Stuck", "in_progress", "2026-10-15"],
        ["Offline maps", "Widgets", "Not stated", "planned", "2027-03-31"],
        ["Single sign-on", "Gadgets", "Done", "shipped", "2026-06-15"],
      ],
      left: { "repeated header": 3, "subitem": 1, "group title": 2 },
    },
    "monday.csv": {
      items: [
        ["Dark mode", "Widgets", "Working on it", "in_progress", "2026-09-30"],
        ["Passkeys", "Gadgets", "Stuck", "in_progress", "2026-10-15"],
        ["Offline maps", "Widgets", "Not stated", "planned", null],
      ],
      left: { "group title": 2, "repeated header": 1 },
    },
    "trello.csv": {
      items: [
        ["Dark mode", "Widgets", "Doing", "in_progress", "2026-09-30"],
        ["Offline maps", "Widgets", "Backlog", "planned", null],
        ["Single sign-on", "Widgets", "Done 🎉", "shipped", "2026-06-15"],
      ],
      left: { "archived": 1 },
    },
    "trello.json": {
      items: [
        ["Dark mode", "Widgets", "Doing", "in_progress", "2026-09-30"],
        ["Offline maps", "Widgets", "Backlog", "planned", null],
        ["Single sign-on", "Widgets", "Done", "shipped", "2026-06-15"],
      ],
      left: { archived: 2 },
    },
    "productboard-tree.csv": {
      items: [["Dark mode", "My source", "In progress", "in_progress", "2026-09-30"]],
      left: { "group title": 2 },
    },
    "linear.json": {
      items: [
        ["A", "P", "Cooking", "in_progress", "2026-09-30"],
        ["B", "My source", "Nope", "stopped", null],
      ],
    },
    "jira.json": {
      items: [
        ["A", "Widgets", "Foo bar", "stopped", "2026-09-30"],
        ["B", "Widgets", "QA3", "in_progress", null],
      ],
    },
    "github-issues.json": {
      items: [
        ["A", "My source", "closed", "stopped", null],
        ["B", "My source", "closed", "shipped", null],
        ["C", "My source", "open", "planned", "2026-09-30"],
      ],
    },
    "notion-relations.csv": {
      items: [["A", "Widgets", "In progress", "in_progress", "2026-10-02"]],
      left: { subitem: 1 },
    },
    "productboard.csv": {
      items: [
        ["Dark mode", "Widgets", "In progress", "in_progress", "2026-09-30"],
        ["Offline maps", "Widgets", "Candidate", "planned", "2027-09-30"],
        ["Single sign-on", "Gadgets", "Released", "shipped", "2026-06-30"],
      ],
      left: { "subitem": 1, "archived": 1 },
    },
    "aha.csv": {
      items: [
        ["Dark mode", "Widgets", "In development", "in_progress", "2026-09-30"],
        ["Offline maps", "Widgets", "Under consideration", "planned", null],
        ["Single sign-on", "Gadgets", "Shipped", "shipped", "2026-06-15"],
        ["Fax gateway", "Gadgets", "Will not implement", "stopped", null],
        ["Passkeys", "Gadgets", "Ready to ship", "in_progress", "2026-09-30"],
      ],
    },
    "clickup.csv": {
      items: [
        ["Dark mode", "Widgets", "in progress", "in_progress", "2026-09-30"],
        ["Offline maps", "Widgets", "Open", "planned", null],
        ["Single sign-on", "Gadgets", "complete", "shipped", "2026-06-15"],
      ],
      left: { "subitem": 1 },
    },
    "google-sheets-ddmm.csv": {
      items: [
        ["Dark mode", "Widgets", "In development", "in_progress", "2026-09-30"],
        ["Offline maps", "Widgets", "Planned", "planned", "2026-11-05"],
        ["Single sign-on", "Gadgets", "Shipped", "shipped", "2026-06-01"],
      ],
    },
    "german-excel.csv": {
      items: [
        ["Dunkler Modus für Übersichten", "Geräte", "In Arbeit", "in_progress", "2026-09-30"],
        ["Offline-Karten – überall", "Geräte", "Geplant", "planned", "2027-03-31"],
      ],
      left: { "not public": 1 },
    },
    "german-excel-english-names.csv": {
      items: [
        ["Dunkler Modus für Übersichten", "Geräte", "In Arbeit", "in_progress", "2026-09-30"],
        ["Offline-Karten – überall", "Geräte", "Geplant", "planned", "2027-03-31"],
        ["Anmeldung „einmal“", "Dienste", "Veröffentlicht", "shipped", "2026-06-30"],
      ],
    },
    "libreoffice-french.csv": {
      items: [
        ["Mode sombre", "Widgets", "En cours", "in_progress", "2026-09-30"],
        ["Cartes hors ligne", "Widgets", "À faire", "planned", "2026-12-01"],
        ["Connexion", "Gadgets", "Terminé", "shipped", "2026-06-05"],
      ],
      left: { "not public": 1, "sum": 1 },
    },
    "excel-portuguese.txt": {
      items: [
        ["Modo escuro", "Widgets", "Em andamento", "in_progress", "2026-09-30"],
        ["Mapas", "Widgets", "A fazer", "planned", "2026-12-31"],
        ["Login", "Gadgets", "Concluído", "shipped", "2026-06-15"],
      ],
    },
  };

testOnOne("The exports of tools are imported without a mapping", async (database) => {
  for (const [file, { items, left = {} }] of Object.entries(EXPORTS)) {
    await emptyDatabase(database);
    const counts = await importLocation(database, FOLDER + file, {
      asOf: TODAY,
      sourceName: "My source",
    });
    assertEquals([file, counts.added, counts.left_out_because ?? {}], [file, items.length, left]);
    const rows = await database.query<Record<string, string>>(sql`
      select feature_name, array_to_string(product_names, ' + ') as products, release_status, tone,
        release_date::text as release_date
      from items
    `);
    const found = rows.map((row) => [
      row.feature_name,
      row.products,
      row.release_status,
      row.tone,
      row.release_date,
    ]);
    const byName = (one: readonly unknown[], other: readonly unknown[]) =>
      String(one[0]) < String(other[0]) ? -1 : 1;
    assertEquals([file, found.toSorted(byName)], [file, items.toSorted(byName)]);
  }
});

testOnOne("Dates with one reading are read, all others are refused", async (database) => {
  const file = `${FOLDER}how-people-write-dates.csv`;
  await rejects(importLocation(database, file, { asOf: TODAY }), (error: Error) => {
    if (!(error instanceof SnapshotProblems)) throw error;
    assertEquals(error.problems.map(({ row }) => row), [3, 4, 5, 6, 9, 12, 16, 19, 24]);
    match(error.message, /row 4: "Due" is "FY27 Q1", which may be Q1 2027 or Q3 2026: say which/);
    return true;
  });
  // What each message says settles it.
  const values = {
    "FY27 Q1": "Q3 2026",
    "Q4": "Q4 2026",
    "mid 2026": "Q3 2026",
    "Sep 26": "2026-09-30",
    "Summer 2027": "Q3 2027",
    "H1": "H1 2027",
    "early 2027": "Q1 2027",
  };
  const fields = { release_date: { from: "Due", values, none: ["Later", "now"] } };
  const { added } = await importLocation(database, file, { asOf: TODAY, fields });
  assertEquals(added, 26);
});

testOnDatabases(
  "Dates that prove no order are read in that of the source's last import",
  async (database) => {
    const folder = await Deno.makeTempDir();
    const file = `${folder}/roadmap.csv`;
    const read = async (...days: string[]) => {
      const rows = days.map((day, number) => `${number},Item ${number},P,Planned,${day}\n`).join(
        "",
      );
      await Deno.writeTextFile(file, `Key,Title,Product,Status,Due\n${rows}`);
      const options = { asOf: TODAY, sourceName: "sheet", allowMassRemoval: true };
      await importLocation(database, file, options);
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
    await Deno.remove(folder, { recursive: true });
  },
);

testOnOne(
  "A mapping names several columns, a column of categories, and full or empty cells",
  async (database) => {
    const folder = await Deno.makeTempDir();
    const file = `${folder}/roadmap.csv`;
    await Deno.writeTextFile(
      file,
      "Key,Title,Short,Stand,Group,Due,Quarter,Hidden,Archived\n" +
        "1,,One,Wave 1,Done,,Q3 2026,,\n" +
        "2,Two,2,Wave 2,In progress,Later,Q4 2026,,yes\n" +
        "3,Three,3,Wave 3,,2026-10-01,,,\n" +
        "4,Four,4,Wave 3,,,,x,\n",
    );
    const fields = {
      feature_name: { from: ["Title", "Short"] },
      release_status: { from: "Stand", tone: "Group", tones: { "wave 3": "stopped" as const } },
      release_date: { from: ["Due", "Quarter"], none: ["later"] },
      // Speaking of a column replaces what it would leave out by itself.
      where: { Hidden: "", Archived: ["yes", ""], Short: "*" },
    };
    const options = { asOf: TODAY, sourceName: "sheet", fields };
    const { added, left_out_because } = await importLocation(database, file, options);
    assertEquals([added, left_out_because], [3, { "by the mapping": 1 }]);
    const rows = await database.query<Record<string, string>>(sql`
      select feature_name, tone, tone_by, release_date::text as day from items order by 1
    `);
    assertEquals(rows.map((row) => ({ ...row })), [
      { feature_name: "One", tone: "shipped", tone_by: "category", day: "2026-09-30" },
      { feature_name: "Three", tone: "stopped", tone_by: "mapping", day: "2026-10-01" },
      { feature_name: "Two", tone: "in_progress", tone_by: "category", day: null },
    ]);
    const wrong = { release_status: { from: "Stand", tone: "Grop" } };
    await rejects(
      importLocation(database, file, { ...options, fields: wrong }),
      /the mapping takes the tone from "Grop", but that column does not exist: columns are "Key"/,
    );
    await Deno.remove(folder, { recursive: true });
  },
);
