import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { mistakesIn, readExpected, readFixture } from "../support/more_tools.ts";

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
    const read = await readFixture(expected);
    const mistakes = mistakesIn(read, expected);
    const said = SAID[expected.file];
    if (said === undefined) {
      assertEquals([expected.file, mistakes], [expected.file, []]);
    } else {match(
        [read.refused, ...read.problems, ...read.notes].join("\n"),
        said,
        expected.file,
      );}
  }
});
