import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { testReading } from "../support/read_table.ts";
import {
  mistakesIn,
  readExact,
  readExpected,
  readToolFile,
  TOOL_FILES,
  writeExact,
} from "../support/tool_files.ts";

const DATES = "how-people-write-dates.csv";

Deno.test("The README says of each file of a tool what is read of it", () => {
  const files = [...Deno.readDirSync(TOOL_FILES)].map(({ name }) => name);
  const said = [...readExact(), ...readExpected()].map(({ file }) => file);
  assertEquals([...said, DATES, "README.md"].sort(), files.sort());
});

Deno.test("The exports of tools are read without a mapping", async () => {
  for (const { file, releases, left } of readExact()) {
    const read = await readToolFile(file);
    assertEquals([file, read.refused, read.problems], [file, null, []]);
    assertEquals({ file, ...writeExact(read) }, { file, releases, left });
  }
});

/** Files that are not read as a person reads them, and what is said instead. */
const SAID: Readonly<Record<string, RegExp>> = {
  "ubuntu-distro-info.csv": /no column found for release_status/,
  "chrome-status.json": /"browsers.chrome.status" as release_status/,
  "endoflife.json": /no column found for release_status/,
  "firefox-trains.json": /it is neither an array of items nor an object/,
  "google-sheets-gviz.json": /"google.visualization.Query.setResponse" \(JSONP\), not JSON/,
  "roadmap.html": /save its table as CSV or as a spreadsheet/,
  "gcp-release-notes.xml": /^/,
  "discourse-category.json": /it is one page of more, with "topic_list.more_topics_url"/,
  "excel-sheet-per-product.xlsx": /name one with --sheet/,
};

Deno.test("Files of further tools become what a careful person reads", async () => {
  for (const expected of readExpected()) {
    const { file, encoding } = expected;
    const read = await readToolFile(file, encoding);
    const said = SAID[file];
    if (said === undefined) assertEquals([file, mistakesIn(read, expected)], [file, []]);
    else match([read.refused, ...read.problems, ...read.notes].join("\n"), said, file);
  }
});

const dates = { of: await Deno.readFile(new URL(DATES, TOOL_FILES)), name: DATES };
/** What each message about them says. */
const VALUES = {
  "FY27 Q1": "Q3 2026",
  "Q4": "Q4 2026",
  "mid 2026": "Q3 2026",
  "Sep 26": "2026-09-30",
  "Summer 2027": "Q3 2027",
  "H1": "H1 2027",
  "early 2027": "Q1 2027",
};
testReading("Dates with one reading are read, all others are refused", {
  ...dates,
  refused: new RegExp(
    '^row 3: .*\nrow 4: "Due" is "FY27 Q1", which may be Q1 2027 or Q3 2026: say which' +
      [5, 6, 9, 12, 16, 19, 24].map((row) => `.*\nrow ${row}: `).join("") + ".*$",
  ),
}, {
  ...dates,
  fields: { release_date: { from: "Due", values: VALUES, none: ["Later", "now"] } },
  shows: ["release_type"],
  is: Array(26).fill("Not stated"),
});
