import { deepStrictEqual as assertEquals, match as assertMatch } from "node:assert/strict";
import type { Database } from "../../../lib/database/database.ts";
import { sql } from "../../../lib/database/sql.ts";
import { makeItem } from "../../support/app.ts";
import { startCommand } from "../../support/command.ts";
import { inDatabase, testOnOwnDatabases } from "../../support/fault_databases.ts";
import { startServer } from "../../support/server.ts";
import { serveSource } from "../../support/servers/source_server.ts";
import { waitFor } from "../../support/wait_for.ts";

testOnOwnDatabases(
  "A server killed while reading its source serves first, and retries it with growing delays",
  async (own) => {
    let asked = 0;
    let isDeadly = true;
    await using source = serveSource(() => {
      asked++;
      return isDeadly ? startEndlessly() : Response.json([makeItem(1)]);
    });
    const settings = { ...own, ROADMAP_SOURCE: `${source.url}/items.json` };
    for (const [round, pause] of [30, 60].entries()) {
      const dying = startCommand(["serve"], { ...settings, HOST: "127.0.0.1", PORT: "0" });
      await waitFor("the import", () => asked === round + 1, 120_000);
      await new Promise((resolve) => setTimeout(resolve, 200));
      dying.kill("SIGKILL");
      await dying.ended;
      const schedule = await inDatabase(own, readSchedule);
      assertEquals([schedule.failures, schedule.isTaken], [round + 1, true]);
      assertEquals(Math.round(schedule.seconds), pause);

      await using server = await startServer(settings);
      assertEquals((await fetch(`${server.url}/api/releases`)).status, 200);
      assertEquals(asked, round + 1, "it was not read again at once");
      assertMatch(server.output(), /is still running: trying again in /);
      server.kill("SIGTERM");
      await server.ended;
      await inDatabase(own, passTime);
    }
    isDeadly = false;
    await using server = await startServer(settings);
    await waitFor("the items", async () => {
      const { data } = await (await fetch(`${server.url}/api/releases`)).json();
      return data.length === 1;
    });
    assertMatch(server.output(), /never finished: its process was killed or crashed/);
    server.kill("SIGTERM");
    await server.ended;
    const { failures, isTaken } = await inDatabase(own, readSchedule);
    assertEquals([failures, isTaken], [0, false]);
  },
);

/** A response that never ends. */
function startEndlessly(): Response {
  return new Response(
    new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([0x5b])) }),
  );
}

async function readSchedule(database: Database) {
  const [schedule] = await database.query<{ failures: number; isTaken: boolean; seconds: number }>(
    sql`
      select failures, holder is not null as "isTaken",
        extract(epoch from due_at - (select max(started_at) from import_runs))::float8 as seconds
      from schedules where name like 'sync %'
    `,
  );
  return schedule!;
}

async function passTime(database: Database): Promise<void> {
  await database.query(sql`
    update schedules set due_at = now(), held_until = now() - interval '1 second'
  `);
}
