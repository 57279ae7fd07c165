import { deepStrictEqual as assertEquals } from "node:assert/strict";
import type { ItemFilter } from "../../lib/roadmap/filter/filter.ts";
import type { ItemOrder } from "../../lib/roadmap/items_sql.ts";
import { Selections } from "../../lib/roadmap/selections.ts";
import { searchWords } from "../../lib/roadmap/words/search_words.ts";
import { importItems, makeItem } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { slowOnDatabases } from "../support/slow.ts";

const MEMORY = { selections: 1_000_000, searchTexts: 1_000_000 };

const ORDERS: readonly [ItemOrder, ItemFilter["match"]][] = [
  [{ sort: "last_modified", order: "desc" }, undefined],
  [{ sort: "release_date", order: "asc" }, undefined],
  [{ sort: "release_date", order: "asc" }, "words"],
  [{ sort: "relevance", order: "desc" }, "words"],
];

testOnDatabases(
  "A search in steps has the same first matches as a complete one",
  async (database) => {
    const items = Array.from({ length: 300 }, (_, number) =>
      makeItem(number + 1, {
        feature_name: number % 3 === 0 ? `Frequent ${number}` : `Other ${number}`,
        product_name: number % 2 === 0 ? "Maps" : "Mail",
        feature_description: number % 97 === 0 ? "rare" : null,
        last_modified: `2026-07-${String(number % 19 + 1).padStart(2, "0")}`,
      }));
    await importItems(database, items);
    const inSteps = new Selections(database, { current: 1 }, MEMORY, 10);
    const atOnce = new Selections(database, { current: 1 }, MEMORY, Infinity);
    for (const q of ["frequent", "other", "rare", "nothing", "rare frequent 3"]) {
      for (const [order, match] of ORDERS) {
        for (const product_name of [undefined, ["Maps"]]) {
          const asked: ItemFilter = { q, match, product_name, include_inactive: false };
          const { filter } = await searchWords(asked, database);
          const all = await atOnce.select(filter, order);
          for (const end of [10, 50, 60]) {
            const first = await inSteps.select(filter, order, { end });
            assertEquals(first.count, all.count, `${q} ${order.sort}`);
            assertEquals(first.slice(0, end), all.slice(0, end), `${q} ${order.sort}`);
          }
        }
      }
    }
  },
);

slowOnDatabases("Long texts do not change what is found first", async (database) => {
  const items = Array.from({ length: 80 }, (_, number) =>
    makeItem(number + 1, {
      feature_name: number % 8 === 0 ? "Other" : "Frequent",
      feature_description: "long ".repeat(8_000),
    }));
  await importItems(database, items);
  const inSteps = new Selections(database, { current: 1 }, MEMORY, 10);
  const atOnce = new Selections(database, { current: 1 }, MEMORY, Infinity);
  const filter: ItemFilter = { q: "frequent", include_inactive: false };
  const all = await atOnce.select(filter);
  const first = await inSteps.select(filter, undefined, { end: 50 });
  assertEquals([first.count, all.count], [70, 70]);
  assertEquals(first.slice(0, 50), all.slice(0, 50));
});
