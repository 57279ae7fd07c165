import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import project from "../../deno.json" with { type: "json" };
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { slowOnDatabases } from "../support/slow.ts";

/** More than run and wait at once. */
const MANY = 520;

/** Far less than what is waited for would take, and far more than a slow machine needs. */
const SOON_MS = 8_000;

/** Keeps everybody else from a table, and on the embedded database from all, until it is disposed of. */
async function occupy(database: Database, table = "items"): Promise<AsyncDisposable> {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const done = database.transaction(async (connection) => {
    await connection.script(`lock table ${table} in access exclusive mode`);
    begun.resolve();
    await end.promise;
  });
  await begun.promise;
  return {
    async [Symbol.asyncDispose]() {
      end.resolve();
      await done;
    },
  };
}

/** A service on some items, of which it knows none yet. */
async function startFilled(database: Database, settings = {}): Promise<TestApp> {
  await importItems(database, [makeItem(1), makeItem(2)]);
  return await startApp(database, settings);
}

function search(words: unknown): string {
  return `/api/releases?q=feature&product_name=${words}`;
}

slowOnDatabases("Beyond its limit, the queue rejects requests", async (database) => {
  await using app = await startFilled(database);
  const kept = await app.json("/api/filter-options");
  await app.json("/api/releases"); // what all collections share is known now
  const leaving = new AbortController();
  const all: Promise<Response>[] = [];
  {
    await using _occupied = await occupy(database);
    for (let count = 0; count < MANY; count++) {
      all.push(app.fetch(search(count), { signal: leaving.signal }));
    }
    const refused = await app.fetch(search("last"));
    assertEquals(refused.status, 503);
    assertEquals(refused.headers.get("content-type"), "application/problem+json");
    assertEquals(refused.headers.get("cache-control"), "no-store");
    assert(Number(refused.headers.get("retry-after")) > 0);
    const { status, detail } = await refused.json();
    assertEquals(status, 503);
    assert(detail.includes("too busy"), detail);
    const other = await app.fetch("/api/filter-options");
    assertEquals([other.headers.get("x-cache"), await other.json()], [null, kept]);
    leaving.abort();
  }
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  assert(statuses.filter((status) => status === 499).length >= 500);
  assertEquals([...new Set(statuses)].toSorted(), [499, 503]);
  assertEquals((await app.fetch(search("last"))).status, 200);
});

slowOnDatabases("Health, readiness and metrics do not wait for the database", async (database) => {
  await using app = await startFilled(database, { ROADMAP_SOURCE: "items.json" });
  const { last_import, ...healthy } = await app.json("/health");
  assertEquals(healthy, { status: "ok", version: project.version, database: "ok" });
  await using _occupied = await occupy(database, "import_runs, migrations");
  const asked = performance.now();
  assertEquals(await app.json("/health"), { ...healthy, database: "busy", last_import });
  assertEquals(await app.json("/ready"), {
    ready: true,
    database: "busy",
    migrations: "ok",
    roadmap: "ok",
  });
  const metrics = await (await app.fetch("/metrics")).text();
  for (const line of ["database_up 1", "database_busy 1", `imports ${last_import.run_id}`]) {
    assert(metrics.includes(`\nroadcast_${line}\n`), `${line} is missing in\n${metrics}`);
  }
  assert(performance.now() - asked < SOON_MS);
});

slowOnDatabases("A client that disconnects frees its place in the queue", async (database) => {
  await using app = await startFilled(database);
  const leaving = new AbortController();
  const all: Promise<Response>[] = [];
  {
    await using _occupied = await occupy(database);
    for (let count = 0; count < MANY; count++) {
      all.push(app.fetch(search(count), { signal: leaving.signal }));
    }
    assertEquals((await app.fetch(search("refused"))).status, 503);
    leaving.abort();
    await Promise.all(all);
    const patient = app.fetch(search("patient"));
    const first = await Promise.race([patient, app.fetch("/about-nothing")]);
    assertEquals(first.status, 404, "who came after them waits");
    all.push(patient);
  }
  assertEquals((await all.at(-1)!).status, 200);
});

testOnDatabases(
  "A shared response is served even if other clients disconnect",
  async (database) => {
    await using app = await startFilled(database);
    const leaving = new AbortController();
    const staying: Promise<Response>[] = [];
    {
      await using _occupied = await occupy(database);
      const left = app.fetch(search("shared"), { signal: leaving.signal });
      staying.push(app.fetch(search("shared")), app.fetch(search("shared")));
      leaving.abort();
      assertEquals((await left).status, 499);
    }
    for (const answer of staying) assertEquals((await answer).status, 200);
  },
);

testOnDatabases(
  "If all clients of a shared response disconnect, it is built for the next one",
  async (database) => {
    await using app = await startFilled(database);
    const leaving = new AbortController();
    const later: Promise<Response>[] = [];
    {
      await using _occupied = await occupy(database);
      const left = app.fetch(search("left"), { signal: leaving.signal });
      leaving.abort();
      later.push(app.fetch(search("left")));
      assertEquals((await left).status, 499);
    }
    assertEquals((await later[0]!).status, 200);
  },
);

testOnDatabases("A request aborted midway stores nothing", async (database) => {
  await using app = await startFilled(database);
  const leaving = new AbortController();
  {
    await using _occupied = await occupy(database, "subscriptions");
    const left = app.fetch("/api/subscribe", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email: "left@example.com" }),
      signal: leaving.signal,
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    leaving.abort();
    assertEquals((await left).status, 499);
  }
  const stored = await database.transaction(async (connection) => {
    await connection.script("lock table subscriptions in access exclusive mode");
    return await connection.query(sql`select from subscriptions`);
  });
  assertEquals(stored.length, 0);
});
