import { deepStrictEqual as assertEquals } from "node:assert/strict";
import papaparse from "papaparse";
import { type Concept, LANGUAGES, phraseIn } from "../../lib/import/mapping/lexicon.ts";
import { type ReadTable, readTable } from "../support/read_table.ts";

/** What stays the same, however a table is written. */
function releasesOf({ items, problems, refused }: ReadTable): unknown {
  if (refused !== null || problems.length > 0) return refused ?? problems;
  return items.map((item) => [
    item.feature_name,
    item.product_names,
    item.release_status,
    item.tone,
    item.release_date,
  ]).toSorted((one, other) => String(one[0]) < String(other[0]) ? -1 : 1);
}

/** A table with columns of many roles, of which one release is not for everybody. */
const COLUMNS: readonly (readonly [Concept, ...string[]])[] = [
  ["number", "1", "2", "3", "4"],
  ["title", "Dark mode", "Offline maps", "Single sign-on", "Price increase"],
  ["product", "Widgets", "Gadgets", "Widgets", "Widgets"],
  ["status", "In progress", "Planned", "Shipped", "Planned"],
  ["start", "2026-01-05", "2026-02-05", "2026-03-05", "2026-04-05"],
  ["due", "2026-09-30", "2027-03-31", "2026-10-30", "2027-01-31"],
  ["created", "2025-05-13", "2025-05-13", "2025-05-13", "2025-05-13"],
  ["changed", "2026-06-01", "2026-06-02", "2026-06-03", "2026-06-04"],
  ["public", "yes", "yes", "yes", "no"],
];
const EXPECTED = [
  ["Dark mode", ["Widgets"], "In progress", "in_progress", "2026-09-30"],
  ["Offline maps", ["Gadgets"], "Planned", "planned", "2027-03-31"],
  ["Single sign-on", ["Widgets"], "Shipped", "shipped", "2026-10-30"],
];

