import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { importItems, makeItem, startApp } from "../../support/app.ts";
import { testOnDatabases } from "../../support/databases.ts";
import { waitFor } from "../../support/wait_for.ts";

/** The time limit of a request to the database. */
const REQUEST_MS = 10_000;

testOnDatabases("A long poll may exceed the time limit of a request", async (database) => {
  await importItems(database, [makeItem(1)]);
  await using app = await startApp(database);
  await using server = app.listen();
  const { next_after } = await app.json("/api/changes");
  const url = `http://127.0.0.1:${server.port}/api/changes?wait=30&after=${next_after}`;
  const answer = fetch(url);
  await waitFor("the request", () => app.countWaiting() === 1);
  await new Promise((resolve) => setTimeout(resolve, REQUEST_MS + 1_000));
  assertEquals(app.countWaiting(), 1);
  await importItems(database, [makeItem(1), makeItem(2)]);
  const response = await answer;
  assertEquals([response.status, (await response.json()).data.length], [200, 1]);
});

testOnDatabases("An incomplete snapshot upload times out, changing nothing", async (database) => {
  await importItems(database, [makeItem(1)]);
  await using app = await startApp(database, { ADMIN_TOKEN: "an-admin-token-of-31-characters" });
  await using server = app.listen();
  const open = async () => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
    const lines = [
      "POST /api/import HTTP/1.1",
      "Host: localhost",
      "Authorization: Bearer an-admin-token-of-31-characters",
      "Content-Type: application/json",
      "Content-Length: 500",
    ];
    await connection.write(new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n[`));
    return connection;
  };
  using silent = await open();
  const answer = new Uint8Array(200);
  const length = await silent.read(answer);
  match(new TextDecoder().decode(answer.subarray(0, length!)), /^HTTP\/1\.1 408 /);
  (await open()).close();
  const { data } = await app.json("/api/releases");
  assertEquals(data.map((item: { feature_name: string }) => item.feature_name), ["Feature 1"]);
});
