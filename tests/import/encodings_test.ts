import { deepStrictEqual as assertEquals, rejects } from "node:assert/strict";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { readSource } from "../../lib/import/read_source.ts";
import { makeItem, startApp, TODAY } from "../support/app.ts";
import { testOnOne } from "../support/databases.ts";
import { checkReading, readTable, testReading } from "../support/read_table.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { slowTest } from "../support/slow.ts";

/** The bytes of a text whose characters are bytes each, as in ISO 8859-1. */
function latin(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function utf16(text: string, isLittle: boolean): Uint8Array<ArrayBuffer> {
  const bytes = new DataView(new ArrayBuffer(text.length * 2));
  [...text.split("")].forEach((unit, index) =>
    bytes.setUint16(index * 2, unit.charCodeAt(0), isLittle)
  );
  return new Uint8Array(bytes.buffer);
}

function csvOf(name: string): string {
  const { release_item_id, release_type, release_status, product_name } = makeItem(1);
  return "release_item_id;feature_name;release_type;release_status;product_name\n" +
    `${release_item_id};${name};${release_type};${release_status};${product_name}\n`;
}

const utf8 = (text: string) => new TextEncoder().encode(text);

/** Texts as bytes, and the name that is read from them. */
const READABLE: readonly [what: string, body: Uint8Array<ArrayBuffer>, name: string][] = [
  ["UTF-8", utf8(csvOf("Größe 😀 \ufffd")), "Größe 😀 \ufffd"],
  ["UTF-8 with a mark", utf8(`\ufeff${csvOf("für alle")}`), "für alle"],
  ["UTF-16 LE", utf16(`\ufeff${csvOf("für 😀 alle")}`, true), "für 😀 alle"],
  ["UTF-16 BE", utf16(`\ufeff${csvOf("für 😀 alle")}`, false), "für 😀 alle"],
  ["windows-1252", latin(csvOf("Café für \x93alle\x94 \x96 Größe")), "Café für “alle” – Größe"],
  ["windows-1252 to its end", latin(csvOf("x").trim() + "caf\xe9"), "x"],
  ["windows-1252 that only it has", latin(csvOf("p\xe8re")), "père"],
  ["windows-1252, then UTF-8", latin(csvOf("f\xfcr f\xc3\xbcr")), "für fÃ¼r"],
];

const NAME = ["feature_name"] as const;

testReading(
  "A text is decoded as it was encoded",
  ...READABLE.map(([what, of, name]) => ({ name: `${what}.csv`, of, shows: NAME, is: [name] })),
);

/** Texts in no encoding, and the one that each begins as. */
const REFUSED: readonly [what: string, body: Uint8Array<ArrayBuffer>, encoding: string][] = [
  ["UTF-8 first", latin(csvOf("f\xc3\xbcr f\xfcr")), "UTF-8"],
  ["UTF-8 in an earlier piece", latin(csvOf(`f\xc3\xbcr${" ".repeat(70_000)}f\xfcr`)), "UTF-8"],
  ["UTF-8 by its mark", latin(`\xef\xbb\xbf${csvOf("f\xfcr")}`), "UTF-8"],
  ["half a surrogate pair", utf16(`\ufeff${csvOf("a\ud800b")}`, true), "UTF-16LE"],
  ["half a unit", utf16(`\ufeff${csvOf("ab")}`, true).slice(0, -1), "UTF-16LE"],
];

testReading(
  "A text that cannot be decoded is refused",
  ...REFUSED.map(([what, of, encoding]) => ({
    name: `${what}.csv`,
    of,
    refused: [
      `Cannot read ${what}.csv: it is not valid ${encoding}: save the text as UTF-8, or name its encoding (--encoding)`,
    ],
  })),
);

/** Names of releases as bytes of an encoding, and what they say; with what each is read elsewhere. */
const ELSEWHERE: readonly [encoding: string, bytes: string, name: string][] = [
  ["windows-1250", "Dzia\xb3a te\xbf w podr\xf3\xbfy", "Działa też w podróży"],
  [
    "windows-1251",
    "\xca\xe0\xf0\xf2\xfb \xe4\xeb\xff \xef\xee\xe5\xe7\xe4\xea\xe8",
    "Карты для поездки",
  ],
  ["windows-1253", "\xd3\xea\xef\xf4\xe5\xe9\xed\xfc \xe8\xdd\xec\xe1", "Σκοτεινό θέμα"],
  ["windows-1256", "\xd3\xe3\xc9 \xcf\xc7\xdf\xe4\xc9", "سمة داكنة"],
];
const WESTERN = [
  "Cr\xe9ation, cr\xe9\xe9e, \x9cuvre, l'\xe9t\xe9, \xabmot\xbb, 20 m\xb3, n\xb0 1",
  "Gr\xf6\xdfe f\xfcr \xdcbersicht, \xc4\xd6\xdc",
  "\xbfQu\xe9? \xa1S\xed! a\xf1o",
  "A\xe7\xe3o, a\xe7\xf5es; bl\xe5b\xe6r\xf8l; 5\xa3 each, \xbd day",
];

Deno.test("What does not read as words is refused, and the advice works", async () => {
  const csv = (bytes: string) => latin(csvOf(bytes.replace(/[,;]/g, "")));
  for (const [encoding, bytes, name] of ELSEWHERE) {
    const { refused } = await readTable("plan.csv", csv(bytes));
    const [, likely = ""] =
      /: its encoding is unknown: it does not read as words in windows-1252, but does in (.+): save /
        .exec(refused!) ?? [];
    assertEquals([refused, likely.includes(encoding)], [refused, true]);
    await checkReading({ of: csv(bytes), name: "plan.csv", encoding, shows: NAME, is: [name] });
  }
  for (const bytes of WESTERN) {
    const name = new TextDecoder("windows-1252").decode(latin(bytes)).replace(/[,;]/g, "");
    await checkReading({ of: csv(bytes), name: "plan.csv", shows: NAME, is: [name] });
  }
});

/** The name of the first release at an address. */
async function nameAt(address: string, options: { encoding?: string } = {}): Promise<string> {
  const { firstItems: [item] } = (await readSource(address, { asOf: TODAY, ...options }))!;
  return item!.feature_name;
}

const rss = (encoding: string) =>
  latin(
    `<?xml version="1.0" encoding="${encoding}"?><rss version="2.0"><channel><title>x</title>` +
      "<item><guid>1</guid><title>\xef\xe0\xef\xe0</title></item></channel></rss>",
  );
const SHIFT_JIS =
  /it is not valid SHIFT_JIS: save the text as UTF-8, or name its encoding \(--encoding\)$/;
const GBK = latin(csvOf("\xb9\xfa\xbc\xca\xbb\xaf\x81\x40"));
/** What a server says of a text and sends, and the name that is read, or why none is. */
const SENT: readonly [
  type: string,
  body: Uint8Array<ArrayBuffer>,
  name: string | RegExp,
  encoding?: string,
][] = [
  [
    'text/csv; header=present; Charset="ISO-8859-1"',
    latin(csvOf("m\xe8re, ann\xe9e \x80")),
    "mère, année €",
  ],
  ["text/csv; charset=windows-1251", latin(csvOf("\xef\xe0\xef\xe0")), "папа"],
  ...["utf-8", "us-ascii", "?"].map((charset): [string, Uint8Array<ArrayBuffer>, string] => [
    `text/csv; charset=${charset}`,
    latin(csvOf("p\xe0p\xe0")),
    "pàpà",
  ]),
  ["text/csv; charset=shift_jis", latin(csvOf("a\xff")), SHIFT_JIS],
  ["text/csv; charset=iso-8859-1", utf8(csvOf("père")), "père"],
  ["application/rss+xml", rss("windows-1251"), "папа"],
  // What the server says stands before the declaration.
  ["application/rss+xml; charset=koi8-r", rss("windows-1251"), "ОЮОЮ"],
  ["text/csv; charset=gbk", GBK, "国际化丂"],
  [
    "text/csv",
    GBK,
    /it is neither UTF-8 nor windows-1252: save the text as UTF-8, or name its encoding/,
  ],
  ["text/csv", GBK, "国际化丂", "gbk"],
  // The encoding is recognised even late in a text.
  ["", latin(csvOf("Name").replace(/^/, "gr\xf6\xdfe;").replace("\n", "\n1;")), "Name"],
];

Deno.test("A text is decoded as its server, its declaration or the operator says", async () => {
  for (const [type, body, name, encoding] of SENT) {
    await using server = serveSource(() =>
      new Response(body, { headers: type === "" ? {} : { "content-type": type } })
    );
    const read = nameAt(`${server.url}/items`, { encoding });
    if (typeof name === "string") assertEquals(await read, name, type);
    else await rejects(read, name);
  }
});

slowTest("Chunks of a text may end anywhere", async () => {
  const texts: readonly [string, (text: string) => Uint8Array<ArrayBuffer>][] = [
    ["a😀ü€", utf8],
    ["a😀ü€", (text) => utf16(`\ufeff${text}`, true)],
    ["maßbüéa", latin],
  ];
  for (const [name, encode] of texts) {
    const feature_description = name.repeat(9_000);
    for (const padding of ["", " ", "  ", "   "]) {
      const text = padding + JSON.stringify([makeItem(1, { feature_description })]);
      await using server = serveSource(() => new Response(encode(text)));
      const { firstItems: [item] } =
        (await readSource(`${server.url}/items.json`, { asOf: TODAY }))!;
      assertEquals(item!.feature_description === feature_description, true, name);
    }
  }
});

testOnOne("Half of a character is dropped without a replacement", async (database) => {
  const text = JSON.stringify([makeItem(1, { blog_title: "\ud83d" })])
    .replace("Feature 1", "\\ud83dHalf \\ude00 \\ud83d\\ude00");
  await using server = serveSource(() => new Response(text));
  await importLocation(database, `${server.url}/items.json`, { asOf: TODAY });
  await using app = await startApp(database);
  const { data } = await app.json("/api/releases");
  assertEquals([data[0].feature_name, data[0].blog_title], ["Half  😀", null]);
});
