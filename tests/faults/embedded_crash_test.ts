import { deepStrictEqual as assertEquals, rejects } from "node:assert/strict";
import { join } from "node:path";
import { openEmbedded, openEmbeddedOrShared } from "../../lib/database/embedded/embedded.ts";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { copyMigrated } from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { recordLog } from "../support/log.ts";
import { waitFor } from "../support/wait_for.ts";

const ITEMS = [makeItem(1), makeItem(2), makeItem(3)];

/** Records the workers that start from now on. */
function noteWorkers(): Disposable & { readonly workers: Worker[] } {
  const { Worker: Original } = globalThis;
  const workers: Worker[] = [];
  globalThis.Worker = class extends Original {
    constructor(...words: ConstructorParameters<typeof Worker>) {
      super(...words);
      workers.push(this);
    }
  };
  return { workers, [Symbol.dispose]: () => void (globalThis.Worker = Original) };
}

Deno.test("An embedded database recovers by itself after its thread crashes", () =>
  withFolder(async (folder) => {
    await using log = await recordLog();
    await copyMigrated(folder);
    using noted = noteWorkers();
    const countEnds = () =>
      log.lines.filter((line) => line.startsWith("error The embedded ")).length;
    const crash = async () => {
      const ends = countEnds();
      noted.workers.at(-1)!.postMessage(null); // which it cannot read
      await waitFor("the end of the thread", () => countEnds() > ends);
    };
    const database = await openEmbedded(folder);
    await importItems(database, ITEMS);
    {
      await using app = await startApp(database);
      // It is called busy where the machine is.
      const becomes = (state: string) =>
        waitFor(state, async () => (await app.json("/health")).database === state);
      const statusOf = async (path: string) => {
        const { status, headers, body } = await app.fetch(path);
        await body?.cancel();
        return [status, headers.has("retry-after")];
      };
      // A request that meets a start that fails, or that takes longer than its limit, is refused.
      let asked = 0;
      const recover = () =>
        waitFor(
          "an answer, not a stored one",
          async () => (await statusOf(`/api/releases?q=${++asked}`))[0] === 200,
        );
      await becomes("ok");

      // The rest of a transaction does not run without its beginning.
      const cut = database.transaction(async (connection) => {
        await connection.query(sql`update item_rows set feature_name = 'Cut'`);
        await crash();
        await connection.query(sql`update item_rows set feature_name = 'Rest'`);
      });
      await rejects(cut, { name: "DatabaseAway", message: /^The embedded database has ended: / });
      await recover();
      const { data } = await app.json("/api/releases?q=feature");
      assertEquals(data.length, ITEMS.length);
      await becomes("ok");

      const cluster = join(folder, "postgres");
      await Deno.rename(cluster, `${cluster}.aside`);
      await Deno.writeTextFile(cluster, "");
      await crash();
      assertEquals(await statusOf("/api/releases?q=a"), [503, true]);
      await becomes("away");
      await Deno.remove(cluster);
      await Deno.rename(`${cluster}.aside`, cluster);
      await recover();
      await becomes("ok");

      await importItems(database, [...ITEMS, makeItem(4)]);
      assertEquals((await app.json("/api/releases")).pagination.total_items, 4);
    }
    await database.close();
  }));

/** PostgreSQL's limit of its stack is larger than that of WebAssembly. */
const TRAP = `
  create or replace function endless(number int) returns int language sql
  as 'select endless(number + 1)';
  select endless(1)`;

Deno.test("A WebAssembly trap restarts the embedded database, for other processes too", () =>
  withFolder(async (folder) => {
    await using log = await recordLog();
    await copyMigrated(folder);
    const database = await openEmbedded(folder, { shares: true });
    const heard: string[] = [];
    await database.listen("news", (payload) => heard.push(payload), () => {});
    await database.script("create table words (word text); insert into words values ('stored')");
    const command = await openEmbeddedOrShared(folder);
    for (const [round, trapped] of [database, command].entries()) {
      await rejects(trapped.script(TRAP), { name: "DatabaseAway" });
      for (const asking of [database, command]) {
        await waitFor(
          "an answer",
          () =>
            asking.query(sql`select word from words`).then(
              (rows) => rows.length === 1,
              () => false,
            ),
        );
      }
      await rejects(database.query(sql`select wrong`), { code: "42703" });
      await waitFor("a notification after the restart", async () => {
        await command.query(sql`select pg_notify('news', ${String(round)})`);
        return heard.includes(String(round));
      });
    }
    const ends = log.lines.filter((line) =>
      line.startsWith("error The embedded database has ended")
    );
    assertEquals(ends.length, 2);
    await command.close();
    await database.close();
  }));

Deno.test("A transaction that loses its connection between two statements fails as a whole", () =>
  withFolder(async (folder) => {
    await copyMigrated(folder);
    const database = await openEmbedded(folder, { shares: true });
    const command = await openEmbeddedOrShared(folder);
    await database.script("create table words (word text)");
    const cut = database.transaction(async (connection) => {
      await connection.query(sql`insert into words values ('first')`);
      const trapped = Promise.resolve(connection.script(TRAP)).catch(() => {});
      await trapped;
      await new Promise((resolve) => setTimeout(resolve, 500));
      await connection.query(sql`insert into words values ('rest')`);
    });
    await rejects(cut, { name: "DatabaseAway" });
    assertEquals(await database.query(sql`select word from words`), []);
    await command.close();
    await database.close();
  }));

Deno.test("A transaction with a failed statement stores nothing, even if its work goes on", () =>
  withFolder(async (folder) => {
    await copyMigrated(folder);
    const database = await openEmbedded(folder);
    await database.script("create table words (word text)");
    const failed = database.transaction(async (connection) => {
      await connection.query(sql`insert into words values ('first')`);
      await connection.query(sql`select 1 / 0`).catch(() => {});
    });
    await rejects(failed, { code: "22012" });
    assertEquals(await database.query(sql`select word from words`), []);
    await database.close();
  }));
