import { deepStrictEqual as assertEquals, match, rejects } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import type { ImportOptions } from "../../lib/import/import_options.ts";
import { MAPPING } from "../../lib/import/mapping/fields.ts";
import { previewLocation } from "../../lib/import/preview_snapshot.ts";
import { startApp, TODAY } from "../support/app.ts";
import { testOnDatabases, testOnOne } from "../support/databases.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { type Cell, makeSpreadsheet } from "../support/subjects/spreadsheet.ts";
import { slowOnDatabases, slowOnOne } from "../support/slow.ts";

const HEAD = ["Key", "Title", "Product", "Status", "Due", "Active"];
const day = (serial: number, s = 1): Cell => ({ s, xml: `<v>${serial}</v>` });
const formula = (result: string, t = "str"): Cell => ({ t, xml: `<f>A1</f><v>${result}</v>` });
const flag = (value: 0 | 1): Cell => ({ t: "b", xml: `<v>${value}</v>` });

async function withFile<Result>(
  bytes: Uint8Array,
  work: (path: string) => Promise<Result>,
  suffix = ".xlsx",
): Promise<Result> {
  const file = await Deno.makeTempFile({ suffix });
  try {
    await Deno.writeFile(file, bytes);
    return await work(file);
  } finally {
    await Deno.remove(file);
  }
}

function preview(database: Database, bytes: Uint8Array, options: Partial<ImportOptions> = {}) {
  return withFile(bytes, (file) => previewLocation(database, file, { asOf: TODAY, ...options }));
}

slowOnOne("A spreadsheet is read as its CSV would be", async (database) => {
  const bytes = makeSpreadsheet({
    Plan: [
      ["Our roadmap & more"],
      [],
      HEAD,
      ["R-1", 'A "quoted", long\nname', "Widgets", "Planned", day(46387), flag(1)],
      [],
      [2, formula("By formula"), "Widgets", formula("Shipped"), day(46387.75, 2), flag(0)],
      ["R-3", "Quarter", "Widgets", "Planned", "Q3 2026", null],
      ["R-4", "No date", "Widgets", "Planned", { t: "e", xml: "<v>#N/A</v>" }, null],
    ],
    Other: [["x"]],
  });
  const { kind, items, columns, problems, item_count } = await preview(database, bytes);
  assertEquals([kind, item_count, problems], ["xlsx", 4, []]);
  assertEquals(items.map((item) => [item.feature_name, item.release_status, item.release_date]), [
    ['A "quoted", long name', "Planned", "2026-12-31"],
    ["Quarter", "Planned", "2026-09-30"],
    ["No date", "Planned", null],
  ]);
  assertEquals(columns[0], {
    column: "Key",
    field: "release_item_id",
    by: "name",
    samples: ["R-1", "2", "R-3", "R-4"],
  });
  // What leaves the spreadsheet is removed, and `where` and the mapping hold.
  const options = { asOf: TODAY, kind: "xlsx" as const };
  const counts = await withFile(bytes, (file) => importLocation(database, file, options));
  assertEquals(counts.added, 3);
  const less = await withFile(bytes, (file) =>
    importLocation(database, file, {
      ...options,
      fields: {
        where: { Title: { not: ["Quarter"] } },
        release_status: { from: "Status", values: { Planned: "Open" } },
      },
    }));
  assertEquals([less.changed, less.removed], [2, 1]);
  assertEquals(less.left_out_because, { "not active": 1, "by the mapping": 1 });
});

testOnOne("Problems name the row of the spreadsheet", async (database) => {
  const rows = [
    ["Plan"],
    [],
    HEAD,
    ["1", "One", "P", "Planned", "soon", null],
    [],
    [null, "Two", "P", "Planned", "2026-12-31", null],
  ];
  const { problems } = await preview(database, makeSpreadsheet({ Plan: rows }));
  assertEquals(problems.map(({ row, column }) => [row, column]), [
    [4, "Due"],
    [6, "Key"],
  ]);
});

testOnOne("A sheet is chosen by its name", async (database) => {
  const bytes = makeSpreadsheet({
    Notes: [["Nothing here"]],
    "R&amp;D": [HEAD, ["1", "One", "P", "Planned", null, null]],
  });
  const { items } = await preview(database, bytes, { sheet: "R&D" });
  assertEquals(items.map(({ feature_name }) => feature_name), ["One"]);
  const { problems } = await preview(database, bytes, { sheet: "Roadmap" });
  assertEquals(problems.map(({ reason }) => reason), [
    'it has no sheet "Roadmap"; its sheets are "Notes", "R&D"',
  ]);
});

