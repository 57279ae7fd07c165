import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { createScratchDatabase, TEST_DATABASE_URL } from "../support/databases.ts";
import { makeSnapshot } from "../support/subjects/many_items.ts";
import { startServer } from "../support/server.ts";
import { startStandby } from "../support/servers/standby.ts";
import { startCommand as runCommand } from "../support/command.ts";
import { waitFor } from "../support/wait_for.ts";

/** The folder in which `.ci/postgres` runs the server of TEST_DATABASE_URL. */
const FOLDER = Deno.env.get("FAULTS_POSTGRES_FOLDER");

if (FOLDER && TEST_DATABASE_URL) {
  for (const mode of ["fast", "immediate"]) {
    Deno.test(`A database restart (${mode}) under load causes no wrong response`, async () => {
      await using stack = new AsyncDisposableStack();
      const { url, drop } = await createScratchDatabase();
      stack.defer(() => drop());
      const address = new URL(url);
      // A separate server, because other tests use that of TEST_DATABASE_URL at the same time.
      const database = stack.use(await startStandby(FOLDER, Number(address.port)));
      await database.promote();
      address.port = String(database.port);
      const DATABASE_URL = address.href;
      const file = await Deno.makeTempFile({ suffix: ".json" });
      await Deno.writeTextFile(file, makeSnapshot(200));
      assertEquals(await runCommand(["import", file], { DATABASE_URL }).ended, 0);
      await Deno.remove(file);
      const server = stack.use(await startServer({ DATABASE_URL }));
      const load = startLoad(server.url);
      await load.sent(100);
      await database.restart(mode);
      await waitFor("answers after the restart", async () => {
        const response = await fetch(
          `${server.url}/api/releases?page_size=1&q=${crypto.randomUUID()}`,
        );
        await response.body?.cancel();
        return response.status === 200;
      });
      await load.sent(100);
      const { kept, built } = await load.stop();
      const show = (statuses: Map<number, number>) =>
        [...statuses].map(([status, count]) => `${count} of ${status}`).join(", ");
      console.log(`kept answers: ${show(kept)}; new ones: ${show(built)}`);
      assertEquals([...kept.keys()], [200]);
      const others = [...built.keys()].filter((status) => status !== 200 && status !== 503);
      assertEquals(others, []);
      // It reports "busy" while requests left over from the load wait for the new connections.
      await waitFor("a database that is not busy", async () => {
        const ready = await fetch(`${server.url}/ready`);
        assertEquals(ready.status, 200);
        return (await ready.json()).database === "ok";
      });
    });
  }
}

/** Two clients: one requests a cached response, the other one that is built each time. */
function startLoad(url: string) {
  const kept = new Map<number, number>();
  const built = new Map<number, number>();
  let isStopped = false;
  let count = 0;
  async function client(statuses: Map<number, number>, path: () => string): Promise<void> {
    while (!isStopped) {
      const response = await fetch(url + path());
      await response.body?.cancel();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      count++;
    }
  }
  const clients = [
    client(kept, () => "/api/filter-options"),
    client(built, () => `/api/releases?q=${crypto.randomUUID()}`),
  ];
  return {
    async sent(more: number) {
      const until = count + more;
      await waitFor("requests", () => count >= until);
    },
    async stop() {
      isStopped = true;
      await Promise.all(clients);
      return { kept, built };
    },
  };
}
