import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { type Database, queryOne } from "../../lib/database/database.ts";
import { ADVISORY_LOCKS } from "../../lib/database/advisory_locks.ts";
import { openPostgres } from "../../lib/database/postgres/postgres.ts";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { sql } from "../../lib/database/sql.ts";
import { readConfig } from "../../lib/config/config.ts";
import { embedItems } from "../../lib/search/embed_items.ts";
import { EmbeddingService } from "../../lib/search/embedding_service.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { recordLog } from "../support/log.ts";
import { createScratchDatabase, TEST_DATABASE_URL, testOnOne } from "../support/databases.ts";
import { listedIn, startDigests } from "../support/subjects/digests.ts";
import { type EmbeddingServer, startEmbeddingServer } from "../support/servers/embedding_server.ts";
import { embedAll, settingsFor } from "../support/subjects/semantic.ts";
import { waitFor } from "../support/wait_for.ts";
import { slowOnDatabases, slowOnOne } from "../support/slow.ts";

const REFUSED = { kind: "status", status: 400 } as const;

function makeItems(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, number) => makeItem(number + 1));
}

/** All texts that were sent, however often. */
function textsOf(server: EmbeddingServer): string[] {
  return server.requests.flatMap(({ input }) => input);
}

slowOnDatabases("Only new and changed texts are embedded", async (database) => {
  await using server = startEmbeddingServer();
  const settings = settingsFor(server);
  await importItems(database, makeItems(3));
  assertEquals(await embedAll(database, settings), { embedded: 3, refused: 0 });
  assertEquals(await embedAll(database, settings), { embedded: 0, refused: 0 });
  await importItems(database, [
    makeItem(1, { feature_name: "Renamed" }),
    makeItem(2, { release_status: "Launched" }),
    makeItem(3),
  ]);
  server.requests.length = 0;
  assertEquals(await embedAll(database, settings), { embedded: 1, refused: 0 });
  assertEquals(textsOf(server), ["Renamed\nProduct\nA description"]);
  await importItems(database, makeItems(3));
  assertEquals(await embedAll(database, settings), { embedded: 0, refused: 0 });
});

slowOnOne("A busy or failing service is retried as it says", async (database) => {
  await using server = startEmbeddingServer();
  await importItems(database, makeItems(3));
  server.troubles.push({ kind: "status", status: 429, headers: { "Retry-After": "1" } }, {
    kind: "status",
    status: 503,
    headers: { "retry-after-ms": "10" },
  });
  const started = performance.now();
  assertEquals(await embedAll(database, settingsFor(server)), { embedded: 3, refused: 0 });
  assertEquals(server.requests.length, 3);
  assertEquals(performance.now() - started >= 1_000, true);
});

slowOnDatabases("An interrupted run continues where it stopped", async (database) => {
  await using server = startEmbeddingServer();
  const settings = settingsFor(server, { OPENAI_API_KEY: "sk-secret" });
  await importItems(database, makeItems(300));
  server.judge = () =>
    server.requests.length === 2 ? { kind: "status", status: 401, message: "sk-secret?" } : null;
  const error = await embedAll(database, settings).catch((error) => error);
  assertEquals(error.name, "EmbeddingError");
  match(error.message, /rejected the key: check OPENAI_API_KEY/);
  assertEquals(server.requests.map(({ input }) => input.length), [256, 44]);
  server.requests.length = 0;
  server.judge = () => null;
  assertEquals(await embedAll(database, settings), { embedded: 44, refused: 0 });
  assertEquals(server.requests.map(({ input }) => input.length), [44]);
});

slowOnDatabases("A stopped run preserves its results", async (database) => {
  await using server = startEmbeddingServer();
  const settings = settingsFor(server);
  await importItems(database, makeItems(300));
  const stopping = new AbortController();
  const onProgress = ({ done }: { done: number }) => done > 0 && stopping.abort();
  const stopped = await embedAll(database, settings, { signal: stopping.signal, onProgress });
  assertEquals(stopped, { embedded: 256, refused: 0 });
  assertEquals(await embedAll(database, settings), { embedded: 44, refused: 0 });
});

