import { deepStrictEqual as assertEquals, match as assertMatch } from "node:assert/strict";
import { runHere } from "../../support/command.ts";
import { readFabric, serveFabricRoadmap } from "../../support/subjects/fabric_roadmap.ts";
import { copyMigrated } from "../../support/databases.ts";

Deno.test("Commands show how many places of the Fabric roadmap were repaired", async () => {
  const DATA_DIR = await Deno.makeTempDir();
  await using server = await serveFabricRoadmap({ document: await readFabric("broken.txt") });
  try {
    await copyMigrated(DATA_DIR);
    const run = async (...words: string[]) => {
      const { code, out, err } = await runHere(words, { DATA_DIR });
      assertEquals(code, 0, err);
      return out.trim();
    };
    const words = ["import", "--source", "fabric", server.url];
    assertMatch(
      await run(...words, "--dry-run"),
      /read as fabric: 16 items.*16 would be added, .*, 6 places of its JSON repaired\.$/s,
    );
    assertMatch(await run(...words), /: 16 added, .*, 6 places of its JSON repaired in /);
    assertMatch(
      await run(...words),
      /: 0 added, .*16 unchanged(, 6 places of its JSON repaired)? in /,
    );
    assertMatch(await run("sources"), /16 unchanged, 6 places of its JSON repaired$/m);
    assertMatch(await run("imports"), /16 added, .*, 6 places of its JSON repaired$/s);
  } finally {
    await Deno.remove(DATA_DIR, { recursive: true });
  }
});
