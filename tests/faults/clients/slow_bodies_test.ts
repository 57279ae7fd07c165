import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { testOnOneDatabase } from "../../support/fault_databases.ts";
import { readAnswer, sendRaw, write } from "../../support/raw_client.ts";
import { startServer } from "../../support/server.ts";

const JSON_HEAD = "POST /api/subscribe HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
const FORM_HEAD =
  "POST /unsubscribe HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n";
const MULTIPART_HEAD =
  "POST /unsubscribe HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n";
const CHUNKED = "Transfer-Encoding: chunked\r\n\r\n";

/** Bodies that never end, with the part that is sent every 500 ms. */
const ENDLESS: readonly [head: string, drop: string][] = [
  [`${JSON_HEAD}Content-Length: 90\r\n\r\n{`, ""],
  [`${JSON_HEAD}Content-Length: 900\r\n\r\n`, " "],
  [JSON_HEAD + CHUNKED, "1\r\n \r\n"],
  [FORM_HEAD + CHUNKED, "1\r\na\r\n"],
];

testOnOneDatabase("A body must arrive within 10 s", async (settings) => {
  await using server = await startServer(settings);
  const answers = Promise.all(ENDLESS.map(([head, drop]) => drip(server.port, head, drop)));
  for (let count = 0; count < 20; count++) {
    const response = await fetch(`${server.url}/api/releases?q=${count}`);
    await response.body?.cancel();
    assertEquals(response.status, 200);
  }
  for (const { milliseconds, status, headers, body } of await answers) {
    assertEquals(status, 408);
    assertEquals(milliseconds > 9_000, true, `after ${milliseconds} ms`);
    assertEquals(headers.get("connection"), "close");
    assertEquals(headers.get("cache-control"), "no-store");
    assertEquals(body.includes("The body must arrive within 10 seconds"), true, body);
  }
});

/** Sends a body bit by bit until a response arrives. */
async function drip(port: number, head: string, drop: string) {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const started = performance.now();
  await write(connection, head);
  const timer = setInterval(() => write(connection, drop).catch(() => {}), 500);
  try {
    const answer = await readAnswer(connection);
    return { milliseconds: performance.now() - started, ...answer };
  } finally {
    clearInterval(timer);
  }
}

testOnOneDatabase("Bodies that contradict their headers do no harm", async (settings) => {
  await using server = await startServer(settings);
  const post = (headers: readonly string[], body: string) =>
    sendRaw(server.port, {
      line: "POST /api/subscribe HTTP/1.1",
      headers: ["Host: x", "Content-Type: application/json", ...headers],
      body,
    });
  const statusOf = async (headers: readonly string[], body: string) =>
    (await post(headers, body)).status;
  assertEquals(await statusOf(["Content-Length: x"], "{}"), 400);
  assertEquals(await statusOf(["Content-Length: -2"], "{}"), 400);
  assertEquals(await statusOf(["Content-Length: 2", "Content-Length: 3"], "{}"), 400);
  assertEquals(await statusOf(["Content-Length: 2", "Transfer-Encoding: chunked"], "{}"), 400);
  const chunks = `1000\r\n${" ".repeat(0x1000)}\r\n`.repeat(9);
  assertEquals(await statusOf(["Transfer-Encoding: chunked"], `${chunks}0\r\n\r\n`), 413);
  for (const chunk of ["zz\r\n{}\r\n", "ffffffffffffffffff\r\n{}\r\n"]) {
    assertEquals(await statusOf(["Transfer-Encoding: chunked"], chunk), 0);
  }
  const long = await leaveEarly(server.port, 99_999_999);
  assertEquals(long.status, 413);
  const form = await leaveEarly(server.port, 90, MULTIPART_HEAD);
  assertEquals(form.status, 400);
  const short = await leaveEarly(server.port, 90);
  assertEquals(short.status, 400);
  assertEquals(JSON.parse(short.body).detail, "The body ended before it was complete");
  assertEquals((await fetch(`${server.url}/api/filter-options`)).status, 200);
  assertEquals(/"level":"ERROR"/.test(server.output()), false, server.output());
});

/** Announces the length of a body, and sends only its start. */
async function leaveEarly(port: number, length: number, head = JSON_HEAD) {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await write(connection, `${head}Content-Length: ${length}\r\n\r\n{`);
  await connection.closeWrite();
  return await readAnswer(connection);
}
