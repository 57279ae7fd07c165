import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import type { Database } from "../../../lib/database/database.ts";
import { openPostgres } from "../../../lib/database/postgres/postgres.ts";
import { sql } from "../../../lib/database/sql.ts";
import { importItems, makeItem, startApp } from "../../support/app.ts";
import {
  createScratchDatabase,
  TEST_DATABASE_URL,
  testOnDatabases,
} from "../../support/databases.ts";
import { makeSnapshot } from "../../support/subjects/many_items.ts";
import { withFolder } from "../../support/folder.ts";
import { startServer } from "../../support/server.ts";
import { ADMIN_TOKEN } from "../../support/subjects/operator.ts";
import { openProxy } from "../../support/servers/tcp_proxy.ts";
import { waitFor } from "../../support/wait_for.ts";

const CLIENTS = 200;
const CHANGED_ITEMS = 10_000;
/** The target is 1 s; a busy machine gets this much. A hanging request takes far longer. */
const AT_ONCE_MS = 5_000;
/** All requests have arrived by then, and none has waited for the 5 s after which it is refused. */
const LEAVES_MS = 4_000;

testOnDatabases("No request waits longer than 10 s for an occupied database", async (database) => {
  await importItems(database, [makeItem(1)]);
  await using app = await startApp(database);
  const end = Promise.withResolvers<void>();
  const occupied = occupy(database, end.promise);
  await occupied.begun;
  const asked = performance.now();
  const response = await app.fetch("/api/releases");
  const waited = performance.now() - asked;
  end.resolve();
  await occupied.done;
  assertEquals([response.status, response.headers.get("retry-after")], [503, "5"]);
  assert((await response.json()).detail.includes("too busy"));
  assert(waited > 4_000 && waited < 10_000 + AT_ONCE_MS, `It waited ${waited} ms`);
  assertEquals((await app.json("/api/releases")).data.length, 1);
});

if (TEST_DATABASE_URL) {
  Deno.test(`${CLIENTS} clients that disconnect keep no other client waiting`, () =>
    withServer(async ({ url, database }) => {
      const end = Promise.withResolvers<void>();
      const occupied = occupy(database, end.promise);
      await occupied.begun;
      const clients = Array.from(
        { length: CLIENTS },
        (_, number) =>
          fetch(`${url}/api/releases?q=feature&product_name=${number}`, {
            signal: AbortSignal.timeout(LEAVES_MS),
          }).then(() => "answered", () => "left"),
      );
      await waitFor("the statements", async () => await countWaiting(database) > 0);
      assert(await countWaiting(database) <= 8, "so many run at once, and no more");
      await waitFor("/health, whose connection is free", async () => {
        const asked = performance.now();
        const { database: state } = await (await fetch(`${url}/health`)).json();
        assert(performance.now() - asked < AT_ONCE_MS);
        return state === "ok";
      });
      assertEquals(new Set(await Promise.all(clients)), new Set(["left"]));
      await waitFor("their end", async () => await countWaiting(database) === 0);
      end.resolve();
      await occupied.done;
      const page = await fetch(`${url}/api/releases?q=feature`);
      assertEquals((await page.json()).data.length, 2);
      const metrics = await (await fetch(`${url}/metrics`)).text();
      assert(metrics.includes(`{route="/api/releases",status="499"} ${CLIENTS}\n`), metrics);
    }));

  Deno.test("A statement that cannot be cancelled does not crash the server", () =>
    withServer(async ({ url, database, proxy }) => {
      const end = Promise.withResolvers<void>();
      const occupied = occupy(database, end.promise);
      await occupied.begun;
      const leaving = new AbortController();
      const client = fetch(`${url}/api/releases?q=feature`, { signal: leaving.signal }).then(
        () => "answered",
        () => "left",
      );
      await waitFor("the statement", async () => await countWaiting(database) === 1);
      proxy.refuseNew();
      leaving.abort();
      assertEquals(await client, "left");
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      assertEquals((await (await fetch(`${url}/health`)).json()).status, "ok");
      end.resolve();
      await occupied.done;
    }));
}

Deno.test("Importing into an embedded database delays no cached response or /health", () =>
  withFolder(async (folder) => {
    await using server = await startServer({ DATA_DIR: folder, ADMIN_TOKEN });
    const readHealth = async () => {
      const asked = performance.now();
      const { database, last_import } = await (await fetch(`${server.url}/health`)).json();
      const waited = performance.now() - asked;
      assert(waited < AT_ONCE_MS, `/health took ${waited} ms`);
      return { database, changed: last_import?.changed ?? 0 };
    };
    const post = async (body: string) => {
      const headers = {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        "content-type": "application/json",
      };
      const response = await fetch(`${server.url}/api/import`, { method: "POST", headers, body });
      assertEquals(response.status, 200, await response.text());
    };
    await post(makeSnapshot(CHANGED_ITEMS));
    await waitFor("an idle database", async () => (await readHealth()).database === "ok");
    assertEquals((await fetch(`${server.url}/api/filter-options`)).status, 200);
    const second = post(makeSnapshot(CHANGED_ITEMS, { release_status: "Launched" }));
    const states = new Set<string>();
    await waitFor("the second import", async () => {
      const { database, changed } = await readHealth();
      states.add(database);
      const asked = performance.now();
      const kept = await fetch(`${server.url}/api/filter-options`);
      await kept.body?.cancel();
      const waited = performance.now() - asked;
      if (states.size === 1) {
        assert(waited < AT_ONCE_MS, `A kept answer took ${waited} ms`);
      }
      return changed === CHANGED_ITEMS;
    }, 300_000);
    assertEquals([...states].toSorted(), ["busy", "ok"]);
    await second;
  }));

/** Locks the items for everyone else, and all of the embedded database, until the end. */
function occupy(database: Database, end: Promise<void>) {
  const begun = Promise.withResolvers<void>();
  const done = database.transaction(async (connection) => {
    await connection.script("lock table items in access exclusive mode");
    begun.resolve();
    await end;
  });
  return { begun: begun.promise, done };
}

/** How many statements of the database wait for a lock. */
async function countWaiting(database: Database): Promise<number> {
  const waiting = await database.query(sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
  `);
  return waiting.length;
}

/** A server with two items, which reaches its database through a proxy. */
async function withServer(
  test: (
    parts: { url: string; database: Database; proxy: ReturnType<typeof openProxy> },
  ) => Promise<void>,
): Promise<void> {
  const { url, drop } = await createScratchDatabase();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => drop());
  const target = new URL(url);
  const proxy = stack.use(openProxy({ hostname: target.hostname, port: Number(target.port) }));
  target.host = `127.0.0.1:${proxy.port}`;
  const server = stack.use(await startServer({ DATABASE_URL: target.href }));
  const database = await openPostgres(url);
  stack.defer(() => database.close());
  await importItems(database, [makeItem(1), makeItem(2)]);
  await test({ url: server.url, database, proxy });
}
