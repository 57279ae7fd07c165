import { configure, type LogRecord, reset } from "@logtape/logtape";
import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import postgres from "postgres";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { openPostgres } from "../../lib/database/postgres/postgres.ts";
import { importItems, makeItem, serve, startApp, type TestApp } from "../support/app.ts";
import {
  createScratchDatabase,
  TEST_DATABASE_URL,
  testOnDatabases,
  testOnOne,
} from "../support/databases.ts";
import { startEmbeddingServer, type Trouble } from "../support/servers/embedding_server.ts";
import { embedAll, settingsFor, startEmbedded } from "../support/subjects/semantic.ts";

const ITEMS = [
  makeItem(1, { feature_name: "Rent an automobile", feature_description: null }),
  makeItem(2, { feature_name: "Car keys", feature_description: null }),
];
const SEMANTIC = ["semantic", "public, max-age=14400, stale-while-revalidate=3600", 2];
const FALLBACK = ["substring", "public, max-age=60", 1];

/** Mode, life and count of an answer. */
async function ask(app: TestApp, q: string): Promise<unknown[]> {
  const response = await app.fetch(`/api/releases?q=${encodeURIComponent(q)}`);
  assertEquals(response.status, 200);
  const { headers } = response;
  const { pagination } = await response.json();
  return [headers.get("x-search-mode"), headers.get("cache-control"), pagination.total_items];
}

const TROUBLES: Record<string, Trouble> = {
  "fails": { kind: "status", status: 500 },
  "is too busy": { kind: "status", status: 429, headers: { "Retry-After": "20" } },
  "refuses the key": { kind: "status", status: 401, message: "Incorrect API key sk-secret" },
  "is silent": { kind: "hang" },
  "answers with other dimensions": { kind: "dimensions", dimensions: 3 },
  "answers with something else": { kind: "garbage" },
};

testOnOne("Substrings are searched while the service does not answer", async (database) => {
  await using server = startEmbeddingServer();
  await (await startEmbedded(database, settingsFor(server), ITEMS))[Symbol.asyncDispose]();
  for (const [words, trouble] of Object.entries(TROUBLES)) {
    await using app = await startApp(database, settingsFor(server));
    // Another question each time: an answer is kept.
    const q = `car ${words}`;
    server.trouble = trouble;
    server.requests.length = 0;
    const [mode, caching] = FALLBACK;
    assertEquals((await ask(app, q)).slice(0, 2), [mode, caching], words);
    assertEquals(server.requests.length, 1, "the service has no second chance");
    server.trouble = null;
    assertEquals((await ask(app, q)).slice(0, 2), [mode, caching], words);
    app.advance(61);
    assertEquals(await ask(app, q), SEMANTIC, words);
  }
});

testOnDatabases(
  "With match=words, search falls back to words while the service fails",
  async (database) => {
    await using server = startEmbeddingServer();
    await using app = await startEmbedded(database, settingsFor(server), ITEMS);
    server.trouble = { kind: "status", status: 500 };
    for (const path of ["/api/releases?match=words&", "/search.json?"]) {
      const response = await app.fetch(`${path}q=the+key+of+a+car`);
      const text = await response.text();
      assertEquals([path, text.includes("Car keys"), text.includes("automobile")], [
        path,
        true,
        false,
      ]);
      assertEquals(response.headers.get("cache-control"), "public, max-age=60");
    }
    const { headers } = await app.fetch("/api/releases?match=words&q=the+keys+of+cars");
    assertEquals(headers.get("x-search-mode"), "words");
  },
);

testOnDatabases("A fallback is logged once a minute, without the key", async (database) => {
  const records: LogRecord[] = [];
  await configure({
    reset: true,
    sinks: { list: (record) => records.push(record) },
    loggers: [{ category: ["roadcast", "semantic"], sinks: ["list"], lowestLevel: "debug" }, {
      category: ["logtape", "meta"],
      sinks: [],
    }],
  });
  try {
    await using server = startEmbeddingServer();
    const settings = settingsFor(server, { OPENAI_API_KEY: "sk-secret" });
    await using app = await startEmbedded(database, settings, ITEMS);
    server.trouble = { kind: "status", status: 400, message: "No model for sk-secret" };
    await ask(app, "car a");
    app.advance(59);
    await ask(app, "car b");
    assertEquals(records.length, 1);
    app.advance(1);
    await ask(app, "car c");
    assertEquals(records.length, 2);
    const text = JSON.stringify(records);
    match(text, /answered 400 No model for …/);
    assert(!text.includes("sk-secret"));
  } finally {
    await reset();
  }
});

testOnDatabases("Substrings are searched while there are no vectors", async (database) => {
  await using server = startEmbeddingServer();
  const settings = settingsFor(server);
  await importItems(database, ITEMS);
  for (const before of ["the first ones", "the dropped ones"]) {
    if (before === "the dropped ones") await database.script("drop extension vector cascade");
    server.requests.length = 0;
    await using app = await startApp(database, settings);
    assertEquals(await ask(app, "car"), FALLBACK, before);
    assertEquals(server.requests.length, 0);
    assertEquals(await embedAll(database, settings), { embedded: 2, refused: 0 });
    await using later = await startApp(database, settings);
    assertEquals(await ask(later, "car"), SEMANTIC, before);
  }
});

Deno.test({
  name: "A PostgreSQL without pgvector serves substrings, and meaning once it is installed",
  ignore: TEST_DATABASE_URL === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const scratch = await createScratchDatabase();
    const admin = postgres(scratch.url, { max: 1, onnotice: () => {} });
    const role = `roadcast_${crypto.randomUUID().slice(0, 8)}`;
    try {
      await admin.unsafe(`create extension pg_trgm; create role ${role} login;
        grant create on schema public to ${role}`);
      const url = new URL(scratch.url);
      url.username = role;
      const database = await openPostgres(url.href);
      await migrate(database, await readMigrations());
      await using server = startEmbeddingServer();
      const settings = settingsFor(server);
      await using app = await serve(database, ITEMS, settings);
      const error = await embedAll(database, settings).catch((error) => error);
      assertEquals(error.name, "PgvectorMissing");
      match(error.message, /let an administrator run "create extension vector"/);
      assertEquals(await ask(app, "car"), FALLBACK);
      await admin.unsafe("create extension vector");
      assertEquals(await embedAll(database, settings), { embedded: 2, refused: 0 });
      await using later = await startApp(database, settings);
      assertEquals(await ask(later, "car"), SEMANTIC);
      await database.close();
    } finally {
      await admin.unsafe(`drop owned by ${role} cascade; drop role ${role}`);
      await admin.end();
      await scratch.drop();
    }
  },
});
