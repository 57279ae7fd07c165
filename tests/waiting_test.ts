import { deepStrictEqual as assertEquals, ok as assert, rejects } from "node:assert/strict";
import { workFor } from "../lib/cancellation.ts";
import { type Database, DatabaseBusy } from "../lib/database/database.ts";
import { openInMemory } from "../lib/database/embedded.ts";
import { openPostgres } from "../lib/database/postgres.ts";
import { sql } from "../lib/database/sql.ts";
import { Watch } from "../lib/database/watch.ts";
import { importItems, makeItem, startApp, type TestApp } from "./support/app.ts";
import { createScratchDatabase, TEST_DATABASE_URL, testOnDatabases } from "./support/databases.ts";
import { waitFor } from "./support/wait_for.ts";

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

testOnDatabases("Past its bound, the queue turns requests away", async (database) => {
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
    assert(detail.includes("too much to do"), detail);
    const other = await app.fetch("/api/filter-options");
    assertEquals([other.headers.get("x-cache"), await other.json()], [null, kept]);
    leaving.abort();
  }
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  assert(statuses.filter((status) => status === 499).length >= 500);
  assertEquals([...new Set(statuses)].toSorted(), [499, 503]);
  assertEquals((await app.fetch(search("last"))).status, 200);
});

testOnDatabases("Health, readiness and metrics do not wait for the database", async (database) => {
  await using app = await startFilled(database, { ROADMAP_SOURCE: "items.json" });
  const { last_import, ...healthy } = await app.json("/health");
  assertEquals(healthy, { status: "ok", database: "ok" });
  await using _occupied = await occupy(database, "import_runs, migrations");
  const asked = performance.now();
  assertEquals(await app.json("/health"), { status: "ok", database: "busy", last_import });
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

testOnDatabases("A client that leaves gives its place in the queue away", async (database) => {
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

testOnDatabases("Who shares an answer gets it, though others leave", async (database) => {
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
});

testOnDatabases(
  "Where all who shared an answer have left, it is built for who comes then",
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

testOnDatabases("What a client left in the middle is not stored", async (database) => {
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

/** A database that has too much to do, where a test says so. */
function makeBusy(database: Database): Database & { isBusy: boolean } {
  const busy = {
    ...database,
    isBusy: false,
    query: <Row>(statement: Parameters<Database["query"]>[0]) =>
      busy.isBusy ? Promise.reject(new DatabaseBusy("Too much")) : database.query<Row>(statement),
  };
  return busy;
}

testOnDatabases(
  "While the database is busy, variant A serves nothing that has changed",
  async (database) => {
    const busy = makeBusy(database);
    await using app = await startFilled(busy);
    await app.json("/api/releases");
    await importItems(database, [makeItem(1), makeItem(2), makeItem(3)]);
    await waitFor(
      "the new version",
      async () => (await app.json("/api/releases")).data.length === 3,
    );
    await app.json("/api/filter-options");
    await importItems(database, [makeItem(1), makeItem(2)], { allowMassRemoval: true });
    await waitFor("the new data", async () => (await app.json("/api/releases")).data.length === 2);
    busy.isBusy = true;
    const current = await app.fetch("/api/releases");
    assertEquals([current.status, current.headers.get("x-cache")], [200, null]);
    const outdated = await app.fetch("/api/filter-options");
    assertEquals([outdated.status, outdated.headers.get("x-cache")], [503, null]);
    assert((await outdated.json()).detail.includes("too much to do"));
  },
);

testOnDatabases("While the database is busy, variant B keeps to its windows", async (database) => {
  const busy = makeBusy(database);
  await using app = await startFilled(busy, { ROADMAP_VARIANT: "b" });
  const look = async () => {
    const response = await app.fetch("/api/releases");
    await response.body?.cancel();
    return [response.status, response.headers.get("x-cache")];
  };
  assertEquals(await look(), [200, null]);
  busy.isBusy = true;
  app.advance(24 * 3_600 - 1);
  assertEquals(await look(), [200, null]);
  app.advance(2);
  assertEquals(await look(), [200, "STALE"]);
  app.advance(24 * 3_600);
  assertEquals(await look(), [503, null]);
});

Deno.test("A probe that could not connect is sent again before a server is given up", async () => {
  let probes = 0;
  const watch = new Watch(
    () => ++probes < 3 ? Promise.reject(new Error("ECONNRESET")) : Promise.resolve(),
    () => false,
    () => new Error("gone"),
  );
  const slow = new Promise((resolve) => setTimeout(resolve, 2_500, "slow"));
  assertEquals(await watch.guard(slow), "slow");
  assertEquals([probes >= 3, watch.isGone], [true, false]);
});

Deno.test("The embedded database leaves the thread to others", async () => {
  const database = await openInMemory();
  let hasEnded = false;
  const long = database.script("select count(*) from generate_series(1, 3000000)")
    .then(() => hasEnded = true);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(hasEnded, false);
  await long;
  await database.close();
});

if (TEST_DATABASE_URL) {
  Deno.test("What runs for a client that left is ended on the server", async () => {
    await using scratch = await openScratch();
    const { database } = scratch;
    const countSleepers = async () => {
      const sleepers = await database.query(sql`
        select from pg_stat_activity
        where datname = current_database() and state = 'active' and query like '%pg_sleep(60%'
      `);
      return sleepers.length;
    };
    const leaving = new AbortController();
    const asked = [1, 2, 3].map((number) =>
      workFor(
        leaving,
        () =>
          number === 1
            ? database.transaction((connection) => connection.query(sql`select pg_sleep(60.1)`))
            : database.query(sql`select pg_sleep(60.2)`),
      )
    );
    const ends = Promise.allSettled(asked);
    await waitFor("the statements", async () => await countSleepers() === 4);
    leaving.abort(new Error("left"));
    for (const end of await ends) {
      assertEquals((end as PromiseRejectedResult).reason, leaving.signal.reason);
    }
    await waitFor("their end", async () => await countSleepers() === 1);
  });

  Deno.test("After a statement that was ended half-way, the next answer is whole", async () => {
    await using scratch = await openScratch();
    const leaving = new AbortController();
    const rows = workFor(leaving, () =>
      scratch.database.query(sql`
        select number, pg_sleep(case when number % 1000 = 0 then 0.05 else 0 end)
        from generate_series(1, 100000) as number
      `));
    setTimeout(() => leaving.abort(new Error("left")), 1_000);
    await rejects(rows, /left/);
    await waitFor("its end", async () => {
      const active = await scratch.database.query(sql`
        select from pg_stat_activity
        where datname = current_database() and state = 'active' and pid <> pg_backend_pid()
      `);
      return active.length === 0;
    });
    const other = { signal: new AbortController().signal };
    const ask = () => workFor(other, () => scratch.database.query(sql`select 1 as one`));
    // More at once than there are connections, so that each of them is among those that answer.
    for (let round = 0; round < 5; round++) {
      for (const answer of await Promise.all(Array.from({ length: 20 }, ask))) {
        assertEquals(answer, [{ one: 1 }]);
      }
    }
  });

  Deno.test("Statements of requests have a time limit, those of jobs have none", async () => {
    await using scratch = await openScratch();
    const read = () =>
      scratch.database.query(sql`select current_setting('statement_timeout') as limit`);
    assertEquals(await read(), [{ limit: "0" }]);
    const { signal } = new AbortController();
    assertEquals(await workFor({ signal }, read), [{ limit: "10s" }]);
  });

  Deno.test("A statement that took too long says that the database is busy, not away", async () => {
    await using scratch = await openScratch();
    const { signal } = new AbortController();
    const slow = workFor({ signal }, () =>
      scratch.database.transaction(async (connection) => {
        await connection.script("set local statement_timeout = 50");
        await connection.query(sql`select pg_sleep(60)`);
      }));
    await rejects(slow, DatabaseBusy);
  });
}

async function openScratch() {
  const { url, drop } = await createScratchDatabase();
  const database = await openPostgres(url);
  return {
    database,
    async [Symbol.asyncDispose]() {
      await database.close();
      await drop();
    },
  };
}