/** The table in a language: its header, yes and no by the lexicon, its dates by `Intl`. */
function tableIn(language: string, columns = COLUMNS): string[][] {
  const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory`, {
    dateStyle: "long",
    timeZone: "UTC",
  });
  const cellIn = (cell: string) =>
    cell === "yes" || cell === "no"
      ? phraseIn(language, cell)
      : /^\d{4}-/.test(cell)
      ? format.format(new Date(cell))
      : cell;
  return columns[0]!.map((_, row) =>
    columns.map(([concept, ...cells]) =>
      row === 0 ? phraseIn(language, concept) : cellIn(cells[row - 1]!)
    )
  );
}

const read = async (rows: readonly (readonly string[])[], name = "plan.csv") =>
  releasesOf(await readTable(name, papaparse.unparse(rows as string[][])));

Deno.test("A table is the same table in every language of the lexicon", async () => {
  for (const language of LANGUAGES) {
    assertEquals([language, await read(tableIn(language))], [language, EXPECTED]);
  }
});

Deno.test("A column that says who may see a release is found by any of its names", async () => {
  const kept: readonly Concept[] = ["confidential", "archived", "private", "deleted"];
  for (const language of LANGUAGES) {
    for (const concept of kept) {
      const [yes, no] = [phraseIn(language, "yes"), phraseIn(language, "no")];
      const rows = [
        ["Title", "Status", phraseIn(language, concept)],
        ["Dark mode", "Planned", no],
        ["Price increase", "Planned", yes],
      ];
      const found = await read(rows);
      assertEquals([language, concept, found], [language, concept, [
        ["Dark mode", ["My source"], "Planned", "planned", null],
      ]]);
    }
    const rows = [
      ["Title", "Status", "X"],
      ["Dark mode", "Planned", phraseIn(language, "everyone")],
      ["Price increase", "Planned", phraseIn(language, "insiders")],
    ];
    assertEquals([language, await read(rows)], [language, [
      ["Dark mode", ["My source"], "Planned", "planned", null],
    ]]);
  }
});

Deno.test("Why work ended, what is done, sums and parts are found in every language", async () => {
  for (const language of LANGUAGES) {
    const say = (concept: Concept) => phraseIn(language, concept);
    const rows = [
      ["ID", say("title"), say("type"), say("status"), say("reason"), say("done"), "Effort"],
      ["1", "Dark mode", "Story", "Closed", say("unsolved"), say("no"), "3"],
      ["2", "Offline maps", "Story", "Active", "", say("yes"), "4"],
      ["3", "Small part", say("part"), "Active", "", say("no"), "5"],
      ["", say("sum"), "", "", "", "", "12"],
    ];
    const { items, leftOut, problems } = await readTable("plan.csv", papaparse.unparse(rows));
    const found = items.map(({ feature_name, tone }) => [feature_name, tone]);
    const expected = [["Dark mode", "stopped"], ["Offline maps", "shipped"]];
    assertEquals([language, problems, found], [language, [], expected]);
    assertEquals([language, leftOut], [language, { sum: 1, subitem: 1 }]);
  }
});

type Rows = string[][];
const widthOf = (rows: Rows) => Math.max(...rows.map(({ length }) => length));
const padded = (rows: Rows) =>
  rows.map((row) => [...row, ...Array(widthOf(rows) - row.length).fill("")] as string[]);

/** What people do to a table without changing what it says. */
const CHANGES: Readonly<Record<string, (rows: Rows) => Rows>> = {
  "columns in another order": (rows) => padded(rows).map((row) => row.toReversed()),
  "empty columns": (rows) => padded(rows).map((row) => ["", ...row, "", ""]),
  "a title line": (rows) => [["What is coming"], [], ...rows],
  "blank rows": (rows) => rows.flatMap((row, at) => at % 2 ? [row, []] : [row]),
  "a second table below": (rows) => [
    ...rows,
    [],
    ["ID", "Name", "Role", "Phone"],
    ["1", "Ann Lee", "Owner", "none"],
    ["2", "Ben Roe", "Editor", "none"],
  ],
};

/** Files of tools whose order of columns, or whose lines above the header, say something. */
const OWN_WAY: Readonly<Record<string, readonly string[]>> = {};

Deno.test("A table is the same table whatever stands around it", async () => {
  for (const folder of ["exports", "tools", "more-tools"]) {
    const place = new URL(`../fixtures/${folder}/`, import.meta.url);
    for (const { name } of Deno.readDirSync(place)) {
      if (!/\.csv$/.test(name)) continue;
      const bytes = await Deno.readFile(new URL(name, place));
      const expected = releasesOf(await readTable(name, bytes));
      const isUtf8 = !new TextDecoder().decode(bytes).includes("\ufffd");
      if (!Array.isArray(expected) || typeof expected[0] === "string" || !isUtf8) continue;
      const text = new TextDecoder().decode(bytes);
      const { data } = papaparse.parse<string[]>(text.trimEnd());
      for (const [change, apply] of Object.entries(CHANGES)) {
        if (OWN_WAY[name]?.includes(change)) continue;
        assertEquals([name, change, await read(apply(data))], [name, change, expected]);
      }
    }
  }
});

Deno.test("JSON is the same wherever its list lies", async () => {
  const [header, ...rows] = tableIn("en");
  const items = rows.map((row) => Object.fromEntries(row.map((cell, at) => [header![at], cell])));
  const keyed = Object.fromEntries(items.map((item, at) => [`r${at}`, item]));
  const documents: Record<string, unknown> = {
    array: items,
    records: { records: items },
    deep: { data: { roadmap: { list: { nodes: items } } }, users: [{ id: 1, name: "Ann" }] },
    keyed,
    "keyed below": { roadmap: { releases: keyed }, version: 3 },
    fields: items.map((fields, at) => ({ id: `rec${at}`, fields })),
    named: items.map((item) => ({
      values: Object.entries(item).map(([name, value]) => ({ field: { name }, value })),
    })),
  };
  for (const [name, document] of Object.entries(documents)) {
    const found = releasesOf(await readTable("plan.json", JSON.stringify(document)));
    assertEquals([name, found], [name, EXPECTED]);
  }
});
