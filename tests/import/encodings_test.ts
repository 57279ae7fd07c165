import { deepStrictEqual as assertEquals, rejects } from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import { readSource } from "../../lib/import/read_source.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { makeItem, startApp, TODAY } from "../support/app.ts";
import { testOnOne } from "../support/databases.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { slowOnOne } from "../support/slow.ts";
import { waitFor } from "../support/wait_for.ts";

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

testOnOne("A text is decoded as it was encoded", async (database) => {
  const folder = await Deno.makeTempDir();
  await using app = await startApp(database);
  for (const [what, body, name] of READABLE) {
    const file = `${folder}/${what}.csv`;
    await Deno.writeFile(file, body);
    await importLocation(database, file, { asOf: TODAY });
    // Another connection says that there is something new.
    await waitFor(`${what}: ${name}`, async () => {
      const { data } = await app.json("/api/releases");
      return data[0].feature_name === name;
    });
  }
  await Deno.remove(folder, { recursive: true });
});

/** Texts in no encoding, and the one that each begins as. */
const REFUSED: readonly [what: string, body: Uint8Array<ArrayBuffer>, encoding: string][] = [
  ["UTF-8 first", latin(csvOf("f\xc3\xbcr f\xfcr")), "UTF-8"],
  ["UTF-8 in an earlier piece", latin(csvOf(`f\xc3\xbcr${" ".repeat(70_000)}f\xfcr`)), "UTF-8"],
  ["UTF-8 by its mark", latin(`\xef\xbb\xbf${csvOf("f\xfcr")}`), "UTF-8"],
  ["half a surrogate pair", utf16(`\ufeff${csvOf("a\ud800b")}`, true), "UTF-16LE"],
  ["half a unit", utf16(`\ufeff${csvOf("ab")}`, true).slice(0, -1), "UTF-16LE"],
];

testOnOne("A text that cannot be decoded is refused", async (database) => {
  const folder = await Deno.makeTempDir();
  for (const [what, body, encoding] of REFUSED) {
    const file = `${folder}/${what}.csv`;
    await Deno.writeFile(file, body);
    await rejects(importLocation(database, file, { asOf: TODAY }), (error: Error) => {
      assertEquals(error.name, "SnapshotError");
      assertEquals(
        error.message,
        `Cannot read ${file}: it is not valid ${encoding}: save the text as UTF-8, or name its encoding (--encoding)`,
      );
      return true;
    });
  }
  await Deno.remove(folder, { recursive: true });
  await using app = await startApp(database);
  assertEquals((await app.json("/api/releases")).data, []);
});

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

Deno.test(
  "What does not read as words is refused, and the advice works",
  async () => {
    const file = await Deno.makeTempFile({ suffix: ".csv" });
    const read = async (bytes: string, encoding?: string) => {
      await Deno.writeFile(file, latin(csvOf(bytes.replace(/[,;]/g, ""))));
      const options = { asOf: TODAY, encoding };
      return (await readSource(file, options))!.firstItems[0]!.feature_name;
    };
    for (const [encoding, bytes, name] of ELSEWHERE) {
      await rejects(read(bytes), (error: Error) => {
        const [, likely = ""] =
          /: its encoding is unknown: it does not read as words in windows-1252, but does in (.+): save /
            .exec(error.message) ?? [];
        assertEquals([error.message, likely.includes(encoding)], [error.message, true]);
        return true;
      });
      assertEquals(await read(bytes, encoding), name);
    }
    for (const bytes of WESTERN) {
      const name = new TextDecoder("windows-1252").decode(latin(bytes)).replace(/[,;]/g, "");
      assertEquals(await read(bytes), name);
    }
    await Deno.remove(file);
  },
);

