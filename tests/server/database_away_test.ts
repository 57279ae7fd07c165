import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { startService } from "../../lib/service/start_service.ts";
import { readConfig } from "../../lib/config/config.ts";
import type { Database } from "../../lib/database/database.ts";
import { openPostgres } from "../../lib/database/postgres/postgres.ts";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { createScratchDatabase, TEST_DATABASE_URL } from "../support/databases.ts";
import { recordLog } from "../support/log.ts";
import { openProxy } from "../support/servers/tcp_proxy.ts";
import { waitFor } from "../support/wait_for.ts";

const ITEMS = [makeItem(1), makeItem(2), makeItem(3)];
/** A request that waited for the database would take 10 s. */
const ANSWERED_WITHIN_MS = 5_000;

if (TEST_DATABASE_URL) {
  Deno.test("While the database refuses connections, cached responses are served; later all", () =>
    testAway((proxy) => proxy.refuse()));

  Deno.test("While the database hangs, cached responses are served; later all", () =>
    testAway((proxy) => proxy.hang()));

  Deno.test(
    "An outage of the database is one line, one an hour, and one at its end",
    testOutageLog,
  );

  Deno.test(
    "A role that may no longer log in is an outage: 503, and a line that says why",
    testNoLogin,
  );

  Deno.test("Slow statements are awaited, even if every connection runs one", async () => {
    const { url, drop } = await createScratchDatabase();
    const database = await openPostgres(url);
    const slow = Array.from(
      { length: 12 },
      () => database.query<{ done: number }>(sql`select 1 as done from pg_sleep(2.5)`),
    );
    assertEquals((await Promise.all(slow)).map(([row]) => row!.done), slow.map(() => 1));
    await database.close();
    await drop();
  });
}

/** A database on the way to which everything can be cut, migrated and empty. */
async function openBehindProxy() {
  const { url, drop } = await createScratchDatabase();
  const target = new URL(url);
  const proxy = openProxy({ hostname: target.hostname, port: Number(target.port) });
  target.host = `127.0.0.1:${proxy.port}`;
  const database = await openPostgres(target.href);
  await migrate(database, await readMigrations());
  return {
    database,
    proxy,
    async [Symbol.asyncDispose]() {
      await database.close();
      proxy[Symbol.dispose]();
      await drop();
    },
  };
}

async function testNoLogin(): Promise<void> {
  const { url, drop } = await createScratchDatabase();
  const owner = await openPostgres(url);
  await migrate(owner, await readMigrations());
  const role = `reader_${crypto.randomUUID().slice(0, 8)}`;
  await owner.script(`create role ${role} login superuser`);
  const target = new URL(url);
  target.username = role;
  const database = await openPostgres(target.href);
  try {
    await using app = await startApp(database);
    assertEquals((await app.fetch("/api/releases?q=a")).status, 200);
    await using log = await recordLog();
    await owner.script(`
      alter role ${role} nologin;
      select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}';
    `);
    for (const q of ["b", "c", "d"]) {
      const response = await app.fetch(`/api/releases?q=${q}`);
      assertEquals(response.status, 503);
      assert(Number(response.headers.get("retry-after")) > 0);
      await response.body?.cancel();
    }
    // Whoever looks for new data notices it, which may be after all of these requests.
    const ofOutage = () => log.lines.filter((line) => line.includes("cannot be reached"));
    const isRefused = (line: string) => line.includes("not permitted to log in");
    await waitFor("the reason", () => ofOutage().some(isRefused));
    // The connections that were ended may be noticed before a new one is refused.
    assertEquals(ofOutage().slice(1).filter((line) => !isRefused(line)), [], log.lines.join("\n"));
    assert(ofOutage().length <= 2, log.lines.join("\n"));
  } finally {
    await database.close();
    await owner.script(`drop role ${role}`);
    await owner.close();
    await drop();
  }
}

