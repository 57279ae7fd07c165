import { deepStrictEqual as assertEquals, match as assertMatch, rejects } from "node:assert/strict";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { readSource } from "../../lib/import/sources/read_source.ts";
import { makeItem, TODAY } from "../support/app.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { slowOnDatabases, slowTest } from "../support/slow.ts";

const MEGABYTE = 1024 * 1024;
const JSON_TYPE = "application/json";
const NDJSON_TYPE = "application/x-ndjson";
const CSV_TYPE = "text/csv";
const LINE = `${JSON.stringify(makeItem(1))}\n`;

/** Sends some text and then the same again and again, as long as somebody takes it. */
function sendForEver(begin: string, again: string, taken: { bytes: number }) {
  const encoder = new TextEncoder();
  const block = encoder.encode(again.repeat(Math.ceil(50_000 / again.length)));
  const send = (controller: ReadableStreamDefaultController, bytes: Uint8Array) => {
    taken.bytes += bytes.length;
    controller.enqueue(bytes);
  };
  return new ReadableStream({
    start: (controller) => send(controller, encoder.encode(begin)),
    pull: (controller) => send(controller, block),
  });
}

const NESTED = /: it nests deeper than 64 levels, at line/;
const LONG = /: it has an item or a value of more than 8000000 characters, at /;

/** What goes on for ever, what is said of it, and how many megabytes of it may be taken. */
const ENDLESS: readonly [
  type: string,
  begin: string,
  again: string,
  reason: RegExp,
  megabytes: number,
][] = [
  [JSON_TYPE, "", "[", /: it nests deeper than 64 levels, at line 1, column 65$/, 4],
  [JSON_TYPE, "[\n", '{"a":', /: it nests deeper than 64 levels, at line 2, column 316$/, 4],
  [JSON_TYPE, '{"ignored":', "[", /: it nests deeper than 64 levels, at line 1, column 75$/, 4],
  [JSON_TYPE, '{"results":[{"ReleaseItemID":', "[", NESTED, 4],
  [JSON_TYPE, '[{"tagsContainer":', "[", NESTED, 4],
  [JSON_TYPE, '{"data":[{"x":', "[", NESTED, 4],
  [JSON_TYPE, '[{"a":"', "x", LONG, 24],
  [JSON_TYPE, '[{"', "x", LONG, 24],
  [JSON_TYPE, '[{"a":1', "1", LONG, 24],
  [JSON_TYPE, '[{"a":[1', ",1", LONG, 24],
  [JSON_TYPE, '[{"a":1', ',"b":1', LONG, 24],
  [JSON_TYPE, '{"a":"', "\\n", LONG, 24],
  [JSON_TYPE, "[1,", " ", LONG, 24],
  [JSON_TYPE, '{"data":{"a":1', ',"b":1', /whose "data", "items", or "issues" is one$/, 4],
  [NDJSON_TYPE, `${LINE}{"a":"`, "x", /: its line 2 is longer than 8000000 characters$/, 24],
  [NDJSON_TYPE, LINE, "[", /: its line 2 is longer than 8000000 characters$/, 24],
  [CSV_TYPE, 'release_item_id,a\n\nx,"', "x\n", /row in line 3 is longer .*mark missing\?$/, 24],
  [CSV_TYPE, "release_item_id,a\nx,", "x", /: its row in line 2 is longer than 8000000 chara/, 24],
  [CSV_TYPE, "release_item_id,a\nx,", ",", /: its row in line 2 has more than 1000 columns$/, 4],
  [CSV_TYPE, "release_item_id", ",x", /: its row in line 1 has more than 1000 columns$/, 4],
];

slowTest("Endless values are refused before they are stored, with their position", async () => {
  for (const [type, begin, again, reason, megabytes] of ENDLESS) {
    const taken = { bytes: 0 };
    await using server = serveSource(() =>
      new Response(sendForEver(begin, again, taken), { headers: { "content-type": type } })
    );
    const address = `${server.url}/items`;
    await rejects(drain(address, { maxBytes: 40 * MEGABYTE }), (error: Error) => {
      assertEquals(error.name, "SnapshotError");
      assertMatch(error.message, reason);
      assertEquals(error.message.length < 300, true, "it repeats what was sent");
      return true;
    });
    assertEquals(taken.bytes < megabytes * MEGABYTE, true, `${taken.bytes} bytes of ${begin}`);
  }
});

