import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import project from "../../../deno.json" with { type: "json" };
import { startApp } from "../../support/app.ts";
import { runHere, runTask } from "../../support/command.ts";
import { testOnDatabases } from "../../support/databases.ts";

const { version } = project;

Deno.test("--version only prints the version, for every command and any settings", async () => {
  const wrong = { PORT: "wrong" };
  const told = await runHere(["--version"], wrong);
  const git = await new Deno.Command("git", { args: ["rev-parse", "HEAD"] }).output();
  // A worktree, or a folder without git, has no known commit.
  const commit = new TextDecoder().decode(git.stdout).slice(0, 7);
  assert([`Roadcast ${version} (${commit})`, `Roadcast ${version}`].includes(told.out));
  assertEquals({ code: told.code, err: told.err }, { code: 0, err: "" });
  for (const words of [["--version"], ["serve", "--version"], ["import", "x", "--version"]]) {
    assertEquals(await runHere(words, wrong), told);
  }
  assertEquals(await runTask(["start", "--version"], wrong), told);
  match((await runHere(["search", "--", "--version"], {})).err, /^Set OPENAI_API_KEY/);
});

Deno.test("The changelog begins with this version", async () => {
  const text = await Deno.readTextFile(new URL("../../../CHANGELOG.md", import.meta.url));
  assertEquals(/^## ([^\s]+)/m.exec(text)?.[1], version);
});

testOnDatabases("Health, pages and the API's description show the version", async (database) => {
  await using app = await startApp(database);
  assertEquals((await app.json("/health")).version, version);
  assertEquals((await app.json("/openapi.json")).info.version, version);
  const metrics = await (await app.fetch("/metrics")).text();
  assertEquals(/^roadcast_build_info\{version="(.*)"\} 1$/m.exec(metrics)?.[1], version);
  const start = Number(/^process_start_time_seconds (\d+)$/m.exec(metrics)?.[1]);
  assert(start > Date.now() / 1000 - 86_400 && start <= Date.now() / 1000 + 1);
  const page = await (await app.fetch("/changelog")).text();
  match(page.split("<footer")[1]!, new RegExp(`Roadcast ${version.replaceAll(".", "\\.")}<`));
});
