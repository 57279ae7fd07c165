import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { MAPPING } from "../../lib/import/mapping/fields.ts";
import { startApp, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { readTable, type Said, testReading } from "../support/read_table.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { slowOnDatabases, slowTest } from "../support/slow.ts";
import { type Cell, makeSpreadsheet } from "../support/subjects/spreadsheet.ts";

const HEAD = ["Key", "Title", "Product", "Status", "Due", "Active"];
/** A table with one release. */
const tableOf = (name: string, due: Cell = null) => [HEAD, ["1", name, "P", "Planned", due, null]];
const day = (serial: number, s = 1): Cell => ({ s, xml: `<v>${serial}</v>` });
const formula = (result: string, t = "str"): Cell => ({ t, xml: `<f>A1</f><v>${result}</v>` });
const flag = (value: 0 | 1): Cell => ({ t: "b", xml: `<v>${value}</v>` });
const encode = (text: string) => new TextEncoder().encode(text);

const WORKBOOK = makeSpreadsheet({
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
testReading("A spreadsheet is read as its CSV would be", {
  of: WORKBOOK,
  is: [
    'A "quoted", long name | Widgets | planned | 2026-12-31',
    "No date | Widgets | planned | -",
    "Quarter | Widgets | planned | 2026-09-30",
  ],
  leftOut: { "not active": 1 },
}, {
  // `where` and the mapping hold.
  of: WORKBOOK,
  fields: {
    where: { Title: { not: ["Quarter"] } },
    release_status: { from: "Status", values: { Planned: "Open" } },
  },
  shows: ["feature_name", "release_status"],
  is: ['A "quoted", long name | Open', "No date | Open"],
  leftOut: { "not active": 1, "by the mapping": 1 },
});

Deno.test("Samples of a column of a spreadsheet are shown", async () => {
  const { columns } = await readTable("plan.xlsx", WORKBOOK);
  assertEquals(columns[0], {
    column: "Key",
    field: "release_item_id",
    by: "name",
    samples: ["R-1", "2", "R-3", "R-4"],
  });
});

testReading("Problems name the row of the spreadsheet", {
  of: makeSpreadsheet({
    Plan: [["Plan"], [], ...tableOf("One", "soon"), [], [null, "Two", "P", "Planned", null, null]],
  }),
  refused: /^row 4: "Due" .*\nrow 6: "Key" .*$/,
});

const NOTES_AND_RD = makeSpreadsheet({ Notes: [["Nothing here"]], "R&amp;D": tableOf("One") });
const COVER = [["Our roadmap"], ["As of", "today"]];
const SEVERAL = makeSpreadsheet({ Cover: COVER, Plan: tableOf("One"), Archive: tableOf("Old") });
const ONE = ["One | P | planned | -"];
testReading(
  "A sheet is chosen by its name, or the only one with a table is read",
  {
    of: NOTES_AND_RD,
    sheet: "R&D",
    is: ONE,
  },
  {
    of: NOTES_AND_RD,
    sheet: "Roadmap",
    refused: ['Cannot read plan.xlsx: it has no sheet "Roadmap"; its sheets are "Notes", "R&D"'],
  },
  { of: makeSpreadsheet({ Cover: COVER, Empty: [], Plan: tableOf("One") }), is: ONE },
  {
    of: SEVERAL,
    refused: [
      'Cannot read plan.xlsx: several of its sheets have a table, "Plan", "Archive": name one with --sheet',
    ],
  },
  { of: SEVERAL, sheet: "Archive", is: ["Old | P | planned | -"] },
);

testReading(
  "A hidden sheet is read only if it is named",
  ...["hidden", "veryHidden"].flatMap((state) => {
    const sheets = { Old: tableOf("Was"), Roadmap: tableOf("One") };
    const of = makeSpreadsheet(sheets, { states: { Old: state } });
    return [{ of, is: ONE }, { of, sheet: "Old", is: ["Was | P | planned | -"] }];
  }),
  // Nobody sees a sheet of a workbook that has none but hidden ones.
  { of: makeSpreadsheet({ Old: tableOf("One") }, { states: { Old: "hidden" } }), is: ONE },
);

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

const HIDDEN_NOTE = '2 columns of the sheet are hidden and not read, "Due", "Active"; a mapping ' +
  'with {"hidden":"keep"} reads hidden rows and columns';
testReading("What is hidden in a sheet stays out, unless a mapping keeps it", {
  of: HIDDEN,
  is: ["Shown | P | planned | -"],
  leftOut: { "hidden rows": 2 },
  notes: new RegExp(`^${RegExp.escape(HIDDEN_NOTE)}(?:\n|$)`),
}, {
  of: HIDDEN,
  fields: JSON.parse(/\{.*\}/.exec(HIDDEN_NOTE)![0]),
  is: ["Filtered", "Hidden", "Shown"].map((name) => `${name} | P | planned | 2026-12-31`),
  leftOut: {},
});

const UNSEEN = makeSpreadsheet({ Plan: tableOf("One") }, {
  edit: (sheet) => sheet.replace(/<row r/g, '<row hidden="1" r'),
});
testReading("A sheet of which nothing is seen is refused", {
  of: UNSEEN,
  refused: [
    'Cannot read plan.xlsx: all of its rows are hidden: a mapping with {"hidden":"keep"} reads them',
  ],
}, { of: UNSEEN, fields: { hidden: "keep" }, is: ONE });

Deno.test("What is hidden is kept, or nothing is said of it", async () => {
  match(MAPPING.safeParse({ hidden: true }).error!.message, /must be \\"keep\\", or left out/);
  assertEquals(
    (await readTable("plan.xlsx", HIDDEN, { fields: { hidden: "keep" } })).used.hidden,
    "keep",
  );
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

/** Which format is that of the id and which that of the day makes no difference: each is seen once. */
Deno.test("A workbook is the same table as its CSV, in any format", async () => {
  const formats = SHOWN.map(([format]) => format);
  const isDay = ([, value]: typeof SHOWN[number]) => value > 40_000 && value < 50_000;
  const read = async (name: string, content: string | Uint8Array) => {
    const { items, problems, refused } = await readTable(name, content);
    return { items, problems, refused };
  };
  const days = [...SHOWN.keys()].filter((at) => isDay(SHOWN[at]!));
  const others = [...SHOWN.keys()].filter((at) => !isDay(SHOWN[at]!) && SHOWN[at]![2] !== "");
  const cell = (at: number): Cell => ({ s: 3 + at, xml: `<v>${SHOWN[at]![1]}</v>` });
  for (const [id, due] of others.flatMap((id) => days.map((day) => [id, day] as const))) {
    const rest = [`Release ${id}`, "Widgets", "Planned"];
    const sheet = makeSpreadsheet({ Plan: [HEAD, [cell(id), ...rest, cell(due)]] }, { formats });
    const csv = [HEAD, [SHOWN[id]![2], ...rest, SHOWN[due]![2], ""]]
      .map((row) => row.map((text) => `"${text}"`).join()).join("\n");
    const expected = await read("plan.csv", csv);
    assertEquals(expected.problems, []);
    assertEquals(await read("plan.xlsx", sheet), expected, `${SHOWN[id]![0]}, ${SHOWN[due]![0]}`);
  }
});

testReading(
  "Errors of formulas are handed over as they are seen",
  ...["#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#NUM!", "#NULL!"].map((value) => ({
    of: makeSpreadsheet({
      Plan: tableOf("One", { t: "e", xml: `<f>A1</f><v>${value}</v>` }),
    }),
    refused: new RegExp(`^row 2: .*${RegExp.escape(value)}.*$`),
  })),
);

testReading("A month of a workbook that counts from 1904 is the same month", {
  of: makeSpreadsheet({ Plan: tableOf("One", { s: 3, xml: `<v>${46722 - 1462}</v>` }) }, {
    formats: ["mmm-yy"],
    from1904: true,
  }),
  is: ["One | P | planned | 2027-12-31"],
});

const OFFICE = "http://schemas.openxmlformats.org";
/** The parts of a workbook, which stand at these addresses. */
const relationsOf = (...relations: readonly (readonly [type: string, target: string])[]) =>
  encode(
    `<Relationships xmlns="${OFFICE}/package/2006/relationships">${
      relations.map(([type, target], at) =>
        `<Relationship Id="rId${
          at + 1
        }" Type="${OFFICE}/officeDocument/2006/relationships/${type}" ` +
        `Target="${target}"/>`
      ).join("")
    }</Relationships>`,
  );

testReading("A sheet of charts is passed over", {
  of: makeSpreadsheet({ Chart: [], Plan: tableOf("One") }, {
    files: {
      "xl/_rels/workbook.xml.rels": relationsOf(
        ["chartsheet", "chartsheets/sheet1.xml"],
        ["worksheet", "worksheets/sheet2.xml"],
      ),
      "xl/chartsheets/sheet1.xml": encode("<chartsheet/>"),
    },
  }),
  is: ONE,
});

testReading("A header of merged cells has the name of its first one", {
  of: makeSpreadsheet({
    Plan: [
      ["Product", "Title", "Status", "Due", null],
      ["Widgets", "One", "Planned", "2026-12-31", "a note"],
    ],
  }, { more: '<mergeCells count="1"><mergeCell ref="D1:E1"/></mergeCells>' }),
  is: ["One | Widgets | planned | 2026-12-31"],
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
testReading("Merged cells have their value in all rows and columns", {
  of: MERGED,
  fields: {
    feature_name: "Title",
    release_status: "Stage",
    release_type: "Phase",
    where: { Title: "*" },
  },
  shows: ["product_name", "feature_name", "release_status", "release_type"],
  is: [
    "Gadgets | Five | Planned | General availability",
    "Gadgets | Four | Four | Four",
    "Widgets | One | Planned | Planned",
    "Widgets | Three | Shipped | Shipped",
    "Widgets | Two | In development | Public preview",
  ],
  leftOut: { "group title": 1 },
});

slowOnDatabases("A spreadsheet is fetched with conditional requests", async (database) => {
  const bytes = makeSpreadsheet({ First: tableOf("One"), Second: tableOf("Two") });
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
  const body = makeSpreadsheet({ A: [], B: tableOf("One") });
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
  return makeSpreadsheet({ A: [] }, { files: { "xl/worksheets/sheet1.xml": encode(text) } });
}

/** A workbook whose first sheet stands at an address that a relationship names. */
function sheetAt(target: string, xml: string): Uint8Array {
  const sheet = `<worksheet xmlns="${OFFICE}/spreadsheetml/2006/main"><sheetData>${xml}` +
    "</sheetData></worksheet>";
  const path = target.startsWith("/") ? target.slice(1) : `xl/${target}`;
  const files = {
    "xl/_rels/workbook.xml.rels": relationsOf(["worksheet", target]),
    [path]: encode(sheet),
  };
  return makeSpreadsheet({ A: [] }, { files });
}

const FAR = "<row r='1048576'><c r='XFD1048576'><v>1</v></c></row>";
const TOO_LARGE =
  /: a sheet of 1048576 rows and 16384 columns is too large: delete the rows and columns bey/;

/** Files that cannot be read, and what is said of each. */
const REFUSED: readonly [bytes: () => Uint8Array, reason: RegExp, said?: Said][] = [
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
  [() => encode("a,b\n"), /: it is not a spreadsheet \(\.xlsx\)$/, { kind: "xlsx" }],
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
    () =>
      makeSpreadsheet({ A: [] }, {
        files: { "xl/big.xml": [new Uint8Array(130 * 2 ** 20), { level: 1 }] },
      }),
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

slowTest("An invalid spreadsheet is refused", async () => {
  for (const [bytes, reason, said] of REFUSED) {
    const { refused, problems } = await readTable("plan.xlsx", bytes(), said);
    match(refused ?? problems.join(), reason);
  }
});
