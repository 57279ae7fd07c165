import { deepStrictEqual as assertEquals } from "node:assert/strict";
import fc from "fast-check";
import { importItems, makeItem, startApp, TODAY } from "../support/app.ts";
import { emptyDatabase } from "../support/databases.ts";
import { modelInsights, type ModelItem } from "../support/subjects/insights_model.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

/** Dates around the days of the imports: some share a quarter, some are far past or future. */
const DATES = [
  "2022-11-15",
  "2025-08-31",
  "2025-12-01",
  "2025-12-31",
  "2026-02-03",
  "2026-03-31",
  "2026-05-05",
].concat("2026-06-30", "2026-08-01", "2026-09-30", "2027-03-31");

const item = fc.record({
  number: fc.integer({ min: 1, max: 28 }),
  product_name: fc.constantFrom("Anvil", "Anvil", "bellows", "Crucible"),
  release_date: fc.option(fc.constantFrom(...DATES), { nil: null }),
  release_status: fc.constantFrom(
    "Planned",
    "Planned",
    "In beta",
    "Shipped",
    "Shipped",
    "Cancelled",
  ),
  release_type: fc.constantFrom("Public Preview", "General availability"),
});

/** Snapshots from the last two years, the latest of them in the current quarter. */
const snapshots = fc.tuple(
  fc.uniqueArray(fc.integer({ min: 4, max: 700 }), { minLength: 2, maxLength: 7 }),
  fc.array(
    fc.uniqueArray(item, { selector: ({ number }) => number, minLength: 18, maxLength: 28 }),
    { minLength: 8, maxLength: 8 },
  ),
).map(([daysAgo, states]) =>
  [...daysAgo.sort((a, b) => b - a), 3].map((ago, place) => ({
    asOf: new Date(Date.parse(TODAY) - ago * 86_400_000).toISOString().slice(0, 10),
    items: states[place]!.map(({ number, ...fields }) =>
      makeItem(number, { ...fields, last_modified: null }) as unknown as ModelItem
    ),
  }))
);

slowOnDatabases("Insights match a simple model, in both variants", async (database) => {
  const newSums = () => ({
    due: 0,
    delivered: 0,
    unwatched: 0,
    moved: 0,
    shipped: 0,
    previewed: 0,
  });
  const seen = { a: newSums(), b: newSums() };
  await fc.assert(
    fc.asyncProperty(snapshots, async (snapshots) => {
      await emptyDatabase(database);
      for (const { asOf, items } of snapshots) {
        await importItems(database, items, { asOf, allowMassRemoval: true });
      }
      await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
      for (const [variant, site] of [["a", ""], ["b", "/b"]] as const) {
        for (const product of [null, "Anvil", "bellows"]) {
          const query = product === null ? "" : `?product_name=${product}`;
          const told = await app.json(`${site}/api/insights${query}`);
          assertEquals(told, modelInsights(snapshots, { today: TODAY, variant, product }));
          const { due, in_time, late, not_watched } = told.promises;
          const sums = seen[variant];
          sums.due += due;
          sums.delivered += in_time + late;
          sums.unwatched += not_watched;
          sums.moved += told.moved.total;
          sums.shipped += told.shipped.total;
          sums.previewed += told.preview.finished + told.preview.current;
        }
      }
    }),
    { numRuns: runs(12, database) },
  );
  // Snapshots without any events would prove nothing.
  const sums = Object.values(seen).flatMap((sums) => Object.entries(sums));
  assertEquals(sums.filter(([, count]) => count < 5), []);
});
