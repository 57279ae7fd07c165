import { deepStrictEqual as assertEquals, rejects } from "node:assert/strict";
import { type Database, DatabaseBusy } from "../../lib/database/database.ts";
import { openPostgres } from "../../lib/database/postgres/postgres.ts";
import { sql } from "../../lib/database/sql.ts";
import type { Caller } from "../../lib/work/async.ts";
import { Watch } from "../../lib/database/postgres/watch.ts";
import { createScratchDatabase, openNewEmbedded, TEST_DATABASE_URL } from "../support/databases.ts";
import { waitFor } from "../support/wait_for.ts";
import { slowTest } from "../support/slow.ts";

Deno.test("A failed probe is repeated before a server counts as down", async () => {
  let [probes, gone] = [0, 0];
  const watch = new Watch(
    () => ++probes < 3 ? Promise.reject(new Error("ECONNRESET")) : Promise.resolve(),
    () => false,
    () => new Error(`gone ${++gone}`),
  );
  const slow = waitFor("the third probe", () => probes >= 3).then(() => "slow");
  assertEquals(await watch.guard(slow), "slow");
  assertEquals(gone, 0);
});

slowTest("The embedded database does not block the main thread", async () => {
  const database = await openNewEmbedded();
  let hasEnded = false;
  const long = database.script("select count(*) from generate_series(1, 3000000)")
    .then(() => hasEnded = true);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(hasEnded, false);
  await long;
  await database.close();
});

if (TEST_DATABASE_URL) {
  Deno.test("A client leaves most connections to others, unless there are none", async () => {
    await using scratch = await openScratch();
    const { database } = scratch;
    const leaving = new AbortController();
    const ask = (client: string, count: number) =>
      Array.from(
        { length: count },
        () => database.query(sql`select pg_sleep(60)`, { signal: leaving.signal, client }),
      );
    const running = async (count: number) => {
      // This one counts itself.
      await waitFor("the statements", async () => await countSleepers(database) >= count + 1);
      assertEquals(await countSleepers(database), count + 1);
    };
    const asked = ask("one", 20);
    await running(7);
    const ends = Promise.allSettled([...asked, ...ask("other", 3)]);
    await running(8);
    leaving.abort();
    await ends;
    await waitFor("their end", async () => await countSleepers(database) === 1);
  });

  Deno.test("A statement of a disconnected client is cancelled on the server", async () => {
    await using scratch = await openScratch();
    const { database } = scratch;
    const leaving = new AbortController();
    const asked = [1, 2, 3].map((number) =>
      number === 1
        ? database.transaction(
          (connection) => connection.query(sql`select pg_sleep(60.1)`),
          leaving,
        )
        : database.query(sql`select pg_sleep(60.2)`, leaving)
    );
    const ends = Promise.allSettled(asked);
    await waitFor("the statements", async () => await countSleepers(database) === 4);
    leaving.abort(new Error("left"));
    for (const end of await ends) {
      assertEquals((end as PromiseRejectedResult).reason, leaving.signal.reason);
    }
    await waitFor("their end", async () => await countSleepers(database) === 1);
  });

  Deno.test("After a cancelled statement, the next response is complete", async () => {
    await using scratch = await openScratch();
    const leaving = new AbortController();
    const rows = scratch.database.query(
      sql`
        select number, pg_sleep(case when number % 1000 = 0 then 0.05 else 0 end)
        from generate_series(1, 100000) as number
      `,
      leaving,
    );
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
    const ask = () => scratch.database.query(sql`select 1 as one`, other);
    // More at once than there are connections, so that each of them is among those that answer.
    for (let round = 0; round < 5; round++) {
      for (const answer of await Promise.all(Array.from({ length: 20 }, ask))) {
        assertEquals(answer, [{ one: 1 }]);
      }
    }
  });

  Deno.test("Statements of requests have a time limit, those of jobs have none", async () => {
    await using scratch = await openScratch();
    const read = (caller?: Caller) =>
      scratch.database.query(sql`select current_setting('statement_timeout') as limit`, caller);
    assertEquals(await read(), [{ limit: "0" }]);
    const { signal } = new AbortController();
    assertEquals(await read({ signal }), [{ limit: "10s" }]);
  });

  Deno.test("A statement that timed out reports a busy database, not an unreachable one", async () => {
    await using scratch = await openScratch();
    const { signal } = new AbortController();
    const slow = scratch.database.transaction(async (connection) => {
      await connection.script("set local statement_timeout = 50");
      await connection.query(sql`select pg_sleep(60)`);
    }, { signal });
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

/** How many statements sleep, and the one that asks. */
async function countSleepers(database: Database): Promise<number> {
  const sleepers = await database.query(sql`
    select from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%pg_sleep(60%'
  `);
  return sleepers.length;
}
