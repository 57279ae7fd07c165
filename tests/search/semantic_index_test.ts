import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { raiseDataVersion } from "../../lib/database/data_version.ts";
import { queryOne } from "../../lib/database/database.ts";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { openPostgres } from "../../lib/database/postgres/postgres.ts";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, startApp, type TestApp } from "../support/app.ts";
import { createScratchDatabase, TEST_DATABASE_URL } from "../support/databases.ts";
import { startEmbeddingServer } from "../support/servers/embedding_server.ts";
import { embedAll, settingsFor, watchComparisons } from "../support/subjects/semantic.ts";
import { waitFor } from "../support/wait_for.ts";

const COUNT = 20_200;

/** A point for each number, as if at random: about half of all points are far from it. */
function embedNumber(text: string): number[] {
  const number = Number(/\d+/.exec(text)![0]);
  return [1, 2, 3, 4].map((axis) => Math.sin(number * 12.9898 + axis * 78.233) * 43_758 % 1);
}

/** The numbers whose points are nearest to that of a number. */
function findNearest(number: number, count: number): Set<number> {
  const own = embedNumber(String(number));
  const similarity = (other: number) => {
    const point = embedNumber(String(other));
    return point.reduce((sum, value, axis) => sum + value * own[axis]!, 0) / Math.hypot(...point);
  };
  const all = Array.from({ length: COUNT }, (_, other) => [other, similarity(other)] as const);
  return new Set(all.sort(([, a], [, b]) => b - a).slice(0, count).map(([other]) => other));
}

/** The version of the data that a process knows of. */
async function readVersionOf(app: TestApp): Promise<number> {
  const metrics = await (await app.fetch("/metrics")).text();
  return Number(/^roadcast_data_version (\d+)$/m.exec(metrics)![1]);
}

Deno.test({
  name: "Above 20,000 texts an index is used, and pages neither repeat nor skip",
  ignore: TEST_DATABASE_URL === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const scratch = await createScratchDatabase();
    const database = await openPostgres(scratch.url);
    try {
      await migrate(database, await readMigrations());
      await using server = startEmbeddingServer(embedNumber);
      const settings = settingsFor(server, { EMBEDDING_DIMENSIONS: "4" });
      await importItems(
        database,
        Array.from(
          { length: COUNT },
          (_, number) =>
            makeItem(number, { release_type: number % 100 === 0 ? "Preview" : "Beta" }),
        ),
      );
      assertEquals(await embedAll(database, settings), { embedded: COUNT, refused: 0 });
      const { is_indexed } = await queryOne<{ is_indexed: boolean }>(
        database,
        sql`select to_regclass('embeddings_1_nearest') is not null as is_indexed`,
      );
      assert(is_indexed);
      const watched = watchComparisons(database);
      await using app = await startApp(watched, settings);

      for (const view of ["", "&view=board", "&view=timeline"]) {
        const words = `far${view.slice(6)}12000`;
        const response = await app.fetch(`/?q=${encodeURIComponent(words)}${view}`);
        assert((await response.text()).includes("by meaning"));
        assertEquals([view, watched.takeComparisons()], [view, 1]);
      }

      // More questions at once than there are connections: first new ones, then with known vectors.
      for (const size of [10, 20]) {
        const together = await Promise.all(
          Array.from(
            { length: 20 },
            (_, n) => app.json(`/api/releases?q=near${n * 1_000}&page_size=${size}`),
          ),
        );
        assertEquals(
          together.map(({ data, pagination }) => [data.length, pagination.total_items]),
          Array(20).fill([size, 1_000]),
        );
        const before = await readVersionOf(app);
        await raiseDataVersion(database);
        await waitFor("the new version", async () => await readVersionOf(app) > before);
      }

      const numbers: number[] = [];
      let next = "/api/releases?q=near5000&page_size=50";
      while (next) {
        const { data, pagination, links } = await app.json(next);
        assertEquals([data.length, pagination.total_items], [50, 1_000]);
        numbers.push(
          ...data.map((item: { feature_name: string }) =>
            Number(item.feature_name.slice("Feature ".length))
          ),
        );
        next = links.next;
      }
      assertEquals(new Set(numbers).size, 1_000);
      assertEquals(numbers[0], 5_000);
      const missed = findNearest(5_000, 1_000).difference(new Set(numbers)).size;
      assert(missed < 20, `The nearest are found, but for ${missed}`);

      const filtered = await app.json("/api/releases?q=near5000&release_type=Preview");
      assertEquals(filtered.data.length, 50);
      assertEquals(filtered.data[0].feature_name, "Feature 5000");
      const sorted = await app.json("/api/releases?q=near5000&sort=last_modified&page_size=1");
      assertEquals(sorted.pagination.total_items, 1_000);
    } finally {
      await database.close();
      await scratch.drop();
    }
  },
});
