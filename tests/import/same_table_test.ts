import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { unzipSync, zipSync } from "fflate";
import papaparse from "papaparse";
import { type Concept, LANGUAGES, meaningsOf, phraseIn } from "../../lib/import/mapping/lexicon.ts";
import { type ReadTable, readTable } from "../support/read_table.ts";
import { makeSpreadsheet } from "../support/subjects/spreadsheet.ts";

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

Deno.test("Where names of columns say nothing, the only names and the only statuses are found", async () => {
  for (const language of LANGUAGES) {
    const [, ...rows] = tableIn(language);
    const named = rows.map((row, at) => [...row, `https://example.com/${at}`]);
    const { items, problems } = await readTable(
      "plan.csv",
      papaparse.unparse([named[0]!.map((_, at) => `K${at + 1}`), ...named]),
    );
    const found = items.map(({ feature_name, tone }) => [feature_name, tone]);
    assertEquals([language, problems, found], [language, [], [
      ["Dark mode", "in_progress"],
      ["Offline maps", "planned"],
      ["Price increase", "planned"],
      ["Single sign-on", "shipped"],
    ]]);
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

/** The fixtures of tools with such a name, each with its releases, where it has any. */
async function* filesOf(
  extension: string,
): AsyncGenerator<{ name: string; bytes: Uint8Array<ArrayBuffer>; expected: unknown }> {
  for (const folder of ["tools", "trackers"]) {
    const place = new URL(`../fixtures/${folder}/`, import.meta.url);
    const names = [...Deno.readDirSync(place)].map(({ name }) => name);
    for (const name of names.filter((name) => name.endsWith(extension)).sort()) {
      const bytes = await Deno.readFile(new URL(name, place));
      const expected = releasesOf(await readTable(name, bytes));
      if (Array.isArray(expected) && Array.isArray(expected[0])) yield { name, bytes, expected };
    }
  }
}

Deno.test("A table is the same table whatever stands around it, also in a workbook", async () => {
  for await (const { name, bytes, expected } of filesOf(".csv")) {
    const text = new TextDecoder().decode(bytes);
    if (text.includes("\ufffd")) continue;
    const { data } = papaparse.parse<string[]>(text.trimEnd());
    for (const [change, apply] of Object.entries(CHANGES)) {
      const rows = apply(data);
      assertEquals([name, change, await read(rows)], [name, change, expected]);
      const workbook = releasesOf(await readTable("plan.xlsx", makeSpreadsheet({ Plan: rows })));
      assertEquals([name, "workbook", change, workbook], [name, "workbook", change, expected]);
    }
  }
});

/** How a language calls a column, if that is plain, and no other column is called so. */
function nameIn(language: string, name: string, taken: Set<string>): string {
  const [concept, ...others] = meaningsOf(name);
  if (concept === undefined || others.length > 0) return name;
  const own = phraseIn(language, concept);
  if (own === "" || taken.has(own)) return name;
  taken.add(own);
  return own;
}

/** A table of Pivotal Tracker is known by the names of its columns. */
const KNOWN_BY_NAMES = ["pivotal-tracker.csv"];
/** In these languages two of its columns are called what another one means. */
const MISLEADING = ["aha.csv en", "linear.csv fr"];
/** So many languages are tried with each file, others with the next one. */
const LANGUAGES_A_FILE = 6;

Deno.test("The table of a tool is the same under the names of another language", async () => {
  let turn = 0;
  for await (const { name, bytes, expected } of filesOf(".csv")) {
    const text = new TextDecoder().decode(bytes);
    if (text.includes("\ufffd") || KNOWN_BY_NAMES.includes(name)) continue;
    const [header = [], ...rows] = papaparse.parse<string[]>(text.trimEnd()).data;
    for (let tried = 0; tried < LANGUAGES_A_FILE; tried++) {
      const language = LANGUAGES[turn++ % LANGUAGES.length]!;
      if (MISLEADING.includes(`${name} ${language}`)) continue;
      const taken = new Set(header);
      const renamed = header.map((column) => nameIn(language, column, taken));
      assertEquals([name, language, await read([renamed, ...rows])], [name, language, expected]);
    }
  }
});

/** The XML of a sheet whose cells lie further down, and further to the right. */
function moveCells(xml: string, { rows = 0, columns = 0 }): string {
  const move = (cell: string) =>
    cell.replace(
      /([A-Z]+)([0-9]+)/g,
      (_, letters: string, row: string) =>
        columnOf(numberOf(letters) + columns) + (Number(row) + rows),
    );
  return xml.replace(/<row r="([0-9]+)"/g, (_, row) => `<row r="${Number(row) + rows}"`)
    .replace(/ (min|max)="([0-9]+)"/g, (_, end, column) => ` ${end}="${Number(column) + columns}"`)
    .replace(/ (?:r|ref)="[A-Z]+[0-9]+(?::[A-Z]+[0-9]+)?"/g, move)
    .replace(/ spans="[^"]*"/g, "");
}
const numberOf = (letters: string) =>
  [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
const columnOf = (number: number): string =>
  number > 26
    ? columnOf(Math.floor((number - 1) / 26)) + columnOf((number - 1) % 26 + 1)
    : String.fromCharCode(64 + number);

const TITLE = '<row r="1"><c r="A1" t="inlineStr"><is><t>What is coming</t></is></c></row>';
/** What people do to a sheet without changing what it says. */
const SHEET_CHANGES: Readonly<Record<string, (xml: string) => string>> = {
  "empty rows above": (xml) => moveCells(xml, { rows: 3 }),
  "empty columns before": (xml) => moveCells(xml, { columns: 2 }),
  "a title line": (xml) =>
    moveCells(xml, { rows: 2 }).replace(/<sheetData>/, `<sheetData>${TITLE}`),
};

Deno.test("A workbook is the same wherever its table lies", async () => {
  for await (const { name, bytes, expected } of filesOf(".xlsx")) {
    for (const [change, apply] of Object.entries(SHEET_CHANGES)) {
      const files = Object.entries(unzipSync(bytes)).map(([path, content]) => [
        path,
        /worksheets\/[^/]+\.xml$/.test(path)
          ? new TextEncoder().encode(apply(new TextDecoder().decode(content)))
          : content,
      ]);
      const found = releasesOf(await readTable(name, zipSync(Object.fromEntries(files))));
      assertEquals([name, change, found], [name, change, expected]);
    }
  }
});

type Json = unknown;
/** A document with each of its objects changed, those inside first. */
function eachObject(value: Json, change: (object: Record<string, Json>) => Json): Json {
  if (Array.isArray(value)) return value.map((one) => eachObject(one, change));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, eachObject(one, change)]);
  return change(Object.fromEntries(entries));
}

/** What does not change what a document of JSON says. */
const JSON_CHANGES: Readonly<Record<string, (value: Json) => Json>> = {
  "keys in another order": (value) =>
    eachObject(value, (object) => Object.fromEntries(Object.entries(object).toReversed())),
  "an empty field more": (value) => eachObject(value, (object) => ({ ...object, zz_extra: null })),
  "another key around it": (value) => ({ answer: value, version: 3 }),
  "items in another order": (value) => Array.isArray(value) ? value.toReversed() : value,
};

Deno.test("A document of JSON of a tool is the same, however it is written", async () => {
  for await (const { name, bytes, expected } of filesOf(".json")) {
    let value: Json;
    try {
      value = JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      continue; // with a prefix against other scripts
    }
    for (const [change, apply] of Object.entries(JSON_CHANGES)) {
      // A JSON Feed says at its top that it is one.
      if (name === "jsonfeed-odd.json" && change === "another key around it") continue;
      const found = releasesOf(await readTable("plan.json", JSON.stringify(apply(value))));
      assertEquals([name, change, found], [name, change, expected]);
    }
  }
});

/** The statuses of a table in each language, and what each counts as. */
const STATUSES: Readonly<Partial<Record<Concept, string>>> = {
  open: "planned",
  active: "in_progress",
  done: "shipped",
  closed: "shipped",
  unsolved: "stopped",
};

Deno.test("A status counts the same in every language of the lexicon", async () => {
  for (const language of LANGUAGES) {
    const concepts = Object.keys(STATUSES) as Concept[];
    const rows = [
      [phraseIn(language, "title"), phraseIn(language, "status")],
      ...concepts.map((concept) => [concept, phraseIn(language, concept)]),
    ];
    const { items } = await readTable("plan.csv", papaparse.unparse(rows));
    const found = Object.fromEntries(items.map(({ feature_name, tone }) => [feature_name, tone]));
    assertEquals([language, found], [language, STATUSES]);
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
