import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { type Database, queryOne } from "../../lib/database/database.ts";
import { ADVISORY_LOCKS } from "../../lib/database/advisory_locks.ts";
import { openPostgres } from "../../lib/database/postgres/postgres.ts";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { createScratchDatabase, TEST_DATABASE_URL, testOnDatabases } from "../support/databases.ts";
import { listedIn, startDigests } from "../support/subjects/digests.ts";
import { type EmbeddingServer, startEmbeddingServer } from "../support/servers/embedding_server.ts";
import { embedAll, settingsFor } from "../support/subjects/semantic.ts";
import { waitFor } from "../support/wait_for.ts";

const REFUSED = { kind: "status", status: 400 } as const;

function makeItems(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, number) => makeItem(number + 1));
}

/** All texts that were sent, however often. */
function textsOf(server: EmbeddingServer): string[] {
  return server.requests.flatMap(({ input }) => input);
}

testOnDatabases("Only new and changed texts are embedded", async (database) => {
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

testOnDatabases("A busy or failing service is retried as it says", async (database) => {
  await using server = startEmbeddingServer();
  await importItems(database, makeItems(3));
  server.troubles.push(
    { kind: "status", status: 429, headers: { "Retry-After": "1" } },
    { kind: "status", status: 503, headers: { "retry-after-ms": "10" } },
  );
  const started = performance.now();
  assertEquals(await embedAll(database, settingsFor(server)), { embedded: 3, refused: 0 });
  assertEquals(server.requests.length, 3);
  assertEquals(performance.now() - started >= 1_000, true);
});

testOnDatabases("An interrupted run continues where it stopped", async (database) => {
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

testOnDatabases("A stopped run preserves its results", async (database) => {
  await using server = startEmbeddingServer();
  const settings = settingsFor(server);
  await importItems(database, makeItems(300));
  const stopping = new AbortController();
  const onProgress = ({ done }: { done: number }) => done > 0 && stopping.abort();
  const stopped = await embedAll(database, settings, { signal: stopping.signal, onProgress });
  assertEquals(stopped, { embedded: 256, refused: 0 });
  assertEquals(await embedAll(database, settings), { embedded: 44, refused: 0 });
});

testOnDatabases("Batches shrink to what the service accepts", async (database) => {
  await using server = startEmbeddingServer();
  await importItems(database, makeItems(100));
  server.judge = ({ input }) => input.length > 32 ? { kind: "status", status: 413 } : null;
  assertEquals(await embedAll(database, settingsFor(server)), { embedded: 100, refused: 0 });
  assertEquals(server.requests.map(({ input }) => input.length), [100, 50, 25, 25, 25, 25]);
});

testOnDatabases(
  "Batches and texts stay within the size that a service accepts",
  async (database) => {
    await using server = startEmbeddingServer();
    const feature_description = "é".repeat(20_000);
    const items = Array.from(
      { length: 100 },
      (_, number) => makeItem(number, { feature_description }),
    );
    await importItems(database, items);
    assertEquals(await embedAll(database, settingsFor(server)), { embedded: 100, refused: 0 });
    const sizes = server.requests.map(({ input }) =>
      new TextEncoder().encode(input.join("")).length
    );
    assertEquals(sizes.every((size) => size > 8_000 && size <= 250_000), true);
    assertEquals(
      textsOf(server).every((text) => new TextEncoder().encode(text).length <= 8_000),
      true,
    );
  },
);

testOnDatabases("A text that the service refuses is skipped", async (database) => {
  await using server = startEmbeddingServer();
  await importItems(database, [...makeItems(9), makeItem(10, { feature_name: "Poison" })]);
  server.judge = ({ input }) => input.some((text) => text.includes("Poison")) ? REFUSED : null;
  const settings = settingsFor(server);
  assertEquals(await embedAll(database, settings), { embedded: 9, refused: 1 });
  await using app = await startApp(database, settings);
  const { data } = await app.json("/api/releases?q=poison");
  assertEquals(data[0].feature_name, "Poison");
});

testOnDatabases("A service that refuses every text is reported", async (database) => {
  await using server = startEmbeddingServer();
  await importItems(database, makeItems(9));
  server.trouble = { ...REFUSED, message: "There is no model x" };
  const error = await embedAll(database, settingsFor(server)).catch((error) => error);
  match(
    error.message,
    /^The embedding service at http:\/\/127\.0\.0\.1:\d+ answered 400 There is no model x$/,
  );
});

testOnDatabases("A fixed-length model is requested without a length", async (database) => {
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

testOnDatabases(
  "Search uses the old vectors while another model embeds",
  async (database) => {
    await using server = startEmbeddingServer();
    const old = settingsFor(server, { EMBEDDING_MODEL: "old" });
    const changed = settingsFor(server, { EMBEDDING_MODEL: "new", EMBEDDING_DIMENSIONS: "2100" });
    await importItems(database, makeItems(300));
    await embedAll(database, old);
    server.judge = ({ model }) => model === "new" && server.requests.length > 3 ? REFUSED : null;
    assertEquals(
      (await embedAll(database, changed).catch((error) => error)).name,
      "EmbeddingError",
    );
    {
      await using app = await startApp(database, changed);
      const response = await app.fetch("/api/releases?q=feature");
      assertEquals(response.headers.get("x-search-mode"), "semantic");
      assertEquals((await response.json()).pagination.total_items, 300);
      assertEquals(server.requests.at(-1)!.model, "old");
    }
    server.judge = () => null;
    assertEquals(await embedAll(database, changed), { embedded: 44, refused: 0 });
    await using app = await startApp(database, changed);
    const { pagination } = await app.json("/api/releases?q=feature");
    assertEquals(pagination.total_items, 300);
    assertEquals([server.requests.at(-1)!.model, server.requests.at(-1)!.dimensions], [
      "new",
      2100,
    ]);

    assertEquals(await embedAll(database, old), { embedded: 0, refused: 0 });
    await database.query(sql`update embedding_sets set retired_at = now() - interval '25 hours'
    where retired_at is not null`);
    await embedAll(database, old);
    const { count } = await queryOne<{ count: number }>(
      database,
      sql`select count(*)::int as count from pg_tables where tablename ~ '^embeddings_[0-9]+$'`,
    );
    assertEquals(count, 1);
  },
);

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