testOnOne("The charset that a server declares is used", async (database) => {
  let type = 'text/csv; header=present; Charset="ISO-8859-1"';
  let body = latin(csvOf("m\xe8re, ann\xe9e \x80"));
  await using server = serveSource(() => new Response(body, { headers: { "content-type": type } }));
  const read = () => importLocation(database, `${server.url}/items`, { asOf: TODAY });
  await using app = await startApp(database);
  await read();
  assertEquals((await app.json("/api/releases")).data[0].feature_name, "mère, année €");
  const encoded: readonly [charset: string, name: string][] = [
    ["windows-1251", "папа"],
    ["utf-8", "pàpà"],
    ["us-ascii", "pàpà"],
    ["?", "pàpà"],
  ];
  for (const [charset, name] of encoded) {
    type = `text/csv; charset=${charset}`;
    body = latin(csvOf(charset === "windows-1251" ? "\xef\xe0\xef\xe0" : "p\xe0p\xe0"));
    await read();
    assertEquals((await app.json("/api/releases")).data[0].feature_name, name, charset);
  }
  type = "text/csv; charset=shift_jis";
  body = latin(csvOf("a\xff"));
  await rejects(
    read(),
    /it is not valid SHIFT_JIS: save the text as UTF-8, or name its encoding \(--encoding\)$/,
  );
  body = utf8(csvOf("père"));
  type = "text/csv; charset=iso-8859-1";
  await read();
  assertEquals((await app.json("/api/releases")).data[0].feature_name, "père");
});

testOnOne("The encoding is recognised even late in a text", async (database) => {
  const body = latin(csvOf("Name").replace(/^/, "gr\xf6\xdfe;").replace("\n", "\n1;"));
  await using server = serveSource(() => new Response(body));
  const counts = await importLocation(database, `${server.url}/items`, { asOf: TODAY });
  assertEquals(counts.added, 1);
});

slowOnOne("Chunks of a text may end anywhere", async (database) => {
  const long = (name: string, count: number) =>
    JSON.stringify([
      makeItem(1, { feature_description: name.repeat(count) }),
    ]);
  await using app = await startApp(database);
  const texts: readonly [string, (text: string) => Uint8Array<ArrayBuffer>][] = [
    ["a😀ü€", utf8],
    ["a😀ü€", (text) => utf16(`\ufeff${text}`, true)],
    ["maßbüéa", latin],
  ];
  for (const [name, encode] of texts) {
    for (const padding of ["", " ", "  ", "   "]) {
      const text = padding + long(name, 9_000);
      await using server = serveSource(() => new Response(encode(text)));
      await importLocation(database, `${server.url}/items.json`, { asOf: TODAY });
      const { data } = await app.json("/api/releases");
      assertEquals(data[0].feature_description === name.repeat(9_000), true, name);
    }
  }
});

testOnOne(
  "Half of a character is dropped without a replacement",
  async (database) => {
    const text = JSON.stringify([makeItem(1, { blog_title: "\ud83d" })])
      .replace("Feature 1", "\\ud83dHalf \\ude00 \\ud83d\\ude00");
    await using server = serveSource(() => new Response(text));
    await importLocation(database, `${server.url}/items.json`, { asOf: TODAY });
    await using app = await startApp(database);
    const { data } = await app.json("/api/releases");
    assertEquals([data[0].feature_name, data[0].blog_title], ["Half  😀", null]);
  },
);

testOnOne(
  "A text is decoded as its declaration, its server or the operator says",
  async (database) => {
    await using app = await startApp(database);
    let [type, body] = ["application/rss+xml", latin("")];
    await using server = serveSource(() =>
      new Response(body, { headers: { "content-type": type } })
    );
    const nameAfter = async (options = {}) => {
      await importLocation(database, server.url, {
        asOf: TODAY,
        allowMassRemoval: true,
        ...options,
      });
      return (await app.json("/api/releases")).data[0].feature_name;
    };
    const rss = (encoding: string) =>
      latin(
        `<?xml version="1.0" encoding="${encoding}"?><rss version="2.0"><channel><title>x</title>` +
          "<item><guid>1</guid><title>\xef\xe0\xef\xe0</title></item></channel></rss>",
      );
    body = rss("windows-1251");
    assertEquals(await nameAfter(), "папа");
    // What the server says stands before the declaration.
    type = "application/rss+xml; charset=koi8-r";
    assertEquals(await nameAfter(), "ОЮОЮ");
    await database.query(sql`delete from item_rows`);
    const gbk = latin(csvOf("\xb9\xfa\xbc\xca\xbb\xaf\x81\x40"));
    [type, body] = ["text/csv; charset=gbk", gbk];
    assertEquals(await nameAfter(), "国际化丂");
    type = "text/csv";
    await rejects(
      nameAfter(),
      /it is neither UTF-8 nor windows-1252: save the text as UTF-8, or name its encoding/,
    );
    assertEquals(await nameAfter({ encoding: "gbk" }), "国际化丂");
  },
);