Deno.test("At most 64 nested levels are accepted, anywhere", async () => {
  const nest = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  const item = (levels: number) =>
    JSON.stringify(makeItem(1)).replace("{", `{"x":${nest(levels)},`);
  const texts: readonly [type: string, text: (levels: number) => string, around: number][] = [
    [JSON_TYPE, (levels) => `[${item(levels)}]`, 2],
    [JSON_TYPE, (levels) => `{"x":${nest(levels)},"data":[${item(1)}]}`, 1],
    [NDJSON_TYPE, (levels) => `${item(levels)}\n`, 1],
  ];
  for (const [type, text, around] of texts) {
    let body = text(64 - around);
    await using server = serveSource(() =>
      new Response(body, { headers: { "content-type": type } })
    );
    assertEquals(await drain(`${server.url}/items`), 1);
    body = text(65 - around);
    await rejects(
      drain(`${server.url}/items`),
      /it nests deeper than 64 levels, at line 1, column/,
    );
  }
});

Deno.test("Brackets in strings are no levels, and levels are counted per line", async () => {
  const item = makeItem(1, { feature_description: `${'[{\\"'.repeat(1_000)}` });
  await using server = serveSource(() => Response.json([item]));
  assertEquals(await drain(`${server.url}/items`), 1);
  const broken = `${"[\n".repeat(100)}`;
  await using lines = serveSource(() =>
    new Response(broken, { headers: { "content-type": NDJSON_TYPE } })
  );
  await rejects(drain(`${lines.url}/items`), /its line 1 is not a JSON object$/);
});

slowOnDatabases("The longest item is accepted, however it is formatted", async (database) => {
  const text = "\u0001".repeat(1_000_000);
  const item = makeItem(1, { feature_description: text });
  const quoted = makeItem(1, { feature_description: '"'.repeat(1_000_000) });
  const header = Object.keys(quoted).join(",");
  const row = Object.values(quoted)
    .map((value) => value === null ? "" : `"${String(value).replaceAll('"', '""')}"`).join(",");
  for (
    const [type, body] of [
      [JSON_TYPE, JSON.stringify([item])],
      [NDJSON_TYPE, JSON.stringify(item)],
      [CSV_TYPE, `${header}\n${row}\n`],
    ] as const
  ) {
    await using server = serveSource(() =>
      new Response(body, { headers: { "content-type": type } })
    );
    const counts = await importLocation(database, `${server.url}/items`, { asOf: TODAY });
    assertEquals(counts.added + counts.changed + counts.unchanged, 1);
  }
});

slowTest("Reading a source does not block other work", async () => {
  const items = Array.from({ length: 20_000 }, (_, number) => makeItem(number));
  const body = new TextEncoder().encode(JSON.stringify(items));
  const file = await Deno.makeTempFile({ suffix: ".json" });
  await Deno.writeFile(file, body);
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  assertEquals(await drain(file), items.length);
  clearInterval(timer);
  await Deno.remove(file);
  const pieces = Math.floor(body.length / (64 * 1024));
  assertEquals(turns > pieces * 0.75, true, `${turns} turns in ${pieces} pieces`);
});

Deno.test("A source that trickles bytes is given up in the end", async () => {
  await using server = serveSource(() => {
    let timer: ReturnType<typeof setInterval>;
    return new Response(
      new ReadableStream({
        start(controller) {
          timer = setInterval(() => controller.enqueue(new Uint8Array([0x20])), 20);
        },
        cancel: () => clearInterval(timer),
      }),
    );
  });
  await rejects(
    drain(`${server.url}/items`, { silenceMs: 5_000, wholeMs: 600 }),
    /\/items: it took more than 0\.01 minutes$/,
  );
});

/** Reads a source to its end, and counts its items. */
async function drain(location: string, options = {}): Promise<number> {
  let items = 0;
  for await (const portion of readSource(location, options)) items += portion.items.length;
  return items;
}
