import { deepStrictEqual as assertEquals, match as assertMatch } from "node:assert/strict";
import { makeItem, startApp } from "../support/app.ts";
import { runCommand, runHere } from "../support/command.ts";
import { createScratchDatabase, TEST_DATABASE_URL } from "../support/databases.ts";
import { inDatabase } from "../support/fault_databases.ts";

const COUNT = 1_500;

/** A distinct snapshot: different items, or the same ones with different values. */
function makeSnapshot(name: string, first: number): Record<string, unknown>[] {
  return Array.from(
    { length: COUNT },
    (_, index) => makeItem(first + index, { product_name: name, feature_description: name }),
  );
}

const OVERTAKEN =
  'A later import of the source "default" has finished in the meantime: nothing of this one was stored';

/** Checks that all imports were stored, except for one that a later import may have overtaken. */
function checkStored(imports: readonly { code: number; err: string }[]): void {
  const outcomes = imports.map(({ code, err }) => [code, err]);
  const others = outcomes.filter(([code, err]) => code !== 0 || err !== "");
  assertEquals(others, others.slice(0, 1).map(() => [1, OVERTAKEN]));
}

Deno.test({
  name:
    "Concurrent imports of one source act like sequential ones, or say that they are too late " +
    "(PostgreSQL)",
  ignore: TEST_DATABASE_URL === null,
  async fn() {
    const { url, drop } = await createScratchDatabase();
    const settings = { DATABASE_URL: url };
    const folder = await Deno.makeTempDir();
    const importAll = (names: string[], ...words: string[]) =>
      Promise.all(
        names.map((name) => runCommand(["import", `${folder}/${name}.json`, ...words], settings)),
      );
    try {
      for (const [name, first] of [["one", 1], ["two", COUNT + 1], ["same", 1]] as const) {
        const snapshot = JSON.stringify(makeSnapshot(name, first));
        await Deno.writeTextFile(`${folder}/${name}.json`, snapshot);
      }
      assertEquals((await runHere(["migrate"], settings)).code, 0);

      const adding = await importAll(["one", "two"], "--partial");
      checkStored(adding);
      for (const [index, name] of ["one", "two"].entries()) {
        const late = adding[index]!.code !== 0;
        const stored = late ? (await importAll([name], "--partial"))[0]! : adding[index]!;
        assertEquals([stored.code, stored.err], [0, ""]);
        assertMatch(stored.out, /: 1500 added, 0 changed, 0 removed/);
      }
      assertEquals(await countItems(settings), { one: COUNT, two: COUNT, same: 0 });

      const changing = await importAll(["same", "one"], "--partial");
      checkStored(changing);
      const { one: left, same } = await countItems(settings);
      assertEquals([left, same].toSorted(), [0, COUNT]);

      const replacing = await importAll(["one", "two"], "--allow-mass-removal");
      checkStored(replacing);
      const counts = await countItems(settings);
      assertEquals([counts.one, counts.two].toSorted(), [0, COUNT]);

      const fighting = await importAll(["one", "two"]);
      assertEquals(fighting.map(({ code }) => code).toSorted(), [0, 1]);
      assertMatch(
        fighting.map(({ err }) => err).join(""),
        new RegExp(
          `^(?:The snapshot would remove 1500 of 1500 active items: nothing was stored|${OVERTAKEN}$)`,
        ),
      );
      assertEquals(await countItems(settings), counts);
    } finally {
      await Deno.remove(folder, { recursive: true });
      await drop();
    }
  },
});

/** How many active items each snapshot has. */
function countItems(settings: Record<string, string>) {
  return inDatabase(settings, async (database) => {
    await using app = await startApp(database);
    const count = async (name: string): Promise<number> =>
      (await app.json(`/api/releases?product_name=${name}`)).pagination.total_items;
    return { one: await count("one"), two: await count("two"), same: await count("same") };
  });
}