testOnOne("The only sheet with a table is read, wherever it stands", async (database) => {
  const table = [HEAD, ["1", "One", "P", "Planned", null, null]];
  const cover = [["Our roadmap"], ["As of", "today"]];
  const { items } = await preview(
    database,
    makeSpreadsheet({ Cover: cover, Empty: [], Plan: table }),
  );
  assertEquals(items.map(({ feature_name }) => feature_name), ["One"]);
  const several = makeSpreadsheet({ Cover: cover, Plan: table, Archive: table });
  const { problems } = await preview(database, several);
  assertEquals(problems.map(({ reason }) => reason), [
    'several of its sheets have a table, "Plan", "Archive": name one with --sheet',
  ]);
  const chosen = await preview(database, several, { sheet: "Archive" });
  assertEquals(chosen.items.length, 1);
});

testOnOne("A hidden sheet is read only if it is named", async (database) => {
  const table = (name: string) => [HEAD, ["1", name, "P", "Planned", null, null]];
  const namesIn = async (bytes: Uint8Array, options: Partial<ImportOptions> = {}) => {
    const { items, problems } = await preview(database, bytes, options);
    return [...items.map(({ feature_name }) => feature_name), ...problems.map((one) => one.reason)];
  };
  for (const state of ["hidden", "veryHidden"]) {
    const sheets = { Old: table("Was"), Roadmap: table("Is") };
    const bytes = makeSpreadsheet(sheets, { states: { Old: state } });
    assertEquals(await namesIn(bytes), ["Is"], state);
    assertEquals(await namesIn(bytes, { sheet: "Old" }), ["Was"], state);
  }
  // Nobody sees a sheet of a workbook that has none but hidden ones.
  const all = makeSpreadsheet({ Old: table("Was") }, { states: { Old: "hidden" } });
  assertEquals(await namesIn(all), ["Was"]);
});

const HIDDEN = makeSpreadsheet({
  Plan: [
    ["Plan"],
    HEAD,
    ["1", "Shown", "P", "Planned", "2026-12-31", null],
    ["2", "Hidden", "P", "Planned", "2026-12-31", null],
    ["3", "Filtered", "P", "Planned", "2026-12-31", null],
    [null, null, null, null, null, null],
  ],
}, {
  edit: (sheet) =>
    sheet.replace(/<row r="([1456])"/g, '<row r="$1" hidden="1"').replace(
      "<sheetData>",
      '<cols><col min="1" max="1" hidden="0"/><col min="5" max="6" hidden="true"/></cols><sheetData>',
    ),
});

testOnOne(
  "What is hidden in a sheet stays out, unless a mapping keeps it",
  async (database) => {
    const read = await preview(database, HIDDEN);
    assertEquals(read.items.map((item) => [item.feature_name, item.release_date]), [[
      "Shown",
      null,
    ]]);
    assertEquals(read.left_out_because, { "hidden rows": 2 });
    const [note] = read.notes!;
    assertEquals(
      note,
      '2 columns of the sheet are hidden and not read, "Due", "Active"; a mapping with ' +
        '{"hidden":"keep"} reads hidden rows and columns',
    );
    const fields = MAPPING.parse(JSON.parse(/\{.*\}/.exec(note!)![0]));
    const kept = await preview(database, HIDDEN, { fields });
    assertEquals(kept.items.map((item) => [item.feature_name, item.release_date]), [
      ["Shown", "2026-12-31"],
      ["Hidden", "2026-12-31"],
      ["Filtered", "2026-12-31"],
    ]);
    assertEquals([kept.left_out_because, kept.used.hidden], [undefined, "keep"]);
  },
);

testOnOne("A sheet of which nothing is seen is refused", async (database) => {
  const bytes = makeSpreadsheet({ Plan: [HEAD, ["1", "One", "P", "Planned", null, null]] }, {
    edit: (sheet) => sheet.replace(/<row r/g, '<row hidden="1" r'),
  });
  const { problems } = await preview(database, bytes);
  assertEquals(problems.map(({ reason }) => reason), [
    'all of its rows are hidden: a mapping with {"hidden":"keep"} reads them',
  ]);
  assertEquals((await preview(database, bytes, { fields: { hidden: "keep" } })).items.length, 1);
  const mistake = MAPPING.safeParse({ hidden: true });
  match(mistake.error!.message, /must be \\"keep\\", or left out/);
});

