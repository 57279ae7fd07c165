import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { EmbeddedDatabase } from "../../lib/database/database.ts";
import { raiseDataVersion } from "../../lib/database/data_version.ts";
import { openEmbedded } from "../../lib/database/embedded/embedded.ts";
import { connectToFolder } from "../../lib/database/embedded/server_socket.ts";
import { openEmbeddedOrShared } from "../../lib/database/embedded/shared_embedded.ts";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, startApp, type TestApp } from "../support/app.ts";
import { copyMigrated } from "../support/databases.ts";
import { startEmbeddingServer } from "../support/servers/embedding_server.ts";
import { withFolder } from "../support/folder.ts";
import { recordLog } from "../support/log.ts";
import { embedAll, settingsFor } from "../support/subjects/semantic.ts";

/** Runs a test with the embedded database of a server, which holds two items. */
function withServerDatabase(
  test: (database: EmbeddedDatabase, folder: string) => Promise<void>,
): Promise<void> {
  return withFolder(async (folder) => {
    await copyMigrated(folder);
    const database = await openEmbedded(folder, { shares: true });
    try {
      await importItems(database, [makeItem(1), makeItem(2, { feature_name: "Old name" })]);
      await test(database, folder);
    } finally {
      await database.close();
    }
  });
}

/** Occupies the database in a transaction that renames an item and commits at the end. */
async function occupy(database: EmbeddedDatabase) {
  const begun = Promise.withResolvers<void>();
  const committing = Promise.withResolvers<void>();
  const committed = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  const done = database.withReplica(async () => {
    await database.transaction(async (connection) => {
      await connection.query(sql`
        update items set feature_name = 'New name' where feature_name = 'Old name'
      `);
      await raiseDataVersion(connection);
      begun.resolve();
      await committing.promise;
    });
    committed.resolve();
    await ending.promise;
  });
  await begun.promise;
  const work = {
    async commit() {
      committing.resolve();
      await committed.promise;
    },
    async end() {
      committing.resolve();
      ending.resolve();
      await done;
    },
    [Symbol.asyncDispose]: () => work.end(),
  };
  return work;
}

async function findNames(app: TestApp, query: string): Promise<string[]> {
  const { data } = await app.json(`/api/releases?${query}`);
  return data.map(({ feature_name }: { feature_name: string }) => feature_name);
}

Deno.test("Reads get the old data while the database is occupied, then the new data", () =>
  withServerDatabase(async (database, folder) => {
    await using app = await startApp(database);
    await using work = await occupy(database);
    assertEquals(await findNames(app, "q=name"), ["Old name"]);
    const [{ release_item_id }] = (await app.json("/api/releases?q=old")).data;
    const paths = [
      `/api/releases/history/${release_item_id}`,
      `/release/${release_item_id}`,
      "/rss",
      "/atom.xml",
      "/calendar.ics",
      "/api/filter-options",
      "/api/changelog?days=30",
      "/api/changes",
      "/api/insights",
      "/search.json?q=old",
      "/",
    ];
    for (const path of paths) {
      const response = await app.fetch(path);
      const text = await response.text();
      assert(response.ok, `${path}: ${response.status} ${text}`);
    }
    assert(existsSync(join(folder, "postgres.replica")));
    await work.commit();
    // The replica still exists, but is out of date.
    assertEquals(await findNames(app, "q=name"), ["New name"]);
    assertEquals(await findNames(app, "q=feature"), ["Feature 1"]);
    await work.end();
    assert(!existsSync(join(folder, "postgres.replica")));
    assertEquals(await findNames(app, "q=name&page_size=5"), ["New name"]);
  }));

Deno.test("Reads that arrive while a replica is being created use it", () =>
  withServerDatabase(async (database, folder) => {
    await using app = await startApp(database);
    let isCreated = false;
    const working = occupy(database).finally(() => isCreated = true);
    while (!existsSync(join(folder, "postgres.replica"))) await delay(1);
    // All of one client: those in the queue for the database would have their turn after the work.
    const names: Promise<string[]>[] = [];
    for (let size = 1; size <= 150 && !isCreated; size++) {
      names.push(findNames(app, `q=name&page_size=${size}`));
      names.push(findNames(app, `q=old&page_size=${size}`));
      await delay(2);
    }
    await using _work = await working;
    assertEquals(await Promise.all(names), names.map(() => ["Old name"]));
  }));

Deno.test("Requests find all previous data while a large import is applied", () =>
  withServerDatabase(async (database) => {
    await using app = await startApp(database);
    const items = Array.from({ length: 2_500 }, (_, index) => makeItem(index + 1));
    let found: string[] = [];
    await importItems(database, items, {
      // Within the transaction, when all changes are stored.
      onChange: async () => void (found = await findNames(app, "q=name")),
    });
    assertEquals(found, ["Old name"]);
    assertEquals(await findNames(app, "q=name&page_size=5"), []);
    assertEquals((await app.json("/api/releases?q=feature")).pagination.total_items, 2_500);
  }));

