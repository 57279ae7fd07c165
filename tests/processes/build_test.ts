import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { runTask } from "../support/command.ts";
import { copyStarted } from "../support/databases.ts";
import { copyProject } from "../support/project_copy.ts";
import { startServerByTask } from "../support/server.ts";

const BUILT = "dist/scripts.json";
const DONE =
  "Built 10 scripts: Search, TryApi, admin, copy, embed, frame, in_place, last_visit, preferences, unread";
const NOTHING_TO_DO = "";

/** The script of the list on a page. */
function scriptOf(page: string): string {
  return /<script type="module" src="([^"]+\/Search-[^"]+)"/.exec(page)![1]!;
}

Deno.test("Four concurrent builds produce one complete build", async () => {
  await using project = await copyProject();
  const endings = await Promise.all(
    [1, 2, 3, 4].map(() => runTask(["build"], {}, project.url)),
  );
  for (const { code, out, err } of endings) {
    assertEquals([code, err], [0, ""]);
    assert([DONE, NOTHING_TO_DO].includes(out), out);
  }
  assertEquals([...Deno.readDirSync(new URL("dist", project.url))].map(({ name }) => name), [
    "scripts.json",
  ]);
  assertEquals((await runTask(["build"], {}, project.url)).out, NOTHING_TO_DO);
});

Deno.test("A start builds only after a change, and a running server is unaffected", async () => {
  await using project = await copyProject();
  const built = new URL(BUILT, project.url);
  const folder = await Deno.makeTempDir();
  const settings = { DATA_DIR: folder };
  await copyStarted(folder);
  const build = () => runTask(["build"], {}, project.url);
  {
    await using server = await startServerByTask(settings, project.url);
    match(server.output(), new RegExp(`^${DONE}$`, "m"));
    const script = new URL(scriptOf(await (await fetch(server.url)).text()), server.url);
    const source = await (await fetch(script)).text();

    const island = new URL("islands/Search.tsx", project.url);
    const text = await Deno.readTextFile(island);
    await Deno.writeTextFile(island, `${text}\nconsole.log("changed");\n`);
    assertEquals((await build()).out, DONE);
    assertEquals(await (await fetch(script)).text(), source);

    await Deno.writeTextFile(island, `${text}\nconst wrong = ;\n`);
    const before = await Deno.readTextFile(built);
    const failed = await build();
    assertEquals([failed.code, failed.out], [1, ""]);
    match(failed.err, /^SyntaxError: Expression expected/);
    assertEquals(await Deno.readTextFile(built), before);
    await Deno.writeTextFile(island, `${text}\nconsole.log("changed");\n`);

    server.kill("SIGTERM");
    assertEquals(await server.ended, 0);
  }
  const { mtime } = await Deno.stat(built);
  await using server = await startServerByTask(settings, project.url);
  match(server.output(), new RegExp(`^${NOTHING_TO_DO}$`, "m"));
  assertEquals((await Deno.stat(built)).mtime, mtime);
  const script = new URL(scriptOf(await (await fetch(server.url)).text()), server.url);
  match(await (await fetch(script)).text(), /console\.log\("changed"\)/);
  server.kill("SIGTERM");
  assertEquals(await server.ended, 0);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("A change to island imports, packages or settings triggers a build", async () => {
  await using project = await copyProject();
  const build = async () => (await runTask(["build"], {}, project.url)).out;
  assertEquals(await build(), DONE);
  const inputs = ["components/hydrate_island.ts", "lib/text/dates.ts", "tools/build.ts"];
  for (const input of inputs) {
    const file = new URL(input, project.url);
    await Deno.writeTextFile(file, `${await Deno.readTextFile(file)}\n// Changed\n`);
    assertEquals([input, await build()], [input, DONE]);
    assertEquals([input, await build()], [input, NOTHING_TO_DO]);
  }
  const built = new URL(BUILT, project.url);
  await Deno.writeTextFile(built, "{");
  assertEquals(await build(), DONE);

  const ofAnother = { ...JSON.parse(await Deno.readTextFile(built)), version: "0.1.0" };
  await Deno.writeTextFile(built, JSON.stringify(ofAnother));
  const folder = await Deno.makeTempDir();
  const { code, err } = await runTask(["start"], { DATA_DIR: folder }, project.url);
  const reason =
    "Cannot use dist/scripts.json: another version has built it. Run `deno task build`";
  assertEquals([code, err.trim().split("\n").at(-1)], [1, reason]);
  await Deno.remove(folder, { recursive: true });
});
