import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { makeItem } from "../support/app.ts";
import { createScratchDatabase, TEST_DATABASE_URL } from "../support/databases.ts";
import { hasNginx, startNginx } from "../support/servers/nginx.ts";
import { findFreePort, startServer } from "../support/server.ts";
import { startCommand as runCommand } from "../support/command.ts";

const CLIENTS = 8;

if (TEST_DATABASE_URL && hasNginx()) {
  Deno.test("Restarting two servers in turn loses no request; nginx caches responses", async () => {
    const { url: DATABASE_URL, drop } = await createScratchDatabase();
    const file = await Deno.makeTempFile({ suffix: ".json" });
    await Deno.writeTextFile(file, JSON.stringify([makeItem(1), makeItem(2)]));
    assertEquals(await runCommand(["import", file], { DATABASE_URL }).ended, 0);
    await using stack = new AsyncDisposableStack();
    stack.defer(() => drop());
    const settings = { DATABASE_URL, TRUSTED_PROXIES: "1" };
    const start = async (port = findFreePort()) =>
      stack.use(await startServer({ ...settings, PORT: String(port) }));
    const servers = [await start(), await start()];
    const nginx = stack.use(
      await startNginx([servers[0]!.port, servers[1]!.port], { rate: "100000r/s" }),
    );
    await checkKeeping(nginx.url);
    const load = startLoad(nginx.url);
    for (const server of servers) {
      server.kill("SIGTERM");
      assertEquals(await server.ended, 0);
      await start(server.port);
      await load.next(200);
    }
    const { statuses, failures } = await load.stop();
    console.log([...statuses].map(([status, count]) => `${count} answers ${status}`).join(", "));
    assertEquals(failures, []);
    assertEquals([...statuses.keys()], [200]);
    await Deno.remove(file);
  });
}

/** The second client gets the cached copy, a conditional request 304; no error is cached. */
async function checkKeeping(url: string): Promise<void> {
  const ask = async (path: string, headers = {}) => {
    const response = await fetch(url + path, { headers });
    await response.body?.cancel();
    return response;
  };
  const first = await ask("/api/releases");
  assertEquals(first.headers.get("x-edge-cache"), "MISS");
  const second = await ask("/api/releases");
  assertEquals(second.headers.get("x-edge-cache"), "HIT");
  const known = await ask("/api/releases", { "if-none-match": first.headers.get("etag")! });
  assertEquals([known.status, known.headers.get("x-edge-cache")], [304, "HIT"]);
  const wrong = await ask("/api/releases?page=x");
  assertEquals([wrong.status, wrong.headers.get("x-edge-cache")], [400, "MISS"]);
  const again = await ask("/api/releases?page=x");
  assertEquals([again.status, again.headers.get("x-edge-cache")], [400, "MISS"]);
  assertEquals((await ask("/metrics")).status, 404);
}

/** Clients that send requests without pause, each for something that no cache holds. */
function startLoad(url: string) {
  const statuses = new Map<number, number>();
  const failures: string[] = [];
  let isStopped = false;
  let asked = 0;
  async function client(): Promise<void> {
    while (!isStopped) {
      try {
        const response = await fetch(`${url}/api/releases?unique=${asked++}`);
        await response.body?.cancel();
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      } catch (error) {
        failures.push(String(error));
      }
    }
  }
  const clients = Array.from({ length: CLIENTS }, client);
  return {
    /** Waits until this many more requests have been sent. */
    async next(count: number) {
      const until = asked + count;
      while (asked < until) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    async stop() {
      isStopped = true;
      await Promise.all(clients);
      return { statuses, failures };
    },
  };
}
