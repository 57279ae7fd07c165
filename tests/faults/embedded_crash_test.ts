import { deepStrictEqual as assertEquals, rejects } from "node:assert/strict";
import { join } from "node:path";
import { openEmbedded } from "../../lib/database/embedded/embedded.ts";
import { RestartingPGlite } from "../../lib/database/embedded/restarting_pglite.ts";
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
      const stateOf = async () => (await app.json("/health")).database;
      const statusOf = async (path: string) => {
        const { status, headers, body } = await app.fetch(path);
        await body?.cancel();
        return [status, headers.has("retry-after")];
      };
      assertEquals(await stateOf(), "ok");

      // The rest of a transaction does not run without its beginning.
      const cut = database.transaction(async (connection) => {
        await connection.query(sql`update items set feature_name = 'Cut'`);
        await crash();
        await connection.query(sql`update items set feature_name = 'Rest'`);
      });
      await rejects(cut, { name: "DatabaseAway", message: /^The embedded database has ended: / });
      const { data } = await app.json("/api/releases?q=feature");
      assertEquals(data.length, ITEMS.length);
      assertEquals(await stateOf(), "ok");

      const cluster = join(folder, "postgres");
      await Deno.rename(cluster, `${cluster}.aside`);
      await Deno.writeTextFile(cluster, "");
      await crash();
      assertEquals(await statusOf("/api/releases?q=a"), [503, true]);
      assertEquals(await stateOf(), "away");
      await Deno.remove(cluster);
      await Deno.rename(`${cluster}.aside`, cluster);
      assertEquals(await statusOf("/api/releases?q=a"), [200, false]);
      assertEquals(await stateOf(), "ok");

      await importItems(database, [...ITEMS, makeItem(4)]);
      assertEquals((await app.json("/api/releases")).pagination.total_items, 4);
    }
    await database.close();
  }));

Deno.test("A WebAssembly trap restarts the embedded database, as a panic does", () =>
  withFolder(async (folder) => {
    const opened = await RestartingPGlite.open({ dataDir: folder });
    const former = await opened.get();
    await former.exec("create table words (word text); insert into words values ('stored')");
    former.execProtocolRawSync = () => {
      throw new WebAssembly.RuntimeError("unreachable");
    };
    await rejects(former.query("select word from words"), {
      name: "DatabaseAway",
      message: "The embedded database has stopped: unreachable",
    });
    const { rows } = await (await opened.get()).query("select word from words");
    assertEquals(rows, [{ word: "stored" }]);
    await rejects(async () => await (await opened.get()).query("select wrong"), { code: "42703" });
    assertEquals((await (await opened.get()).query("select 1 as one")).rows, [{ one: 1 }]);
    await opened.close();
  }));