testOnOne("Batches shrink to what the service accepts", async (database) => {
  await using server = startEmbeddingServer();
  await importItems(database, makeItems(100));
  server.judge = ({ input }) => input.length > 32 ? { kind: "status", status: 413 } : null;
  assertEquals(await embedAll(database, settingsFor(server)), { embedded: 100, refused: 0 });
  assertEquals(server.requests.map(({ input }) => input.length), [100, 50, 25, 25, 25, 25]);
});

slowOnOne("Batches and texts stay within the size that a service accepts", async (database) => {
  await using server = startEmbeddingServer();
  const feature_description = "é".repeat(20_000);
  const items = Array.from(
    { length: 100 },
    (_, number) => makeItem(number, { feature_description }),
  );
  await importItems(database, items);
  assertEquals(await embedAll(database, settingsFor(server)), { embedded: 100, refused: 0 });
  const sizes = server.requests.map(({ input }) => new TextEncoder().encode(input.join("")).length);
  assertEquals(sizes.every((size) => size > 8_000 && size <= 250_000), true);
  assertEquals(
    textsOf(server).every((text) => new TextEncoder().encode(text).length <= 8_000),
    true,
  );
});

for (
  const [what, status, message, retries] of [["refuses it", 400, "It is no text", 0], [
    "says that it is too long",
    500,
    "input is too large to process",
    0,
  ], ["fails at it without a reason", 500, "Internal error", 8]] as const
) {
  slowOnDatabases(`A text is skipped and named if the service ${what}`, async (database) => {
    await using server = startEmbeddingServer();
    await using log = await recordLog();
    await importItems(database, [...makeItems(9), makeItem(10, { feature_name: "Poison" })]);
    server.judge = ({ input }) =>
      input.some((text) => text.includes("Poison"))
        ? { kind: "status", status, message, headers: { "retry-after-ms": "1" } }
        : null;
    const settings = settingsFor(server);
    assertEquals(await embedAll(database, settings), { embedded: 9, refused: 1 });
    assertEquals(server.requests.filter(({ input }) => input.length === 10).length, 1 + retries);
    match(log.lines.join(), /Passed over .?Poison.? \(00000000-0000-4000-8000-000000000010\)/);
    match(log.lines.join(), new RegExp(`answered ${status} ${message}`));
    await using app = await startApp(database, settings);
    const { data } = await app.json("/api/releases?q=poison");
    assertEquals(data[0].feature_name, "Poison");
  });
}

const FAILS = { kind: "status", status: 500, headers: { "retry-after-ms": "1" } } as const;
const NO_MODEL = { ...REFUSED, message: "There is no model x" };

for (
  const [what, trouble, reported] of [[
    "fails at every text",
    FAILS,
    /answered 500 It does not work$/,
  ], [
    "refuses every text",
    NO_MODEL,
    /^The embedding service at http:\/\/127\.0\.0\.1:\d+ answered 400 There is no model x$/,
  ], ["makes only zero vectors", null, /returned a zero vector$/]] as const
) {
  testOnOne(`A service that ${what} is reported`, async (database) => {
    await using server = startEmbeddingServer((_, dimensions) => new Array(dimensions).fill(0));
    await importItems(database, makeItems(9));
    server.trouble = trouble;
    const error = await embedAll(database, settingsFor(server)).catch((error) => error);
    match(error.message, reported);
  });
}

testOnOne("A text whose vector is zero is skipped and named", async (database) => {
  await using server = startEmbeddingServer((text, dimensions) =>
    new Array(dimensions).fill(/poison/i.test(text) ? 0 : 1)
  );
  await using log = await recordLog();
  await importItems(database, [...makeItems(9), makeItem(10, { feature_name: "Poison" })]);
  const settings = settingsFor(server);
  assertEquals(await embedAll(database, settings), { embedded: 9, refused: 1 });
  match(log.lines.join(), /Passed over .?Poison.*returned a zero vector/);
  await using app = await startApp(database, settings);
  const response = await app.fetch("/api/releases?q=poison+poison");
  assertEquals(response.headers.get("x-search-mode"), "substring");
});

