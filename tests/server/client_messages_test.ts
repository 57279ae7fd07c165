import { deepStrictEqual as assertEquals, throws } from "node:assert/strict";
import { ClientMessages } from "../../lib/database/embedded/client_messages.ts";
import { extended, message } from "../support/postgres_client.ts";

const { parse, bind, execute, sync, flush } = extended;
const START = message(
  "",
  Uint8Array.of(0, 3, 0, 0),
  "user",
  "somebody",
  new Uint8Array(1),
);
const query = (text: string) => message("Q", text);
const row = message("d", new TextEncoder().encode("a row\n"));
const done = message("c");

/** What a client asks for by messages after its start, in short: `run QS`, `run Qdc of 1`. */
function read(
  messages: readonly Uint8Array[],
  pieces: (bytes: Uint8Array) => Uint8Array[],
) {
  const client = new ClientMessages();
  const asked: string[] = [];
  const bytes = Uint8Array.from(
    [START, ...messages].flatMap((message) => [...message]),
  );
  for (const piece of pieces(bytes)) {
    for (const request of client.read(piece)) {
      const { asks } = request;
      if (asks !== "run") {
        asked.push(asks);
        continue;
      }
      const types = request.messages.map((message) => String.fromCharCode(message[0]!)).join("");
      asked.push(
        `run ${types}${request.copies ? ` of ${request.copies}` : ""}`,
      );
    }
  }
  return asked.slice(1);
}

const whole = (bytes: Uint8Array) => [bytes];
const byByte = (bytes: Uint8Array) => Array.from(bytes, (byte) => Uint8Array.of(byte));

/** A CopyFail stands behind whatever may copy rows that have not been collected. */
const TURNS: readonly [
  name: string,
  messages: Uint8Array[],
  asked: string[],
][] = [
  ["a query", [query("select 1")], ["run Q"]],
  ["two queries", [query("select 1"), query("select 2")], ["run Q", "run Q"]],
  ["a statement with values", [parse("select 1"), bind(), execute(), sync()], [
    "run PBES",
  ]],
  ["a pipeline", [parse("x"), flush(), bind(), execute(), sync()], [
    "run PH",
    "run BES",
  ]],
  ["rows", [query("copy t from stdin"), row, row, done], [
    "rows",
    "run Qddcf of 1",
  ]],
  ["rows behind others", [query("select 1; copy t from stdin"), row, done], [
    "rows",
    "run Qdcf of 1",
  ]],
  ["rows of two", [
    query("copy t from stdin; copy t from stdin"),
    row,
    done,
    row,
    done,
  ], [
    "rows",
    "rows",
    "run Qdcdcf of 2",
  ]],
  ["rows that fail", [
    query("copy t from stdin; copy t from stdin"),
    message("f", "no"),
  ], [
    "rows",
    "run Qff of 1",
  ]],
  ["rows, and a Sync among them", [query("copy t from stdin"), sync(), done], [
    "rows",
    "run Qcf of 1",
  ]],
  ["a client that leaves within its rows", [
    query("copy t from stdin"),
    message("X"),
  ], [
    "rows",
    "end",
  ]],
  ["rows of the extended protocol", [
    parse("copy t from stdin"),
    bind(),
    execute(),
    sync(),
  ], [
    "run PBEfS",
  ]],
  ["a copy to the client", [query("copy t to stdout")], ["run Qf"]],
  ["rows of no copy", [row, done, query("select 1")], ["run Q"]],
];

Deno.test("Messages of a client become turns, in whatever pieces they arrive", () => {
  for (const [name, messages, asked] of TURNS) {
    for (const pieces of [whole, byByte]) {
      assertEquals(read(messages, pieces), asked, name);
    }
  }
});

const VIOLATIONS: readonly [name: string, bytes: Uint8Array][] = [
  ["a type that is none", message("y", "abc")],
  ["a password", message("p", "abc")],
  ["a message of a server", message("R", "abc")],
  ["a length below its own", Uint8Array.of(81, 0, 0, 0, 3)],
  ["a length of 2 GB", Uint8Array.of(81, 0x7f, 255, 255, 255)],
  ["a Sync that is too long", message("S", "x".repeat(20_000))],
  [
    "a query within rows",
    new Uint8Array([...query("copy t from stdin"), ...query("select 1")]),
  ],
];

Deno.test("What is not PostgreSQL's protocol is refused as soon as it is seen", () => {
  for (const [name, bytes] of VIOLATIONS) {
    throws(() => read([bytes], whole), { code: "08P01" }, name);
    throws(() => read([bytes], byByte), { code: "08P01" }, name);
  }
});

Deno.test("After an error everything up to the next Sync is ignored", () => {
  const client = new ClientMessages();
  const types = (...messages: Uint8Array[]) =>
    messages.flatMap((message) => [...client.read(message)])
      .map((request) => request.asks === "run" ? request.messages.length : request.asks);
  types(START);
  client.skipToSync();
  assertEquals(types(parse("select 1"), flush(), query("select 1"), sync()), [
    1,
  ]);
  assertEquals(types(parse("select 1"), flush()), [2]);
});