/** What Excel shows, and so saves as CSV, of a value in a format; a number is one that is built in. */
const SHOWN: readonly [format: string | number, value: number, shown: string][] = [
  ["00000", 42, "00042"],
  ['"REQ-"0', 42, "REQ-42"],
  ['"A&B "000', 7, "A&B 007"],
  ["000-0000", 5551234, "555-1234"],
  ["0", 41.6, "42"],
  [2, 3.14159, "3.14"],
  [3, 1234567, "1,234,567"],
  [9, 0.25, "25%"],
  [10, 0.125, "12.50%"],
  ['"$"#,##0.00', 1234.5, "$1,234.50"],
  ["[Red]0;[Blue]-0", -5, "-5"],
  ["_(* #,##0_);_(* (#,##0)", 1200, "1,200"],
  ["0;;", -3, ""],
  [12, 1.5, "1 1/2"],
  [20, 0.4375, "10:30"],
  ["General", 42, "42"],
  [49, 42, "42"],
  [17, 46722, "Dec-27"],
  ["mmm-yy", 46722, "Dec-27"],
  ["mmmm yyyy", 46722, "December 2027"],
  ["mm/yyyy", 46722, "12/2027"],
  ["[$-409]mmm\\-yy;@", 46722, "Dec-27"],
  ["[$-407]mmmm yyyy", 46722, "Dezember 2027"],
  ["yyyy\\-mm", 46722, "2027-12"],
  ["yyyy", 46722, "2027"],
  [14, 46722, "2027-12-01"],
  [15, 46722, "1-Dec-27"],
  [16, 46722, "2027-12-01"],
  [22, 46722.5, "2027-12-01"],
  ["dddd, d mmmm yyyy", 46722, "1 December 2027"],
  ["yyyy-mm-dd hh:mm", 46722.75, "2027-12-01 18:00"],
];

testOnOne("A workbook is the same table as its CSV, in any format", async (database) => {
  const formats = SHOWN.map(([format]) => format);
  const cell = (at: number): Cell => ({ s: 3 + at, xml: `<v>${SHOWN[at]![1]}</v>` });
  const isDay = ([, value]: typeof SHOWN[number]) => value > 40_000 && value < 50_000;
  const places = [...SHOWN.keys()];
  const days = places.filter((at) => isDay(SHOWN[at]!));
  const others = places.filter((at) => !isDay(SHOWN[at]!) && SHOWN[at]![2] !== "");
  const pairs = others.flatMap((id) => days.map((day) => [id, day] as const));
  for (const [id, due] of pairs) {
    const others = [`Release ${id}`, "Widgets", "Planned"];
    const bytes = makeSpreadsheet({ Plan: [HEAD, [cell(id), ...others, cell(due)]] }, { formats });
    const file = await Deno.makeTempFile({ suffix: ".csv" });
    await Deno.writeTextFile(
      file,
      [HEAD, [SHOWN[id]![2], ...others, SHOWN[due]![2], ""]].map((row) =>
        row.map((text) => `"${text}"`).join(",")
      ).join("\n"),
    );
    const { items: expected, problems } = await previewLocation(database, file, { asOf: TODAY });
    await Deno.remove(file);
    const { items } = await preview(database, bytes);
    assertEquals([items, problems], [expected, []], `${SHOWN[id]![0]}, ${SHOWN[due]![0]}`);
  }
});

testOnOne("Errors of formulas are handed over as they are seen", async (database) => {
  const error = (value: string): Cell => ({ t: "e", xml: `<f>A1</f><v>${value}</v>` });
  const errors = ["#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#NUM!", "#NULL!"];
  for (const value of errors) {
    const rows = [HEAD, ["1", "One", "P", "Planned", error(value), null]];
    const { problems } = await preview(database, makeSpreadsheet({ Plan: rows }));
    assertEquals([problems.length, problems[0]?.row], [1, 2], value);
    match(problems[0]!.reason, new RegExp(value.replace(/[?/]/g, "\\$&")));
  }
});

testOnOne(
  "A month of a workbook that counts from 1904 is the same month",
  async (database) => {
    const month: Cell = { s: 3, xml: `<v>${46722 - 1462}</v>` };
    const rows = [HEAD, ["1", "One", "P", "Planned", month, null]];
    const bytes = makeSpreadsheet({ Plan: rows }, { formats: ["mmm-yy"], from1904: true });
    const { items } = await preview(database, bytes);
    assertEquals(items.map(({ release_date }) => release_date), ["2027-12-31"]);
  },
);

