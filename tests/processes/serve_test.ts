import {
  deepStrictEqual as assertEquals,
  doesNotMatch,
  match as assertMatch,
} from "node:assert/strict";
import { existsSync } from "node:fs";
import { makeItem } from "../support/app.ts";
import { startCommand } from "../support/command.ts";
import {
  copyMigrated,
  copyStarted,
  createScratchDatabase,
  TEST_DATABASE_URL,
} from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { startServer } from "../support/server.ts";
import { answerConditionally, serveSource } from "../support/servers/source_server.ts";
import { readHealth, waitFor } from "../support/wait_for.ts";

/** Settings of a separate database: PostgreSQL if there is one for tests, else embedded. */
async function ownDatabase(
  prepare: (folder: string) => Promise<void> = copyStarted,
): Promise<{ settings: Record<string, string> } & AsyncDisposable> {
  if (TEST_DATABASE_URL) {
    const { url, drop } = await createScratchDatabase();
    return { settings: { DATABASE_URL: url }, [Symbol.asyncDispose]: drop };
  }
  const folder = await Deno.makeTempDir();
  await prepare(folder);
  return {
    settings: { DATA_DIR: folder },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

Deno.test("A server starts and serves without its source and imports when it is back", async () => {
  await using own = await ownDatabase(copyMigrated);
  let isAway = true;
  await using source = serveSource((request) =>
    isAway
      ? new Response(null, { status: 404 })
      : answerConditionally(request, '"1"', JSON.stringify([makeItem(1)]))
  );
  const settings = { ...own.settings, ROADMAP_SOURCE: `${source.url}/items?key=hidden` };
  await using server = await startServer(settings);
  const unready = await fetch(`${server.url}/ready`);
  assertEquals(unready.status, 503);
  assertEquals((await unready.json()).roadmap, "never imported");
  const { last_import } = await readHealth(async () =>
    await (await fetch(`${server.url}/health`)).json()
  );
  assertEquals(last_import.error, "the source refused the request: 404");
  assertEquals((await (await fetch(`${server.url}/api/releases`)).json()).data, []);
  assertEquals(server.output().match(/Cannot import/g)?.length, 1);
  assertEquals(server.output().includes("hidden"), false);

  isAway = false;
  await using second = await startServerBeside(server, settings);
  await waitFor("the import", async () => {
    const { data } = await (await fetch(`${second.url}/api/releases`)).json();
    return data.length === 1;
  });
  const ready = await fetch(`${second.url}/ready`);
  assertEquals([ready.status, (await ready.json()).ready], [200, true]);
  second.kill("SIGTERM");
  assertEquals(await second.ended, 0);

  const imports = startCommand(["imports", "--limit", "1"], settings);
  assertEquals(await imports.ended, 0);
  assertMatch(imports.output(), /\/items\?key=… +as of .*: 1 added, 0 changed, 0 removed/);
});

/** On PostgreSQL a second process, else the same one restarted. */
async function startServerBeside(
  server: { kill(signal: Deno.Signal): void; ended: Promise<number> },
  settings: Record<string, string>,
) {
  if (!settings.DATABASE_URL) {
    server.kill("SIGTERM");
    assertEquals(await server.ended, 0);
  }
  return await startServer(settings);
}

Deno.test("Requests have an ID, are counted by route, and are logged without query", async () => {
  await using own = await ownDatabase();
  await using source = serveSource((request) =>
    answerConditionally(request, '"1"', JSON.stringify([makeItem(1)]))
  );
  await using server = await startServer({ ...own.settings, ROADMAP_SOURCE: source.url });
  const ask = (path: string, headers = {}) => fetch(server.url + path, { headers });
  const named = await ask("/api/releases?q=secret", { "x-request-id": "trace-1" });
  assertEquals(named.headers.get("x-request-id"), "trace-1");
  await named.body?.cancel();
  const kept = await ask("/api/releases?q=secret", { "x-request-id": "trace-2" });
  assertEquals(kept.headers.get("x-request-id"), "trace-2");
  await kept.body?.cancel();
  const forged = await ask("/nowhere", { "x-request-id": "a b" });
  assertMatch(forged.headers.get("x-request-id")!, /^[0-9a-f-]{36}$/);
  await forged.body?.cancel();

  const [{ release_item_id: id }] = (await (await ask("/api/releases?page_size=1")).json()).data;
  const markdown = await ask(`/release/${id}.md`);
  assertEquals([markdown.status, (await markdown.text()).startsWith("# ")], [200, true]);
  // With the permissions of a server: the renderer reads files in a worker.
  const picture = await ask(`/release/${id}/picture.png`);
  assertEquals([picture.status, picture.headers.get("content-type")], [200, "image/png"]);
  await picture.body?.cancel();

  const metrics = await ask("/metrics");
  assertEquals(metrics.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  assertEquals(metrics.headers.get("cache-control"), "no-store");
  const text = await metrics.text();
  for (
    const line of [
      'roadcast_requests_total{route="/api/releases",status="200"} 2',
      'roadcast_requests_total{route="/release/:markdown_file",status="200"} 1',
      'roadcast_requests_total{route="/release/:release_item_id/picture.png",status="200"} 1',
      'roadcast_requests_total{route="(none)",status="404"} 1',
      'roadcast_requests_total{route="(from memory)",status="200"} 1',
      "roadcast_memory_hits_total 1",
      'roadcast_request_duration_seconds_bucket{le="+Inf",route="/api/releases"} 2',
      "roadcast_database_up 1",
    ]
  ) assertEquals(text.includes(`\n${line}\n`), true, `${line} is missing in\n${text}`);

  await waitFor("the last line", () => server.output().includes('"path":"/metrics"'));
  const lines = server.output().trim().split("\n").map((line) => JSON.parse(line));
  const routed = lines.filter(({ properties }) => properties.request_id === "trace-1");
  assertEquals(routed.map(({ properties }) => [properties.path, properties.status]), [
    ["/api/releases", 200],
  ]);
  assertEquals(server.output().includes("secret"), false);
  assertEquals(server.output().includes("trace-2"), false, "answers from memory are not logged");
});

Deno.test("All wrong settings are reported at once", async () => {
  const wrong = { PORT: "x", ROADMAP_SOURCE_KIND: "rss", ROADMAP_VARIANT: "c" };
  const server = startCommand(["serve"], wrong);
  assertEquals(await server.ended, 78);
  assertEquals(server.output().trim().split("\n"), [
    'PORT takes a port number from 0 to 65535, not "x"',
    'ROADMAP_VARIANT takes a, b or both, not "c"',
    'ROADMAP_SOURCE_KIND takes one of roadcast, json, ndjson, csv, xlsx, fabric, m365, azure, github, feed, gitlab, jira, ics, not "rss"',
  ]);
});

Deno.test("SIGTERM stops a server within 10 s, however its clients behave", async () => {
  await using own = await ownDatabase();
  await using server = await startServer(own.settings);
  const connect = () => Deno.connect({ hostname: "127.0.0.1", port: server.port });
  const send = async (connection: Deno.Conn, text: string) => {
    await connection.write(new TextEncoder().encode(text));
    return connection;
  };
  const head = "Host: x\r\n";
  const clients = [
    await connect(),
    await send(await connect(), `GET /health HTTP/1.1\r\n${head}\r\n`), // idle after a response
    await send(await connect(), "GET /health HTTP/1.1\r\nHo"), // half of the headers
    await send(
      await connect(),
      `POST /api/subscribe HTTP/1.1\r\n${head}Content-Length: 99\r\n\r\na`,
    ),
    // Responses that nobody reads.
    await send(await connect(), `GET /api/releases HTTP/1.1\r\n${head}\r\n`.repeat(500)),
  ];
  await clients[1]!.read(new Uint8Array(100));
  const { started } = await terminate(server);
  assertEquals(performance.now() - started < 10_000, true, "it took longer than 10 s");
  for (const client of clients) client.close();
});

Deno.test("SIGTERM ends a first start without waiting for the rest of it", async () => {
  await withFolder(async (folder) => {
    const settings = { PORT: "0", HOST: "127.0.0.1", DATA_DIR: `${folder}/data` };
    const server = startCommand(["serve"], settings);
    // From here on it makes the database, migrates it and loads the sample.
    await waitFor("the folder of the database", () => existsSync(settings.DATA_DIR));
    await terminate(server);
    assertMatch(server.output(), /Stopped before it served/);
    doesNotMatch(server.output(), /Serving/);
    // What was half done is no obstacle to the next start.
    await using again = await startServer({ DATA_DIR: settings.DATA_DIR });
    assertMatch(again.output(), /Serving/);
  });
});

Deno.test("A server that gets SIGTERM answers pending requests and exits", async () => {
  await using own = await ownDatabase();
  await using server = await startServer(own.settings);
  const { next_after } = await (await fetch(`${server.url}/api/changes?limit=1000`)).json();
  const answer = fetch(`${server.url}/api/changes?wait=30&after=${next_after}`);
  // Requests are accepted in order: once a later one has a response, the first has arrived.
  await (await fetch(`${server.url}/health`)).body?.cancel();
  const stopped = performance.now();
  server.kill("SIGTERM");
  const response = await answer;
  assertEquals(response.status, 200);
  assertEquals((await response.json()).next_after, next_after);
  assertEquals(await server.ended, 0);
  assertEquals(performance.now() - stopped < 15_000, true);
  assertEquals(server.output().includes("Not everything stopped"), false, server.output());
});

/** The limit of 10 s is a promise of the product, and does not depend on a fast machine. */
async function terminate(
  server: { output(): string; kill(signal: Deno.Signal): void; ended: Promise<number> },
) {
  const started = performance.now();
  server.kill("SIGTERM");
  assertEquals(await server.ended, 0, server.output());
  return { started };
}
