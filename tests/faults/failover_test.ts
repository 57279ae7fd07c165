import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { makeItem } from "../support/app.ts";
import { runCommand } from "../support/command.ts";
import { createScratchDatabase, TEST_DATABASE_URL } from "../support/databases.ts";
import { startServer } from "../support/server.ts";
import { startStandby } from "../support/servers/standby.ts";
import { openProxy } from "../support/servers/tcp_proxy.ts";
import { waitFor } from "../support/wait_for.ts";

/** The folder in which `.ci/postgres` runs the server of TEST_DATABASE_URL. */
const FOLDER = Deno.env.get("FAULTS_POSTGRES_FOLDER");

if (FOLDER && TEST_DATABASE_URL) {
  Deno.test("A standby serves reads, refuses writes, and accepts them once promoted", async () => {
    await using stack = new AsyncDisposableStack();
    const { url, drop } = await createScratchDatabase();
    stack.defer(() => drop());
    const folder = await Deno.makeTempDir();
    stack.defer(() => Deno.remove(folder, { recursive: true }));
    const file = `${folder}/roadmap.json`;
    await Deno.writeTextFile(file, JSON.stringify([makeItem(1)]));
    assertEquals((await runCommand(["import", file], { DATABASE_URL: url })).code, 0);
    const primary = Number(new URL(url).port);
    const standby = stack.use(await startStandby(FOLDER, primary));

    using proxy = openProxy({ hostname: "127.0.0.1", port: primary });
    const address = new URL(url);
    address.port = String(proxy.port);
    const settings = { DATABASE_URL: address.href, ROADMAP_VARIANT: "both" };
    await using server = await startServer(settings);
    const statusOf = async (path: string, init?: RequestInit) => {
      const response = await fetch(server.url + path, init);
      return [response.status, await response.text()] as const;
    };
    const subscribe = (email: string) =>
      statusOf("/api/subscribe", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ email }),
      });
    assertEquals((await subscribe("before@example.com"))[0], 202);

    proxy.leadTo(standby.port);
    let word = 0;
    await waitFor("reads from the standby", async () => {
      const statuses = [
        (await statusOf(`/api/releases?q=feature&page_size=${++word}`))[0],
        (await statusOf(`/b/api/releases?q=feature&page_size=${word}`))[0],
      ];
      return statuses.every((status) => status === 200);
    });
    const [refused, problem] = await subscribe("during@example.com");
    assertEquals(refused, 503);
    match(problem, /is read-only right now, try again in a minute/);
    assertEquals((await statusOf("/ready"))[0], 200);
    const imported = await runCommand(["import", file], settings);
    assertEquals(imported.code, 1);
    match(imported.err, /^The database is read-only: /);
    const started = await runCommand(["serve"], { ...settings, PORT: "0" });
    assertEquals(started.code, 1);
    match(started.err, /set DATABASE_URL to the primary server/);

    await standby.promote();
    await waitFor("changes again", async () => (await subscribe("after@example.com"))[0] === 202);
  });
}
