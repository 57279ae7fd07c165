import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { testOnOwnDatabases } from "../../support/fault_databases.ts";
import { startServer } from "../../support/server.ts";
import { startCommand as runCommand } from "../../support/command.ts";
import { waitFor } from "../../support/wait_for.ts";

/** The exit code of a process killed by SIGKILL. */
const KILLED = 137;

testOnOwnDatabases("The next run completes a killed migration", async (settings) => {
  const runs = [await killWhileMigrating(settings, 100)];
  for (let milliseconds = 200; runs.at(-1)!.code === KILLED; milliseconds *= 1.5) {
    runs.push(await killWhileMigrating(settings, milliseconds));
  }
  const { code, output } = runs.at(-1)!;
  assertEquals([code, runs.length > 1], [0, true], `After ${runs.length} runs: ${output}`);
  await using server = await startServer(settings);
  let answered: unknown[] = [];
  await waitFor("a database that is not busy", async () => {
    const response = await fetch(`${server.url}/ready`);
    const { hint: _, database, ...checks } = await response.json();
    answered = [response.status, checks];
    return database === "ok";
  });
  assertEquals(answered, [200, { ready: true, migrations: "ok", roadmap: "ok" }]);
}, { isNew: true });

/** Kills a migration this long after its start; its exit code is 0 if it was faster. */
async function killWhileMigrating(
  settings: Record<string, string>,
  milliseconds: number,
): Promise<{ code: number; output: string }> {
  const migrating = runCommand(["migrate"], settings);
  const timer = setTimeout(() => migrating.kill("SIGKILL"), milliseconds);
  const code = await migrating.ended;
  clearTimeout(timer);
  return { code, output: migrating.output() };
}
