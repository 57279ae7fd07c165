import { deepStrictEqual as assertEquals, match as assertMatch } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { makeSpreadsheet } from "../support/subjects/spreadsheet.ts";
import { importItems, makeItem } from "../support/app.ts";
import { withEmbedded } from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { startServer } from "../support/server.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { waitFor } from "../support/wait_for.ts";

const MEGABYTE = 1024 * 1024;

interface Hostile {
  file: string;
  respond(): Response;
}

/** A text that is a few kilobytes when compressed. */
function compressed(file: string, begin: string, again: string, megabytes: number): Hostile {
  const text = begin + again.repeat(megabytes * MEGABYTE / again.length);
  const body = new Uint8Array(gzipSync(text, { level: 1 }));
  return {
    file,
    respond: () => new Response(body, { headers: { "content-encoding": "gzip" } }),
  };
}

/** A workbook with a sheet of this XML, of some hundred kilobytes. */
function workbook(file: string, begin: string, again: string, megabytes: number): Hostile {
  const head = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">';
  const xml = `${head}<sheetData>${begin}${again.repeat(megabytes * MEGABYTE / again.length)}`;
  const files = { "xl/worksheets/sheet1.xml": new TextEncoder().encode(xml) };
  const body = makeSpreadsheet({ A: [] }, { files });
  return {
    file,
    respond: () => new Response(body),
  };
}

/**
 * Sources that crashed or blocked a server; first those that it gives up after a minute. All are made
 * before the first is sent: to make one takes longer than a server waits for the next piece.
 */
const SOURCES = [
  workbook("cells.xlsx", "<row r='1'>", "<c r='A1' t='inlineStr'><is><t>x</t></is></c>", 120),
  workbook("rows.xlsx", "", "<row/>", 120),
  workbook("signs.xlsx", "<", "<", 5),
  compressed("brackets.rss", "<rss version='2.0'><channel><title>", "<", 20),
  compressed("entries.rss", "<rss version='2.0'><channel>", "<item><a>b</a></item>", 30),
  compressed("levels.json", "", "[", 20),
  compressed("ignored.json", '{"x":', '{"a":', 60),
  compressed("line.ndjson", `${JSON.stringify(makeItem(1))}\n{"a":"`, "x", 240),
  compressed("commas.csv", "release_item_id,a\nx,", ",", 200),
  compressed(
    "columns.csv",
    `release_item_id${",c".repeat(1_000_000)}\n`,
    `x${",".repeat(1_000_000)}\n`,
    200,
  ),
  compressed("attributes.rss", "<rss version='2.0'", " a='b' c='d'", 20),
  compressed("digits.json", '[{"a":1', "1", 100),
];
const REASONS =
  /(line|row) \d|no valid RSS|nests too deeply|incomplete JSON|larger than 64 MB|more than 1000 columns|reading it (takes|needs) more|it is (a broken|not a) spreadsheet/;
/** So many servers read their share of them at once: they wait out their minutes together. */
const SERVERS = 4;

Deno.test("No source crashes a server or stops it from serving, with the memory of the start task", async () => {
  const shares = Array.from(
    { length: SERVERS },
    (_, server) => SOURCES.filter((_, place) => place % SERVERS === server),
  );
  await Promise.all(shares.map((share) => withFolder((folder) => testRefusals(folder, share))));
});

async function testRefusals(folder: string, share: readonly Hostile[]): Promise<void> {
  const DATA_DIR = `${folder}/data`;
  await withEmbedded(DATA_DIR, (database) => importItems(database, [makeItem(1), makeItem(2)]));
  await using source = serveSource((_request, { pathname }) =>
    share.find(({ file }) => pathname === `/${file}`)!.respond()
  );
  const sources = share.map(({ file }) => ({ name: file, from: `${source.url}/${file}` }));
  const ROADMAP_CONFIG = `${folder}/sources.json`;
  await Deno.writeTextFile(ROADMAP_CONFIG, JSON.stringify({ sources }));
  await using server = await startServer({ DATA_DIR, ROADMAP_CONFIG });
  for (const { file } of share) {
    // On a busy machine what is sent may wait for others: it is read again.
    const refusal = new RegExp(`Cannot import [^\\n]*${file}(?![^\\n]*sent nothing)[^\\n]*`);
    await waitFor(`the refusal of ${file}`, () => refusal.test(server.output()), 300_000);
    assertMatch(refusal.exec(server.output())![0], REASONS);
  }
  const answer = await (await fetch(`${server.url}/api/releases`)).json();
  assertEquals(answer.pagination.total_items, 2);
  server.kill("SIGTERM");
  assertEquals(await server.ended, 0, server.output());
}