testOnOne("A text whose vector has another length is skipped and named", async (database) => {
  for (const length of [0, 32]) {
    await using server = startEmbeddingServer((text, dimensions) =>
      new Array(/poison/i.test(text) ? length : dimensions).fill(1)
    );
    await importItems(database, [
      ...makeItems(9),
      makeItem(10, { feature_name: `Poison ${length}` }),
    ]);
    const service = new EmbeddingService(readConfig(settingsFor(server)).embedding!);
    const counts = await embedItems(database, service);
    assertEquals(counts?.refused, 1);
    assertEquals(counts?.skipped.map(({ name }) => name), [`Poison ${length}`]);
    match(counts!.skipped[0]!.reason, new RegExp(`returned ${length} dimensions`));
  }
});

slowOnOne("The batches are whole again behind a text that was refused", async (database) => {
  await using server = startEmbeddingServer();
  const poison = Array.from(
    { length: 5 },
    (_, n) => makeItem(500 + n, { feature_name: `Poison ${n}` }),
  );
  await importItems(database, [...makeItems(300), ...poison]);
  server.judge = ({ input }) => input.some((text) => text.includes("Poison")) ? REFUSED : null;
  assertEquals(await embedAll(database, settingsFor(server)), { embedded: 300, refused: 5 });
  // Nine calls find one text among 256, and as many again go through what stood before it.
  assertEquals(server.requests.length <= 5 * 18 + 2, true, `${server.requests.length} calls`);
});

/** An address that answers every request in its own way, and whether it was asked. */
function serveAnswer(answer: () => Response) {
  let count = 0;
  const stopping = new AbortController();
  const server = Deno.serve({
    port: 0,
    hostname: "127.0.0.1",
    signal: stopping.signal,
    onListen() {},
  }, () => (count++, answer()));
  return {
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    get count() {
      return count;
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await server.finished;
    },
  };
}

testOnOne("An answer without end is cut off", async (database) => {
  let sent = 0;
  await using endless = serveAnswer(() =>
    new Response(
      new ReadableStream({
        pull(controller) {
          sent += 2 ** 20;
          controller.enqueue(new Uint8Array(2 ** 20).fill(32));
        },
      }),
      { headers: { "Content-Type": "application/json" } },
    )
  );
  await importItems(database, makeItems(3));
  const settings = { OPENAI_BASE_URL: endless.url, EMBEDDING_DIMENSIONS: "256" };
  const error = await embedAll(database, settings).catch((error) => error);
  match(error.message, /sent more than 2 MB$/);
  assertEquals([endless.count, sent < 2 ** 25], [1, true]);
});

Deno.test("An answer that stops in the middle ends with its time", async () => {
  await using slow = serveAnswer(() =>
    new Response(
      new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(9)) }),
      { headers: { "Content-Type": "application/json" } },
    )
  );
  const service = new EmbeddingService(readConfig({ OPENAI_BASE_URL: slow.url }).embedding!);
  const limits = { timeout: 300, maxRetries: 0 };
  const error = await service.embed(["a"], service, limits).catch((error) => error);
  match(error.message, /did not answer in time$/);
});

testOnOne("A redirect of the service is refused", async (database) => {
  await using other = startEmbeddingServer();
  await using moved = serveAnswer(() =>
    new Response(null, { status: 307, headers: { Location: `${other.url}/embeddings` } })
  );
  await importItems(database, makeItems(3));
  const settings = { OPENAI_BASE_URL: moved.url, EMBEDDING_DIMENSIONS: "256" };
  const error = await embedAll(database, settings).catch((error) => error);
  match(error.message, /redirects elsewhere: set OPENAI_BASE_URL to the address it leads to$/);
  assertEquals([moved.count, other.requests.length], [1, 0]);
});

testOnOne("A fixed-length model is requested without a length", async (database) => {
  await using server = startEmbeddingServer((_text, dimensions) =>
    new Array(dimensions === 1536 ? 256 : dimensions).fill(1)
  );
  await importItems(database, makeItems(2));
  server.judge = ({ dimensions }) =>
    dimensions === undefined
      ? null
      : { ...REFUSED, message: "The model does not support matryoshka representation" };
  assertEquals(await embedAll(database, settingsFor(server)), { embedded: 2, refused: 0 });
  assertEquals(server.requests.map(({ dimensions }) => dimensions), [256, undefined]);
});

