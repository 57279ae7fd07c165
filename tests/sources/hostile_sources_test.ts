import { deepStrictEqual as assertEquals, match as assertMatch, rejects } from "node:assert/strict";
import process from "node:process";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { SOURCE_KINDS } from "../../lib/config/source_kinds.ts";
import {
  describeProblem,
  SnapshotError,
  type SnapshotProblem,
} from "../../lib/import/snapshot_error.ts";
import { readSource } from "../../lib/import/read_source.ts";
import { makeItem, TODAY } from "../support/app.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { slowOnDatabases, slowTest } from "../support/slow.ts";

const MEGABYTE = 1024 * 1024;
const JSON_TYPE = "application/json";
const NDJSON_TYPE = "application/x-ndjson";
const CSV_TYPE = "text/csv";

/** Sends some text again and again, as long as somebody takes it. */
function sendForEver(text: string, taken: { bytes: number }) {
  const block = new TextEncoder().encode(text.repeat(Math.ceil(50_000 / text.length)));
  return new ReadableStream({
    pull(controller) {
      taken.bytes += block.length;
      controller.enqueue(block);
    },
  });
}

slowTest("A source without an end is refused at its limit", async () => {
  const limits: readonly [maxMb: number, reason: RegExp][] = [
    [4, /: it is larger than 4 MB; ROADMAP_MAX_MB sets the limit$/],
    [200, /: it is larger than 64 MB, the most that one document may have: divide it, or use /],
  ];
  for (const [maxMb, reason] of limits) {
    const taken = { bytes: 0 };
    await using server = serveSource(() => new Response(sendForEver("[", taken)));
    await rejects(drain(`${server.url}/items`, { maxBytes: maxMb * MEGABYTE }), (error: Error) => {
      assertEquals(error.name, "SnapshotError");
      assertMatch(error.message, reason);
      return true;
    });
    assertEquals(taken.bytes < 80 * MEGABYTE, true, `${taken.bytes} bytes`);
  }
});

const family = `ProductFamily.id='a';ProductFamily.name="b`;
/** Documents that make parsers slow or large, and what is said of each; null: it is read. */
const HOSTILE: readonly [name: string, type: string, body: () => string, reason: RegExp | null][] =
  [
    [
      "nested arrays",
      JSON_TYPE,
      () => "[".repeat(2_000_000),
      /: it is incomplete JSON: the end is missing$/,
    ],
    [
      "nested items",
      JSON_TYPE,
      () => `[${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}]`,
      /^Cannot read item 1: it is not an object$|nests too deeply/,
    ],
    [
      "nested objects",
      JSON_TYPE,
      () => '{"a":'.repeat(1_000_000),
      /: it is incomplete JSON: the end is missing$/,
    ],
    [
      "a quotation mark",
      CSV_TYPE,
      () => `Key,Title\n1,"${"x\n".repeat(5_000_000)}`,
      /: its row 2 has a quotation mark that begins a cell and none that ends it/,
    ],
    ["many columns", CSV_TYPE, () => `Key,Title${",x".repeat(100_000)}`, /more than 1000 columns$/],
    ["many rows", NDJSON_TYPE, () => '{"a":1}\n'.repeat(100_001), /more than 100000 items$/],
    ["families", "text/html", () => `<html>${family.repeat(1_500)}`, /./],
    ["an open tag", "application/rss+xml", () => `<rss>${"<".repeat(2_000_000)}`, /./],
  ];

for (const [name, type, body, reason] of HOSTILE) {
  slowTest(`Hostile text of a source ends as a refusal, and holds up nobody: ${name}`, async () => {
    const bytes = new TextEncoder().encode(body());
    await using server = serveSource(() =>
      new Response(bytes, { headers: { "content-type": type } })
    );
    let longest = 0;
    let last = threadMilliseconds();
    const timer = setInterval(() => {
      longest = Math.max(longest, threadMilliseconds() - last);
      last = threadMilliseconds();
    }, 5);
    const read = readSource(`${server.url}/items`, { asOf: TODAY });
    if (reason === null) await read;
    else {
      const found = await read.then((found) => found!.problems, (error) => error);
      const said = found instanceof Error ? found.message : `Cannot read ${problemOf(found)}`;
      assertMatch(said, reason);
      assertEquals(said.length < 400, true, "it repeats what was sent");
    }
    clearInterval(timer);
    assertEquals(longest < 1_000, true, `the event loop was held for ${longest} ms`);
  });
}

/** Texts that are no roadmap, or less of one than they seem. */
const ODD_TEXTS: readonly string[] = [
  ...[
    "",
    " ",
    "\0".repeat(100),
    "PK\x03\x04xxxx",
    "{",
    "[]",
    "{}",
    "null",
    "1",
    '"x"',
    "[null]",
    "[[]]",
  ],
  ...[
    '[1,null,{"a":[{"b":1}]}]',
    '{"data":null}',
    '{"issues":[null]}',
    '{"items":[[]]}',
    '{"value":[{}]}',
  ],
  ...['{"__proto__":{"x":1}}', '{"version":"https://jsonfeed.org/version/1.1"}', "a\n", "a;b\n1;2"],
  ...[
    '"'.repeat(1_000),
    ",".repeat(500),
    "Key,Title\n1",
    "\ufeff",
    "\n\n\n",
    "\u2028",
    "<",
    "<rss/>",
  ],
  ...["<feed/>", "<rdf:RDF/>", "<rss><channel><item/></channel></rss>", "<html></html>", "<a b='"],
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><rss><channel><item>&b;</item></channel></rss>',
  ...["BEGIN:VCALENDAR", "BEGIN:VCALENDAR\r\nEND:VCALENDAR", "BEGIN:VEVENT\r\nEND:VCALENDAR"],
  "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:x\r\nRRULE:FREQ=x\r\nEND:VEVENT\r\nEND:VCALENDAR",
];
/** What an engine or a parser says to its developer. */
const FOR_DEVELOPERS =
  /Cannot (?:read properties|convert|destructure)|undefined|is not a function|is not iterable|\[object|NaN|Unexpected (?:token|end)| at position \d/;

slowTest("What a kind of source cannot read is refused in words for people", async () => {
  const wrong: string[] = [];
  for (const kind of SOURCE_KINDS) {
    for (const text of ODD_TEXTS) {
      await using server = serveSource(() => new Response(text));
      const read = readSource(`${server.url}/items`, { asOf: TODAY, kind });
      const said = await read.then(
        (found) => found!.problems.kept.map((problem) => describeProblem(problem)),
        (error) => error instanceof SnapshotError ? [error.message] : [`${error.stack}: undefined`],
      );
      for (const sentence of said) {
        // Mistakes in JSON are told in the words of the parser, which name the place.
        const ours = sentence.replace(
          /(?<=: (?:it is not JSON|its line \d+ is not a JSON object)): (?:Unexpected|Expected|Unterminated|Bad) .*$/s,
          "",
        );
        if (FOR_DEVELOPERS.test(ours)) {
          wrong.push(`${kind} of ${JSON.stringify(text).slice(0, 60)}: ${sentence}`);
        }
      }
    }
  }
  assertEquals(wrong, []);
});

/** What this thread alone has used of a processor, however busy the others are. */
function threadMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function problemOf({ kept: [problem] }: { kept: SnapshotProblem[] }): string {
  return problem ? describeProblem(problem) : "it: no problem";
}

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

slowTest("A source that trickles bytes is given up in the end", async () => {
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
  const found = await readSource(location, { asOf: TODAY, ...options });
  return found!.rowCount;
}
