import { deepStrictEqual as assertEquals, match as assertMatch } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { V8_FLAGS } from "../../tools/start_task.ts";
import { makeSpreadsheet } from "../support/subjects/spreadsheet.ts";
import { makeItem } from "../support/app.ts";
import { testOnOneDatabase } from "../support/fault_databases.ts";
import { startServer } from "../support/server.ts";
import { startCommand } from "../support/command.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { waitFor } from "../support/wait_for.ts";

const MEGABYTE = 1024 * 1024;

/** Sources that crashed or blocked a server: a few kilobytes each when compressed. */
const SOURCES: readonly [file: string, begin: string, again: string, bytes: number][] = [
  ["levels.json", "", "[", 20 * MEGABYTE],
  ["ignored.json", '{"x":', '{"a":', 60 * MEGABYTE],
  ["line.ndjson", `${JSON.stringify(makeItem(1))}\n{"a":"`, "x", 240 * MEGABYTE],
  ["commas.csv", "release_item_id,a\nx,", ",", 200 * MEGABYTE],
  [
    "columns.csv",
    `release_item_id${",c".repeat(1_000_000)}\n`,
    `x${",".repeat(1_000_000)}\n`,
    200 * MEGABYTE,
  ],
  ["brackets.rss", "<rss version='2.0'><channel><title>", "<", 20 * MEGABYTE],
  ["attributes.rss", "<rss version='2.0'", " a='b' c='d'", 20 * MEGABYTE],
  ["entries.rss", "<rss version='2.0'><channel>", "<item><a>b</a></item>", 30 * MEGABYTE],
  ["digits.json", '[{"a":1', "1", 100 * MEGABYTE],
];

testOnOneDatabase(
  "No source crashes a server or stops it from serving, with the memory of the start task",
  async (settings) => {
    const file = await Deno.makeTempFile({ suffix: ".json" });
    await Deno.writeTextFile(file, JSON.stringify([makeItem(1), makeItem(2)]));
    assertEquals(await startCommand(["import", file], settings).ended, 0);
    await Deno.remove(file);
    for (const [name, begin, again, bytes] of SOURCES) {
      const text = begin + again.repeat((bytes - begin.length) / again.length);
      const body = new Uint8Array(gzipSync(text));
      await using source = serveSource(() =>
        new Response(body, { headers: { "content-encoding": "gzip" } })
      );
      await using server = await startServer({
        ...settings,
        ROADMAP_SOURCE: `${source.url}/${name}`,
        DENO_V8_FLAGS: V8_FLAGS,
      });
      await waitFor("the refusal", () => /Cannot import/.test(server.output()), 120_000);
      assertMatch(
        server.output(),
        /(line|row) \d|no valid RSS|nests too deeply|incomplete JSON|larger than 64 MB|more than 1000 columns|reading it (takes|needs) more/,
      );
      const answer = await (await fetch(`${server.url}/api/releases`)).json();
      assertEquals(answer.pagination.total_items, 2);
      server.kill("SIGTERM");
      assertEquals(await server.ended, 0, server.output());
    }
  },
);

/** The XML of sheets that compress to a few hundred kilobytes. */
const SHEETS: readonly [begin: string, again: string, bytes: number][] = [
  ["<row r='1'>", "<c r='A1' t='inlineStr'><is><t>x</t></is></c>", 120 * MEGABYTE],
  ["", "<row/>", 120 * MEGABYTE],
  ["<", "<", 5 * MEGABYTE],
];

testOnOneDatabase("No spreadsheet crashes a server or stops it from serving", async (settings) => {
  const head = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">';
  for (const [begin, again, bytes] of SHEETS) {
    const xml = `${head}<sheetData>${begin}${again.repeat(bytes / again.length)}`;
    const files = { "xl/worksheets/sheet1.xml": new TextEncoder().encode(xml) };
    const body = makeSpreadsheet({ A: [] }, { files });
    await using source = serveSource(() => new Response(body));
    await using server = await startServer({
      ...settings,
      ROADMAP_SOURCE: `${source.url}/plan.xlsx`,
      DENO_V8_FLAGS: V8_FLAGS,
    });
    await waitFor("the refusal", () => /Cannot import/.test(server.output()), 120_000);
    assertMatch(
      server.output(),
      /reading it (takes|needs) more|it is (a broken|not a) spreadsheet/,
    );
    assertEquals((await fetch(`${server.url}/api/releases`)).status, 200);
    server.kill("SIGTERM");
    assertEquals(await server.ended, 0, server.output());
  }
});
