import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { runHere } from "../../support/command.ts";
import { copyMigrated } from "../../support/databases.ts";

Deno.test("Tokens are added, listed and removed by the command", async () => {
  const folder = await Deno.makeTempDir();
  await copyMigrated(folder);
  const run = (...words: string[]) => runHere(["tokens", ...words], { DATA_DIR: folder });
  try {
    assertEquals((await run("list")).out, "There are no tokens");
    const added = await run("add", "build", "--source", "plans", "--source", "more");
    match(added.out, /^The token, which is not shown again:\nroadcast_import_[\w-]{43}$/);
    assertEquals((await run("list")).out, "build: plans, more; last used: never");
    const twice = await run("add", "build", "--source", "plans");
    assertEquals([twice.code, twice.err], [1, 'There is a token "build" already']);
    const bare = await run("add", "other");
    assertEquals([bare.code, bare.err], [1, "Name the sources that the token may import"]);
    for (
      const words of [["show"], ["add"], ["list", "x"], ["remove", "build", "--source", "plans"]]
    ) {
      const { code, err } = await run(...words);
      assertEquals([words, code, / Usage: deno task tokens /.test(err)], [words, 2, true]);
    }
    assertEquals((await run("remove", "build")).out, "Removed the token build");
    assertEquals((await run("remove", "build")).code, 2);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
