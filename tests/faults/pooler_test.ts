import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { makeItem } from "../support/app.ts";
import { runCommand } from "../support/command.ts";
import { createScratchDatabase, TEST_DATABASE_URL } from "../support/databases.ts";
import { hasPgbouncer, startPgbouncer } from "../support/servers/pgbouncer.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { waitFor } from "../support/wait_for.ts";

const CONNECTIONS = 3;

if (TEST_DATABASE_URL && hasPgbouncer()) {
  Deno.test("Everything works through a pooler in transaction mode", async () => {
    await using stack = new AsyncDisposableStack();
    const { url, drop } = await createScratchDatabase();
    stack.defer(() => drop());
    const pooler = stack.use(await startPgbouncer(url, { connections: CONNECTIONS }));
    const settings = { DATABASE_URL: pooler.url, ROADMAP_VARIANT: "both" };
    const folder = await Deno.makeTempDir();
    stack.defer(() => Deno.remove(folder, { recursive: true }));

    const take = async (names: readonly string[]) => {
      const items = names.map((feature_name, index) => makeItem(index + 1, { feature_name }));
      const file = `${folder}/roadmap.json`;
      await Deno.writeTextFile(file, JSON.stringify(items));
      return await runCommand(["import", file], settings);
    };
    const first = await take(["One", "Two", "Three"]);
    assertEquals([first.code, first.err], [0, ""]);
    match(first.out, /3 added/);
    const servers = [
      stack.use(await startServer(settings)),
      stack.use(await startServer(settings)),
    ] as const;
    // More requests at once than the pooler has connections, each with a statement of its own.
    const statuses = await Promise.all(
      Array.from({ length: 200 }, (_, index) => askOnce(servers[index % 2]!, index)),
    );
    assertEquals(new Set(statuses), new Set([200]));

    const second = await take(["One", "Two, renamed", "Three"]);
    match(second.out, /1 changed/);
    for (const server of servers) {
      // Notifications are lost in a pooler; the data version is polled every 2 s.
      await waitFor("the new name", async () => (await readNames(server)).includes("Two, renamed"));
    }
    const digest = await runCommand(["digest"], settings);
    assertEquals([digest.code, digest.err], [0, ""]);
  });
}

async function askOnce({ url }: TestServer, index: number): Promise<number> {
  const paths = [
    `/api/releases?q=${index}`,
    `/?page_size=${index}`,
    `/b/api/releases?q=${index}`,
    `/api/changelog?days=${index % 90 + 1}`,
  ];
  const response = await fetch(url + paths[index % paths.length]);
  await response.body?.cancel();
  return response.status;
}

async function readNames({ url }: TestServer): Promise<string[]> {
  const { data } = await (await fetch(`${url}/api/releases`)).json();
  return data.map(({ feature_name }: { feature_name: string }) => feature_name);
}
