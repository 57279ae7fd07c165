import {
  deepStrictEqual as assertEquals,
  notDeepStrictEqual as assertDiffer,
} from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { DataVersion, readDataVersion } from "../../lib/database/data_version.ts";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { openPostgres } from "../../lib/database/postgres/postgres.ts";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { createScratchDatabase, TEST_DATABASE_URL, testOnDatabases } from "../support/databases.ts";
import { startServer } from "../support/server.ts";
import { waitFor } from "../support/wait_for.ts";

/** No process may serve the old answer for longer after an import. */
const NOTICED_WITHIN_MS = 5_000;

testOnDatabases("An import without changes preserves every ETag and response", async (database) => {
  await using app = await serve(database, [makeItem(1), makeItem(2)]);
  const paths = ["/", "/api/releases", "/api/changelog", "/rss", "/api/filter-options"];
  const headersOf = async (path: string) => {
    const response = await app.fetch(path);
    await response.body?.cancel();
    return [...response.headers].filter(([name]) => name !== "x-request-id");
  };
  const before = await Promise.all(paths.map(headersOf));
  const version = await readDataVersion(database);
  app.advance(60);
  await importItems(database, [makeItem(1), makeItem(2)]);
  assertEquals(await readDataVersion(database), version);
  assertEquals(await Promise.all(paths.map(headersOf)), before);
});

testOnDatabases("A failed import does not raise the data version", async (database) => {
  await importItems(database, [makeItem(1), makeItem(2)]);
  const version = await readDataVersion(database);
  await importItems(database, [makeItem(1, { feature_name: "New" }), { feature_name: "Bad" }])
    .catch(() => {});
  await importItems(database, []).catch(() => {});
  assertEquals(await readDataVersion(database), version);
});

testOnDatabases("A response expires with the UTC day it was built for", async (database) => {
  await using app = await serve(database, [makeItem(1, { last_modified: "2026-07-15" })]);
  const path = "/api/releases?modified_within_days=5";
  const countAt = async (moment: string) => {
    app.setClock(moment);
    return (await app.json(path)).pagination.total_items;
  };
  assertEquals(await countAt("2026-07-20T00:00:00Z"), 1);
  assertEquals(await countAt("2026-07-20T23:59:59.999Z"), 1);
  assertEquals(await countAt("2026-07-21T00:00:00Z"), 0);
});

testOnDatabases("Another process serves an import at once", async (database) => {
  await using app = await serve(database, [makeItem(1)]);
  const before = await app.json("/api/releases");
  await importItems(database, [makeItem(1), makeItem(2)]);
  await waitFor("the new item", async () => {
    const { pagination } = await app.json("/api/releases");
    return pagination.total_items === before.pagination.total_items + 1;
  }, NOTICED_WITHIN_MS);
});

testOnDatabases("A late notification does not undo a newer version", async (database) => {
  let held = Promise.resolve();
  const hold = async <Found>(found: Promise<Found>): Promise<Found> => {
    const answer = await found;
    await held;
    return answer;
  };
  const told: ((version: string) => void)[] = [];
  const late: Database = {
    ...database,
    query: (statement) => hold(database.query(statement)),
    inspect: (read) => hold(database.inspect(read)),
    listen: (_channel, onMessage) => (told.push(onMessage), Promise.resolve()),
  };
  const followed = await DataVersion.follow(late);
  const seen: number[] = [];
  followed.onChange(() => seen.push(followed.version));
  const answer = Promise.withResolvers<void>();
  held = answer.promise;
  const refreshed = followed.refresh();
  await importItems(database, [makeItem(1)]);
  const version = await readDataVersion(database);
  told[0]!(String(version));
  answer.resolve();
  await refreshed;
  told[0]!(String(version - 1));
  await followed.refresh();
  followed.stop();
  assertEquals(seen, [version]);
});