testOnOne("A sheet of charts is passed over", async (database) => {
  const encode = (text: string) => new TextEncoder().encode(text);
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const relations = [["chartsheet", "chartsheets/sheet1.xml"], [
    "worksheet",
    "worksheets/sheet2.xml",
  ]]
    .map(([type, target], at) =>
      `<Relationship Id="rId${at + 1}" Type="${office}/${type}" Target="${target}"/>`
    ).join("");
  const bytes = makeSpreadsheet({
    Chart: [],
    Plan: [HEAD, ["1", "One", "P", "Planned", null, null]],
  }, {
    files: {
      "xl/_rels/workbook.xml.rels": encode(
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' +
          `${relations}</Relationships>`,
      ),
      "xl/chartsheets/sheet1.xml": encode("<chartsheet/>"),
    },
  });
  const { items } = await preview(database, bytes);
  assertEquals(items.map(({ feature_name }) => feature_name), ["One"]);
});

testOnOne("A header of merged cells has the name of its first one", async (database) => {
  const bytes = makeSpreadsheet({
    Plan: [
      ["Product", "Title", "Status", "Due", null],
      ["Widgets", "One", "Planned", "2026-12-31", "a note"],
    ],
  }, { more: '<mergeCells count="1"><mergeCell ref="D1:E1"/></mergeCells>' });
  const { items, problems } = await preview(database, bytes);
  assertEquals([items[0]?.release_date, problems], ["2026-12-31", []]);
});

/** A roadmap as people draw it: a title, products below and statuses beside each other. */
const MERGED = makeSpreadsheet({
  Plan: [
    ["Our roadmap", null, null, null, null],
    ["Product", "Title", "Stage", "Phase", "Due"],
    ["Q4 2026", null, null, null, null],
    ["Widgets", "One", "Planned", null, "2026-12-31"],
    [null, "Two", "In development", "Public preview", "2027-03-31"],
    [null, "Three", "Shipped", null, null],
    ["Gadgets", "Four", null, null, "2027-06-30"],
    ["Gadgets", "Five", "Planned", "General availability", "2027-06-30"],
  ],
}, {
  more: `<mergeCells>${
    ["A1:E1", "A3:E3", "A4:A6", "C4:D4", "C6:D6", "B7:D7", "A8:$A$8", "B2", "C5:D"]
      .map((ref) => `<mergeCell ref="${ref}"/>`).join("")
  }</mergeCells>`,
});
const MERGED_FIELDS = MAPPING.parse({
  feature_name: "Title",
  release_status: "Stage",
  release_type: "Phase",
  where: { Title: "*" },
});

testOnOne("Merged cells have their value in all rows and columns", async (database) => {
  const { problems } = await preview(database, MERGED, { fields: MERGED_FIELDS });
  assertEquals(problems, []);
  const options = { asOf: TODAY, kind: "xlsx" as const, fields: MERGED_FIELDS };
  const counts = await withFile(MERGED, (file) => importLocation(database, file, options));
  assertEquals([counts.added, counts.left_out], [5, 1]);
  await using app = await startApp(database, { ROADMAP_VARIANT: "b" });
  const { data } = await app.json("/api/releases");
  const shown = data.map((item: Record<string, unknown>) => [
    item.product_name,
    item.feature_name,
    item.release_status,
    item.release_type,
  ]);
  assertEquals(shown.sort((one: string[], other: string[]) => one[1]! < other[1]! ? -1 : 1), [
    ["Gadgets", "Five", "Planned", "General availability"],
    ["Gadgets", "Four", "Four", "Four"],
    ["Widgets", "One", "Planned", "Planned"],
    ["Widgets", "Three", "Shipped", "Shipped"],
    ["Widgets", "Two", "In development", "Public preview"],
  ]);
});

slowOnDatabases("A spreadsheet is fetched with conditional requests", async (database) => {
  const sheet = (title: string) => [HEAD, ["1", title, "P", "Planned", null, null]];
  const bytes = makeSpreadsheet({ First: sheet("One"), Second: sheet("Two") });
  await using server = serveSource((request) =>
    request.headers.has("if-none-match")
      ? new Response(null, { status: 304 })
      : new Response(bytes, { headers: { etag: '"1"' } })
  );
  const take = async (sheet?: string) =>
    (await importLocation(database, server.url, { asOf: TODAY, sheet })).changed;
  assertEquals([await take("First"), await take("First"), await take("Second")], [0, 0, 1]);
  assertEquals(server.asked, ["/ 200", "/ 304", "/ 200"]);
});