async function testOutageLog(): Promise<void> {
  await using opened = await openBehindProxy();
  const { proxy } = opened;
  let failed = 0;
  const countFailures = <Result>(work: Promise<Result>) =>
    work.catch((error) => {
      failed++;
      throw error;
    });
  const database: Database = {
    ...opened.database,
    query: (statement) => countFailures(opened.database.query(statement)),
    transaction: (work) => countFailures(opened.database.transaction(work)),
  };
  const config = readConfig({
    ROADMAP_SOURCE: "roadmap.json",
    OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
  });
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  const service = await startService(database, config, clock);
  // What is refused before it listens is a line of its own.
  await waitFor("the listener", async () => {
    const [listening] = await opened.database.query(sql`
      select from pg_stat_activity
      where datname = current_database() and query ilike 'listen %'
    `);
    return listening !== undefined;
  });
  await using log = await recordLog();
  const countLines = () => log.lines.filter((line) => line.includes("cannot be reached")).length;
  proxy.refuse();
  void service.jobs.start();
  // Pruning, imports, digests, embedding, mails, webhooks; and the senders' second looks.
  await waitFor("failures of every job", () => failed >= 10);
  await waitFor("the line", () => countLines() > 0);
  assertEquals(log.lines.length, 1, log.lines.join("\n"));
  ahead = 61 * 60_000;
  await waitFor("the line an hour later", () => countLines() === 2);
  proxy.restore();
  await waitFor("the end", () => log.lines.some((line) => line.includes("The database is back")));
  await service.stop();
  const ofOutage = log.lines.filter((line) => /database|ECONN|CONNECTION_/.test(line));
  assertEquals(ofOutage.length, 3, log.lines.join("\n"));
}

async function testAway(cut: (proxy: ReturnType<typeof openProxy>) => void): Promise<void> {
  await using opened = await openBehindProxy();
  const { database, proxy } = opened;
  await importItems(database, ITEMS);
  {
    await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
    const kept = ["/api/releases", "/b/api/releases", "/rss", "/api/changelog", "/"];
    const read = async (path: string) => {
      const response = await app.fetch(path);
      return { response, text: await response.text(), cache: response.headers.get("x-cache") };
    };
    const before = new Map<string, string>();
    for (const path of kept) before.set(path, (await read(path)).text);
    cut(proxy);

    for (const [path, missing] of Object.entries({ "": "q=a", "/b": "q=b" })) {
      const started = performance.now();
      const { response, text } = await read(`${path}/api/releases?${missing}`);
      const waited = performance.now() - started;
      assertEquals(response.status, 503);
      assertEquals(response.headers.get("content-type"), "application/problem+json");
      assertEquals(response.headers.get("cache-control"), "no-store");
      assert(Number(response.headers.get("retry-after")) > 0);
      assertEquals(JSON.parse(text).status, 503);
      assert(waited < ANSWERED_WITHIN_MS, `The answer took ${waited} ms`);
    }
    const posted = await app.fetch("/api/subscribe", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email: "a@example.com" }),
    });
    assertEquals(posted.status, 503);
    await posted.body?.cancel();

    await waitFor("stale answers", async () => (await read("/api/releases")).cache === "STALE");
    for (const path of kept) {
      const { response, text, cache } = await read(path);
      assertEquals([path, response.status, cache], [path, 200, "STALE"]);
      assertEquals(text, before.get(path));
      const etag = response.headers.get("etag")!;
      const conditional = await app.fetch(path, { headers: { "If-None-Match": etag } });
      assertEquals([conditional.status, conditional.headers.get("x-cache")], [304, "STALE"]);
    }
    const ofKnown = await read("/api/releases?page_size=1");
    assertEquals([ofKnown.response.status, ofKnown.cache], [200, "STALE"]);
    assertEquals(JSON.parse(ofKnown.text).pagination.total_items, ITEMS.length);

    proxy.restore();
    await waitFor("the database", async () => {
      const { response } = await read("/api/releases?q=a");
      return response.status === 200;
    });
    await waitFor("fresh answers", async () => (await read("/api/releases")).cache === null);
    for (const path of kept) assertEquals([path, (await read(path)).cache], [path, null]);
    await importItems(database, [...ITEMS, makeItem(4)]);
    await waitFor("the new item", async () => {
      const { text } = await read("/api/releases");
      return JSON.parse(text).pagination.total_items === 4;
    });
  }
}