if (TEST_DATABASE_URL) {
  Deno.test("Two servers on one database notice an import, with or without a notification", async () => {
    await using scratch = await openScratch();
    await importItems(scratch.database, [makeItem(1)]);
    const settings = { DATABASE_URL: scratch.url };
    await using first = await startServer(settings);
    await using second = await startServer(settings);
    const servers = [first, second];
    const etagOf = async ({ url }: { url: string }) => {
      const response = await fetch(`${url}/api/releases`);
      await response.body?.cancel();
      return response.headers.get("etag");
    };
    const notice = async (name: string) => {
      const before = await Promise.all(servers.map(etagOf));
      await importItems(scratch.database, [makeItem(1, { feature_name: name })]);
      await waitFor(`${name} on both servers`, async () => {
        const after = await Promise.all(servers.map(etagOf));
        return after.every((etag, index) => etag !== before[index]);
      }, NOTICED_WITHIN_MS);
      const [one, other] = await Promise.all(servers.map(etagOf));
      assertEquals(one, other);
    };
    await notice("Reply");
    const killed = await killListeners(scratch.database);
    assertEquals(killed >= 2, true);
    await notice("Not told");
  });

  Deno.test("A process is notified of a new version, and listens again after a disconnect", async () => {
    await using scratch = await openScratch();
    const heard: string[] = [];
    await scratch.database.listen(
      "roadcast_data_version",
      (payload) => heard.push(payload),
      () => {},
    );
    await importItems(scratch.database, [makeItem(1)]);
    const version = await readDataVersion(scratch.database);
    await waitFor("the message", () => heard.includes(String(version)));
    const [former] = await listListeners(scratch.database);
    await killListeners(scratch.database);
    await waitFor("the listener", async () => {
      const listeners = await listListeners(scratch.database);
      return listeners.length === 1 && listeners[0] !== former;
    });
    await importItems(scratch.database, [makeItem(1, { feature_name: "Changed" })]);
    await waitFor("the next message", () => heard.includes(String(version + 1)));
  });

  Deno.test("A database restored to an earlier state is served in that state", async () => {
    await using scratch = await openScratch();
    const { database } = scratch;
    const nameAs = (name: string) => importItems(database, [makeItem(1, { feature_name: name })]);
    await nameAs("First");
    const version = await readDataVersion(database);
    await using app = await startApp(database);
    const paths = ["/api/releases", "/api/releases?q=r"];
    const readNames = async (paths: string[]) =>
      await Promise.all(paths.map(async (path) => (await app.json(path)).data[0]?.feature_name));
    const untilNamed = (name: string, path = paths[0]!) =>
      waitFor(name, async () => (await readNames([path]))[0] === name, NOTICED_WITHIN_MS);
    await nameAs("Lost for good");
    await untilNamed("Lost for good");
    await readNames(paths);
    await database.query(sql`update item_rows set feature_name = 'Former'`);
    await database.query(sql`update item_texts set search_text = 'former'`);
    await database.query(sql`update service_state set data_version = ${version}::int`);
    await untilNamed("Former");
    // Of the second path nothing was asked meanwhile, and its version is the former one again.
    await nameAs("Other");
    assertEquals(await readDataVersion(database), version + 1);
    await untilNamed("Other");
    assertEquals(await readNames(paths), ["Other", "Other"]);
    const metrics = await (await app.fetch("/metrics")).text();
    assertEquals(/^roadcast_data_version (\d+)$/m.exec(metrics)![1], String(version + 1));
  });

  Deno.test("If listening is impossible, new data is still noticed", async () => {
    await using scratch = await openScratch();
    await importItems(scratch.database, [makeItem(1)]);
    const deaf: Database = {
      ...scratch.database,
      listen: () => Promise.reject(new Error("cannot execute LISTEN")),
    };
    await using app = await startApp(deaf);
    const before = await app.json("/api/releases");
    await importItems(scratch.database, [makeItem(1, { feature_name: "New" })]);
    await waitFor(
      "the new name",
      async () => (await app.json("/api/releases")).data[0].feature_name === "New",
      NOTICED_WITHIN_MS,
    );
    assertDiffer(before, await app.json("/api/releases"));
  });
}

async function openScratch() {
  const { url, drop } = await createScratchDatabase();
  const database = await openPostgres(url);
  await migrate(database, await readMigrations());
  return {
    url,
    database,
    async [Symbol.asyncDispose]() {
      await database.close();
      await drop();
    },
  };
}

async function killListeners(database: Database): Promise<number> {
  const killed = await database.query(sql`
    select pg_terminate_backend(pid)
    from pg_stat_activity
    where datname = current_database() and query ilike 'listen %'
  `);
  return killed.length;
}

/** The processes of the server that serve a listener. */
async function listListeners(database: Database): Promise<number[]> {
  const listeners = await database.query<{ pid: number }>(sql`
    select pid from pg_stat_activity
    where datname = current_database() and query ilike 'listen %'
  `);
  return listeners.map(({ pid }) => pid);
}