testOnDatabases("A spreadsheet can be sent", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN: "an-admin-token-of-31-characters" });
  const body = makeSpreadsheet({ A: [], B: [HEAD, ["1", "One", "P", "Planned", null, null]] });
  const send = async (query: string) => {
    const response = await app.fetch(`/api/import${query}`, {
      method: "POST",
      body,
      headers: {
        "Authorization": "Bearer an-admin-token-of-31-characters",
        "Content-Type": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      },
    });
    return [response.status, await response.json()];
  };
  const [status, counts] = await send("?sheet=B");
  assertEquals([status, counts.added], [200, 1]);
  const [refused, { detail }] = await send("?sheet=C");
  assertEquals(refused, 422);
  match(detail, /: it has no sheet "C"; its sheets are "A", "B"$/);
});

/** A spreadsheet whose only sheet begins as it should, and goes on with this. */
function sheetOf(xml: string): Uint8Array {
  const text = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
    `<sheetData>${xml}`;
  const files = { "xl/worksheets/sheet1.xml": new TextEncoder().encode(text) };
  return makeSpreadsheet({ A: [] }, { files });
}

/** A workbook whose first sheet stands at an address that a relationship names. */
function sheetAt(target: string, xml: string): Uint8Array {
  const office = "http://schemas.openxmlformats.org";
  const rels = `<Relationships xmlns="${office}/package/2006/relationships">` +
    `<Relationship Id="rId1" Type="${office}/officeDocument/2006/relationships/worksheet" ` +
    `Target="${target}"/></Relationships>`;
  const sheet = `<worksheet xmlns="${office}/spreadsheetml/2006/main"><sheetData>${xml}` +
    "</sheetData></worksheet>";
  const path = target.startsWith("/") ? target.slice(1) : `xl/${target}`;
  const encode = (text: string) => new TextEncoder().encode(text);
  const files = { "xl/_rels/workbook.xml.rels": encode(rels), [path]: encode(sheet) };
  return makeSpreadsheet({ A: [] }, { files });
}

const FAR = "<row r='1048576'><c r='XFD1048576'><v>1</v></c></row>";
const TOO_LARGE =
  /: a sheet of 1048576 rows and 16384 columns is too large: delete the rows and columns bey/;

/** Files that cannot be read, and what is said of each. */
const REFUSED: readonly [
  bytes: () => Uint8Array,
  reason: RegExp,
  options?: Partial<ImportOptions>,
][] = [
  [
    () => new Uint8Array([0x50, 0x4b, 3, 4, 20, 0, 8]),
    /: it is not a spreadsheet \(\.xlsx\), or it is dam/,
  ],
  [
    () => makeSpreadsheet({ A: [HEAD] }).subarray(0, 900),
    /: it is not a spreadsheet \(\.xlsx\), or it is d/,
  ],
  [
    () => makeSpreadsheet({ A: [HEAD, ["1", { t: "s", xml: "<v>7</v>" }]] }),
    /: it is a broken spreadsheet: .*row 2, col 2/,
  ],
  [() => makeSpreadsheet({ A: [] }), /: it is empty$/],
  [() => new TextEncoder().encode("a,b\n"), /: it is not a spreadsheet \(\.xlsx\)$/, {
    kind: "xlsx",
  }],
  [
    () => makeSpreadsheet({ A: [HEAD] }),
    /or an archive, not text: leave out the kind/,
    { kind: "csv" },
  ],
  [
    () => Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0]),
    /: it is an old spreadsheet \(\.xls\), or one with a password: save it as \.xlsx without/,
    { kind: "xlsx" },
  ],
  [
    () => makeSpreadsheet({ A: [] }, { files: { "xl/big.xml": new Uint8Array(130 * 2 ** 20) } }),
    /: its sheets are larger than 128 MB when unpacked$/,
  ],
  [() => sheetOf(`${FAR}</sheetData></worksheet>`), TOO_LARGE],
  [() => sheetAt("other/s.xml", FAR), TOO_LARGE],
  [() => sheetAt("/other/s.xml", FAR), TOO_LARGE],
  [() => sheetAt("worksheets/sheet1.xml", FAR.replace("1048576'>", "104857&#54;'>")), TOO_LARGE],
  [() => sheetAt("worksheets/sheet1.xml", FAR.replace("XFD", "X&#x46;D")), TOO_LARGE],
  [() => sheetOf("<row><c><v>1</v></c></row>"), /: it is a broken spreadsheet: /],
  [() => sheetOf("<a>".repeat(20)), /: it is a broken spreadsheet: unexpected end of file$/],
];

slowOnOne("An invalid spreadsheet is refused", async (database) => {
  for (const [bytes, reason, options] of REFUSED) {
    await withFile(
      bytes(),
      (file) =>
        rejects(importLocation(database, file, { asOf: TODAY, ...options }), (error: Error) => {
          match(error.message, reason);
          return true;
        }),
    );
  }
});
