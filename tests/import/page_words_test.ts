import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { RefusedRemovals } from "../../lib/import/snapshot_error.ts";
import { inPageWords } from "../../lib/ui/admin/page_words.ts";
import { readTable } from "../support/read_table.ts";
import { makeSpreadsheet } from "../support/subjects/spreadsheet.ts";

const HEAD = "ID,Title,Product,Status,Due";
const csv = (...rows: string[]) => [HEAD, ...rows].join("\n");
const PLANNED = csv("1,One,Maps,Planned,Q3 2030");
const SHEET = [HEAD.split(","), ["1", "One", "Maps", "Planned", "Q3 2030"]];
const latin = (text: string) => Uint8Array.from(text, (sign) => sign.charCodeAt(0));

/** What is wrong with a file or its mapping, and how a page says it. */
const SAID: readonly (readonly [
  file: string | Uint8Array<ArrayBuffer>,
  mapping: Record<string, unknown>,
  said: string,
])[] = [
  [
    "Foo,Product,Status\nOne,Maps,Planned\n",
    {},
    "no column is the title: choose one in the menus above the columns",
  ],
  [
    "Title,Product,Status,State\na,b,c,d\n",
    {},
    '"Status" and "State" could be the status: choose one above them',
  ],
  [
    csv("1,One,Maps,Planned,03/04/2030"),
    {},
    '"Due" is "03/04/2030", which may be 2030-04-03 or 2030-03-04',
  ],
  [csv("1,One,Maps,Planned,FY27 Q1"), {}, '"Due" is "FY27 Q1", which may be Q1 2027 or Q3 2026'],
  [
    csv("1,One,Maps,Planned,soon"),
    {},
    '"Due" is "soon", which is not a date such as 2026-09-30, Q3 2026 or Sep 2026',
  ],
  [
    csv("1,One,Maps,Planned,12/31/2030", "2,Two,Maps,Planned,31/12/2030"),
    {},
    '"Due" has "12/31/2030" in row 2 and "31/12/2030" in row 3: one begins with the day, the ' +
    "other with the month. Write them alike, or enter their format below the column",
  ],
  [PLANNED, { feature_name: "Gone" }, 'the title was in "Gone": choose its column'],
  [
    PLANNED,
    { tags: { Team: { from: "Gone" } } },
    'the tags "Team" had a column that is gone: choose another, or remove them in the mapping',
  ],
  [
    PLANNED,
    { release_status: { from: "Status", tone: "Gone" } },
    "the column of the categories of statuses is gone",
  ],
  [
    PLANNED,
    { where: { Gone: "yes" } },
    'rows are chosen by "Gone", a column that is gone: choose another',
  ],
  [
    PLANNED,
    { where: { product_name: "yes" } },
    'rows are chosen by "product_name", a column that is gone: choose another',
  ],
  [
    makeSpreadsheet({ Plan: SHEET, Archive: SHEET }),
    {},
    'several of its sheets have a table, "Plan", "Archive": enter the name of one at “Sheet”',
  ],
  [
    latin(csv("1,f\xc3\xbcr f\xfcr,Maps,Planned,Q3 2030")),
    {},
    "it is not valid UTF-8: save the text as UTF-8",
  ],
  [
    "ID,Title,Product,Status,Forecast go live\n1,One,Maps,Planned,2030-09-30\n",
    {},
    "These columns were found by their words and values, not by a known name: " +
    '"Forecast go live" as date; others can be chosen',
  ],
  [
    "ID,Title,Product,Status,Foo\n1,One,Maps,Planned,2030-09-30\n",
    {},
    'No column of dates was found, so no release has one; "Foo" has days in 1 of 1 row',
  ],
  [
    csv("1,One,Maps,Waved,Q3 2030"),
    {},
    '1 of 1 release has a status that is not known, "Waved": they count as planned, but are never ' +
    "overdue; say what they count as below",
  ],
  [
    "ID,Title,Product,Status,Active\n1,One,Maps,Planned,perhaps\n",
    {},
    '"Active": 1 value cannot be read as yes or no, such as "perhaps"; it is read as nothing; if ' +
    "it says which releases are shown, name its words at “Only some rows”",
  ],
];

Deno.test("A page names its menus where a shell has options", async () => {
  for (const [file, fields, expected] of SAID) {
    const name = typeof file === "string" || !expected.includes("sheets") ? "a.csv" : "a.xlsx";
    const { problems, notes, refused } = await readTable(name, file, { fields });
    const reasons = [refused?.replace(/^Cannot read [^:]+: /, "") ?? [], ...problems].flat();
    const given = [...reasons.map((reason) => reason.replace(/^row \d+: /, "")), ...notes];
    assertEquals(given.map(inPageWords), [expected]);
  }
});

Deno.test("A page names itself where a shell has a command", () => {
  const refused = new RefusedRemovals("It would remove 2 of 2", { total: 2, products: [] });
  assertEquals(
    inPageWords(refused.cameFrom("old.csv", "plans").message),
    "It would remove 2 of 2. They came from old.csv: if this is another roadmap, remove the former " +
      "one on its page",
  );
});