slowOnDatabases("Search uses the vectors that another model has made so far", async (database) => {
  await using server = startEmbeddingServer();
  const old = settingsFor(server, { EMBEDDING_MODEL: "old" });
  const changed = settingsFor(server, { EMBEDDING_MODEL: "new", EMBEDDING_DIMENSIONS: "2100" });
  await importItems(database, makeItems(300));
  await embedAll(database, old);
  server.judge = ({ model }) => model === "new" && server.requests.length > 3 ? REFUSED : null;
  assertEquals((await embedAll(database, changed).catch((error) => error)).name, "EmbeddingError");
  server.judge = () => null;
  {
    await using app = await startApp(database, changed);
    const response = await app.fetch("/api/releases?q=feature");
    assertEquals(response.headers.get("x-search-mode"), "semantic");
    // Words find what has no vector yet.
    assertEquals((await response.json()).pagination.total_items, 300);
    assertEquals(server.requests.at(-1)!.model, "new");
  }
  assertEquals(await embedAll(database, changed), { embedded: 44, refused: 0 });
  await using app = await startApp(database, changed);
  const { pagination } = await app.json("/api/releases?q=feature");
  assertEquals(pagination.total_items, 300);
  assertEquals([server.requests.at(-1)!.model, server.requests.at(-1)!.dimensions], ["new", 2100]);

  assertEquals(await embedAll(database, old), { embedded: 0, refused: 0 });
  await database.query(sql`update embedding_sets set retired_at = now() - interval '25 hours'
    where retired_at is not null`);
  await embedAll(database, old);
  const { count } = await queryOne<{ count: number }>(
    database,
    sql`select count(distinct set_id)::int as count from embeddings`,
  );
  assertEquals(count, 1);
});

/** Two processes on one PostgreSQL, of which one embeds as soon as the gate of the server opens. */
function testOnTwoProcesses(
  name: string,
  test: (first: Database, second: Database, server: EmbeddingServer) => Promise<void>,
): void {
  Deno.test({
    name,
    ignore: TEST_DATABASE_URL === null,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const scratch = await createScratchDatabase();
      const [first, second] = [await openPostgres(scratch.url), await openPostgres(scratch.url)];
      await using server = startEmbeddingServer();
      try {
        await migrate(first, await readMigrations());
        await test(first, second, server);
      } finally {
        await first.close();
        await second.close();
        await scratch.drop();
      }
    },
  });
}

testOnTwoProcesses("Only one process embeds at a time", async (first, second, server) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.gate = promise;
  await importItems(first, makeItems(5));
  const running = embedAll(first, settingsFor(server));
  await waitFor("a request", () => server.requests.length > 0);
  assertEquals(await embedAll(second, settingsFor(server)), null);
  resolve();
  assertEquals(await running, { embedded: 5, refused: 0 });
  assertEquals(await embedAll(second, settingsFor(server)), { embedded: 0, refused: 0 });
});

testOnTwoProcesses(
  "An import that notifies subscribers at once does not wait for embedding",
  async (first, second, server) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    server.gate = promise;
    await using services = await startDigests(second);
    await importItems(first, makeItems(5));
    await services.verify("ann@example.com", { cadence: "immediate" });
    const embedding = embedAll(first, settingsFor(server));
    await waitFor("a request", () => server.requests.length > 0);
    let hasEnded = false;
    const importing = services.import(makeItems(6)).finally(() => hasEnded = true);
    for (const work of [embedding, importing]) work.catch(() => {});
    await waitFor("the import to end", () => hasEnded).finally(resolve);
    assertEquals((await importing).added, 1);
    assertEquals((await embedding)!.refused, 0);
    assertEquals((await services.send()).map(listedIn), [["Feature 6"]]);
  },
);

Deno.test("Each advisory lock has a unique number", () => {
  const numbers = Object.values(ADVISORY_LOCKS);
  assertEquals(new Set(numbers).size, numbers.length);
});