Deno.test("An import copies the database once, and only if it changes many items", () =>
  withServerDatabase(async (database) => {
    let copies = 0;
    const counted: EmbeddedDatabase = {
      ...database,
      withReplica: (work) => (copies++, database.withReplica(work)),
    };
    const items = Array.from({ length: 2_500 }, (_, index) => makeItem(index + 1));
    const changed = items.map((item) => ({ ...item, release_type: "Beta" }));
    const copiesOf = async (items: unknown[], options = {}) => {
      copies = 0;
      await importItems(counted, items, options);
      return copies;
    };
    assertEquals(await copiesOf(items), 1, "all are new");
    assertEquals(await copiesOf(items), 0, "all are the same");
    assertEquals(await copiesOf([...changed.slice(0, 100), ...items.slice(100)]), 0, "some differ");
    assertEquals(await copiesOf(changed), 1, "most differ");
    const one = changed.slice(0, 1);
    assertEquals(await copiesOf(one, { partial: true }), 0, "what is missing stays");
    assertEquals(await copiesOf(one, { allowMassRemoval: true }), 1, "most are missing");
  }));

Deno.test("A write request waits for the database itself", () =>
  withServerDatabase(async (database) => {
    await using app = await startApp(database, {
      SMTP_URL: "smtp://127.0.0.1:9",
      MAIL_FROM: "a@b.c",
    });
    await using work = await occupy(database);
    const subscribing = app.fetch("/api/subscribe", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email: "ann@example.com" }),
    });
    assertEquals(await findNames(app, "q=name"), ["Old name"]);
    await work.end();
    assertEquals((await subscribing).status, 202);
    const addresses = await database.query(sql`select email from subscriptions`);
    assertEquals(addresses, [{ email: "ann@example.com" }]);
  }));

Deno.test("Variant B responses read from a replica are not shared", () =>
  withServerDatabase(async (database) => {
    await using app = await startApp(database, { ROADMAP_VARIANT: "b" });
    const countShared = async () =>
      (await database.query(sql`select from cached_responses`)).length;
    await using work = await occupy(database);
    assertEquals((await findNames(app, "page_size=5")).toSorted(), ["Feature 1", "Old name"]);
    await work.end();
    assertEquals(await countShared(), 0);
    await findNames(app, "page_size=6");
    assertEquals(await countShared(), 1);
  }));

Deno.test("A new question falls back to substring search while it cannot be counted", () =>
  withServerDatabase(async (database) => {
    await using service = startEmbeddingServer();
    const settings = settingsFor(service);
    await embedAll(database, settings);
    const ask = async (app: TestApp, words: string) => {
      const asked = service.requests.length;
      const response = await app.fetch(`/api/releases?q=${words}`);
      const { data } = await response.json();
      const mode = response.headers.get("x-search-mode");
      return { mode, found: data.length, asked: service.requests.length - asked };
    };
    {
      await using former = await startApp(database, settings);
      assertEquals(await ask(former, "feature"), { mode: "semantic", found: 1, asked: 1 });
    }
    await using app = await startApp(database, settings);
    await using work = await occupy(database);
    assertEquals(await ask(app, "feature"), { mode: "semantic", found: 1, asked: 0 });
    assertEquals(await ask(app, "name"), { mode: "substring", found: 1, asked: 0 });
    await work.end();
    assertEquals((await ask(app, "name")).mode, "semantic");
  }));

Deno.test("Commands use replicas one at a time, and a killed command leaves none", () =>
  withServerDatabase(async (database, folder) => {
    await using app = await startApp(database);
    const killed = (await connectToFolder(folder))!;
    for (const [method, ...args] of [["openReplica"], ["hold"], ["script", "begin"]]) {
      await killed.write({ method, args });
      await killed.read();
    }
    await killed.write({ method: "query", args: ["update items set feature_name = 'Lost'", []] });
    await killed.read();
    const command = await openEmbeddedOrShared(folder);
    let hasBegun = false;
    const next = command.withReplica(() => {
      hasBegun = true;
      return command.query(sql`select feature_name from items order by feature_name`);
    });
    assertEquals(await findNames(app, "q=name"), ["Old name"]);
    assert(!hasBegun);
    killed.close();
    assertEquals(await next, [{ feature_name: "Feature 1" }, { feature_name: "Old name" }]);
    await command.close();
    assert(!existsSync(join(folder, "postgres.replica")));
    assertEquals(await findNames(app, "q=feature"), ["Feature 1"]);
  }));

Deno.test("If a replica cannot be created, the work is done and requests wait for it", () =>
  withServerDatabase(async (database, folder) => {
    await using log = await recordLog();
    await Deno.writeTextFile(join(folder, "postgres.replica"), "in the way");
    await using app = await startApp(database);
    await using work = await occupy(database);
    assertEquals(log.lines.length, 1);
    match(log.lines[0]!, /^warning Requests wait while the database is busy: /);
    const waiting = findNames(app, "q=name");
    await work.end();
    assertEquals(await waiting, ["New name"]);
  }));

Deno.test("The next start removes what a killed server left of a replica", () =>
  withFolder(async (folder) => {
    await copyMigrated(folder);
    await Deno.mkdir(join(folder, "postgres.replica", "base"), { recursive: true });
    const database = await openEmbedded(folder);
    assert(!existsSync(join(folder, "postgres.replica")));
    await database.close();
  }));
