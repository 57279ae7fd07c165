import { deepStrictEqual as assertEquals, match as assertMatch, rejects } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { readSource } from "../../lib/import/read_source.ts";
import { importItems, makeItem, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { testReading } from "../support/read_table.ts";
import { serveRoadmap } from "../support/servers/roadmap_server.ts";
import { slowOnDatabases } from "../support/slow.ts";

/** Expects that an import fails with one line that matches, and stores nothing. */
async function assertRefused(
  database: Database,
  work: () => Promise<unknown>,
  reason: RegExp,
): Promise<void> {
  const before = await dumpRoadmap(database);
  await rejects(work, (error: Error) => {
    assertMatch(error.name, /^(SnapshotError|FetchError)$/, error.stack);
    assertMatch(error.message, reason);
    assertEquals(error.message.includes("\n"), false);
    return true;
  });
  assertEquals(await dumpRoadmap(database), before);
}

function dumpRoadmap(database: Database): Promise<unknown[]> {
  return database.query(sql`
    select
      (select jsonb_agg(to_jsonb(items) order by release_item_id) from items) as items,
      (select jsonb_agg(to_jsonb(changes) order by change_id) from changes) as changes,
      (select data_version::int from service_state) as data_version
  `);
}

const HTML_PAGE =
  /: it is an HTML page, not JSON, NDJSON or CSV: save its table as CSV or as a spreadsheet \(\.xlsx\)$/;
const NO_LIST =
  /it is neither an array of items nor an object whose "data", "items", or "issues" is one$/;
const GOOD = [makeItem(1), makeItem(2)];
const long = (length: number) => "x".repeat(length);

/** Texts that are no snapshot, and what is said of each. */
const TEXTS: readonly [text: string, reason: RegExp][] = [
  ["", /it is empty$/],
  [" \n\t ", /it is empty$/],
  ["\ufeff", /it is empty$/],
  ["<html></html>", HTML_PAGE],
  [
    '[{"a" 1}]',
    /it is not JSON: Expected ':' after property name in JSON at position 6 \(line 1 col/,
  ],
  [
    "[1,\n2,\n]",
    /it is not JSON: Unexpected token '\]', "\[1, 2, \]" is not valid JSON \(line 3\)$/,
  ],
  ['[{"a": True}]', /Unexpected token 'T', "\[\{"a": True\}\]" is not valid JSON \(line 1\)$/],
  [
    `[${"1,\n".repeat(50)}'a'${",\n1".repeat(50)}]`,
    /Unexpected token ''', .* is not valid JSON \(line 51\)$/s,
  ],
  [
    ")]}'\n[\n1 2]",
    /it is not JSON: Expected ',' or ']' after array element in JSON at .* \(line 3 /,
  ],
  ['load([{"a": 1}])', /a call of "load" \(JSONP\), not JSON: delete what stands around the JSON$/],
  [
    "/*O_o*/\ngoogle.visualization.Query.setResponse({});",
    /it is a call of "google\.visualization\.Query\.setResponse" \(JSONP\), not JSON: use "tqx=out:csv"/,
  ],
  ["items: []", /it is YAML, not JSON, NDJSON or CSV: save it as JSON or CSV$/],
  ["---\n# Plan\n- title: Dark mode\n  due: 2026-09-30\n", /it is YAML, not JSON/],
  ["# Plan\n[[release]]\nkey = 'R-1'\n", /it is TOML, not JSON/],
  ['title = "Dark mode"\n', /it is TOML, not JSON/],
  ["#+TITLE: Plan\n* TODO Dark mode\n", /it is an Org file, not JSON/],
  [JSON.stringify(GOOD).slice(0, -1), /it is incomplete JSON: the end is missing$/],
  [JSON.stringify({ data: GOOD }).slice(0, 300), /it is incomplete JSON: the end is missing$/],
  ["[", /it is incomplete JSON: the end is missing$/],
  ["{}", NO_LIST],
  ['{"data": {"0": {}}}', NO_LIST],
  ['{"data": null}', NO_LIST],
  ['{"items": {}}', NO_LIST],
  ['{"results": []}', NO_LIST],
  [
    '{"issues": [{"a": 1}], "data": [{"a": 1}]}',
    /both its "issues" and its "data" are lists: keep only the one with the releases$/,
  ],
  ['"text"', NO_LIST],
  ["17", /it is (neither an array|incomplete JSON)/],
  ["null", NO_LIST],
];
testReading(
  "Text that is not a snapshot is refused",
  ...TEXTS.map(([of, refused]) => ({ name: "items.json", of, refused })),
);

testOnDatabases("Of a text that is refused nothing is stored", async (database) => {
  await importItems(database, GOOD);
  const texts: [text: string, reason: RegExp][] = [
    ["{}", NO_LIST],
    ["[]", /The snapshot has no items: nothing was stored/],
    ['{"data": []}', /The snapshot has no items: nothing was stored/],
    [
      JSON.stringify([...GOOD, makeItem(3, { active: "yes" })]),
      /^Cannot read item 3: "active" must/,
    ],
  ];
  for (const [text, reason] of texts) {
    await assertRefused(database, () => importItems(database, text), reason);
  }
});

/** Fields that are wrong, and what is said of them. */
const FIELDS: readonly [fields: Record<string, unknown>, reason: string][] = [
  [{ release_item_id: undefined }, '"release_item_id" must be a UUID'],
  [{ release_item_id: " " }, '"release_item_id" must be a UUID'],
  [{ release_item_id: 1.5 }, '"release_item_id" must be a UUID'],
  [{ release_item_id: ["a"] }, '"release_item_id" must be a UUID'],
  [{ feature_name: null }, '"feature_name" must be text'],
  [{ feature_name: "  " }, '"feature_name" must not be empty'],
  [{ feature_name: "a\0b" }, '"feature_name" contains a NUL character'],
  [{ feature_name: long(2_001) }, '"feature_name" is longer than 2000 characters'],
  ...["soon", "Q5 2026"].map((release_date): [Record<string, unknown>, string] => [
    { release_date },
    `"release_date" is "${release_date}", which is not a date such as 2026-09-30, Q3 2026 or ` +
    `Sep 2026; if it means none, say so in the mapping, {"none": ["${release_date}"]}`,
  ]),
  [
    { release_date: "Q1 0000" },
    '"release_date" is "Q1 0000", not between 1970 and 2199: leave it empty where there is no date',
  ],
  [
    { release_date: "2026-02-30" },
    '"release_date" is "2026-02-30", which is not a day of the calendar',
  ],
  [
    { release_date: "1900-01-01" },
    '"release_date" is "1900-01-01", not between 1970 and 2199: leave it empty where there is no date',
  ],
  [
    { release_date: "9999-12-31" },
    '"release_date" is "9999-12-31", not between 1970 and 2199: leave it empty where there is no date',
  ],
  [{ release_date: 2026 }, '"release_date" must be text or null'],
  [{ release_type: "" }, '"release_type" must not be empty'],
  [{ release_status: undefined }, '"release_status" must be text'],
  [{ product_id: "none" }, '"product_id" must be a UUID'],
  [{ product_name: ["a"] }, '"product_name" must be text'],
  [{ product_name: long(501) }, '"product_name" is longer than 500 characters'],
  [{ feature_description: 5 }, '"feature_description" must be text or null'],
  [{ feature_description: "\0" }, '"feature_description" contains a NUL character'],
  [{ blog_url: long(4_001) }, '"blog_url" is longer than 4000 characters'],
  [{ last_modified: "01.07.2026" }, '"last_modified" is "01.07.2026", not "YYYY-MM-DD"'],
  [{ last_modified: "0000-01-01" }, '"last_modified" is "0000-01-01", not "YYYY-MM-DD"'],
  [{ active: "yes" }, '"active" must be true or false'],
];

testReading(
  "An invalid item is reported with its position and reason",
  ...FIELDS.map(([fields, reason]) => ({
    of: [...GOOD, makeItem(3), makeItem(4, fields), makeItem(5)],
    refused: [`item 4: ${reason}`],
  })),
  ...[null, 17, "item", [makeItem(3)]].map((value) => ({
    of: [...GOOD, value],
    refused: ["item 3: it is not an object"],
  })),
);

testOnDatabases(
  "An invalid item after thousands of valid ones stores nothing",
  async (database) => {
    await importItems(database, GOOD);
    const many = Array.from({ length: 2_500 }, (_, n) => makeItem(n + 1));
    await assertRefused(
      database,
      () => importItems(database, [...many, makeItem(9_999, { release_type: 5 })]),
      /^Cannot read item 2501: "release_type" must be text$/,
    );
  },
);

const ID = "abcdefab-0000-4000-8000-00000000000a";
testReading("Two items with one id are refused, whatever its case", {
  of: [
    makeItem(5),
    ...[ID, ID.toUpperCase()].map((release_item_id) => makeItem(1, { release_item_id })),
  ],
  refused: /^item 3: its "release_item_id" abcdefab-.* is already used by item 2$/,
});

testOnDatabases("An unreadable file is reported", async (database) => {
  const folder = await Deno.makeTempDir();
  const options = { asOf: TODAY };
  const missing = `${folder}/missing.json`;
  await assertRefused(
    database,
    () => importLocation(database, missing, options),
    /^Cannot read .*missing\.json: there is no such file$/,
  );
  await assertRefused(
    database,
    () => importLocation(database, folder, options),
    /^Cannot read \/.*: (it is not a file|Is a directory.*)$/,
  );
  await Deno.remove(folder);
});

slowOnDatabases("A URL that cannot be read is reported with the reason", async (database) => {
  await importItems(database, GOOD);
  await using server = serveRoadmap({
    "/500": () => new Response("Oops", { status: 500 }),
    "/loop": () => new Response(null, { status: 302, headers: { location: "/loop" } }),
    "/page": () => new Response("<!doctype html>", { headers: { "content-type": "text/html" } }),
    "/silent": () => new Promise<Response>(() => {}),
    "/stalls": () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode(JSON.stringify(GOOD).slice(0, -1)));
          },
        }),
      ),
    "/circle": () => Response.json({ data: [], links: { next: "/circle?page=2" } }),
  });
  const refused: Record<string, RegExp> = {
    "/404": /: the server responded 404 Not Found$/,
    "/500": /: the server responded 500 Internal Server Error$/,
    "/loop": /\/loop: .*redirect/i,
    "/page":
      /\/page: it is an HTML page, .*: use the address of the data itself, one that needs no login$/,
    "/silent": /\/silent: it sent nothing for 0\.3 s$/,
    "/stalls": /\/stalls: it sent nothing for 0\.3 s$/,
    "/circle": /links\.next loop at .*\/circle\?page=2$/,
  };
  for (const [path, reason] of Object.entries(refused)) {
    // Only what is silent for ever: the others may be slow on a busy machine.
    const isSilent = ["/silent", "/stalls"].includes(path);
    const silence = isSilent ? { silenceMs: 300 } : {};
    await assertRefused(
      database,
      () => importLocation(database, server.at(path), { asOf: TODAY, ...silence }),
      reason,
    );
  }
  await assertRefused(
    database,
    () => importLocation(database, "http://127.0.0.1:1/", { asOf: TODAY }),
    /^Cannot read http:\/\/127\.0\.0\.1:1\/: /,
  );
});

Deno.test("Pages that link in a circle are refused", async () => {
  await using server = serveRoadmap({
    "/a": () => Response.json({ data: [], links: { next: "/b" } }),
    "/b": () => Response.json({ data: [], links: { next: "/a" } }),
  });
  await rejects(
    readSource(server.at("/a"), { asOf: TODAY }),
    /links\.next loop at http:\/\/127\.0\.0\.1:\d+\/a$/,
  );
  assertEquals(server.asked, ["/a", "/b"]);
});
