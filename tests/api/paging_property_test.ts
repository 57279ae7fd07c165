import { deepStrictEqual as assertEquals } from "node:assert/strict";
import fc from "fast-check";
import { makeItem, serve, type TestApp } from "../support/app.ts";
import { emptyDatabase } from "../support/databases.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

/** Few values of each, so that many items stand level but for their ids. */
const items = fc.uniqueArray(
  fc.record({
    number: fc.nat(500),
    day: fc.integer({ min: 1, max: 3 }),
    release_date: fc.constantFrom(null, "Q1 2026", "Q2 2026"),
    release_status: fc.constantFrom("Planned", "Shipped", "a & b?#=%+ü"),
    feature_name: fc.constantFrom("Éclair", "éclair 100%", "other"),
  }),
  { selector: ({ number }) => number, minLength: 1, maxLength: 60 },
).map((records) =>
  records.map(({ number, day, ...fields }) =>
    makeItem(number, { ...fields, last_modified: `2026-07-0${day}` })
  )
);

const query = fc.record({
  sort: fc.constantFrom("last_modified", "release_date"),
  page_size: fc.constantFrom("1", "2", "3", "7", "50", "200"),
  q: fc.constantFrom("", "ÉCLAIR", "%"),
  release_status: fc.constantFrom("", "Shipped", "a & b?#=%+ü"),
});

type Item = Record<string, string | null>;

slowOnDatabases("Walking links.next yields every item once, in order", async (database) => {
  await fc.assert(
    fc.asyncProperty(
      items,
      fc.array(query, { minLength: 1, maxLength: 4 }),
      async (items, queries) => {
        await emptyDatabase(database);
        await using app = await serve(database, items);
        for (const query of queries) {
          const expected = expect(items as Item[], query);
          assertEquals(await walk(app, query, "next"), expected);
          assertEquals((await walk(app, query, "prev")).toReversed(), expected);
        }
      },
    ),
    { numRuns: runs(10, database) },
  );
});

/** The ids that a query finds, in order, worked out by plain comparison. */
function expect(
  items: Item[],
  { sort, q, release_status }: { sort: string; q: string; release_status: string },
): unknown[] {
  const days: Record<string, string> = { "Q1 2026": "2026-03-31", "Q2 2026": "2026-06-30" };
  const keyOf = (item: Item) => {
    const date = days[item.release_date ?? ""] ?? "0000-00-00";
    const first = sort === "release_date" ? [date, item.last_modified] : [item.last_modified, date];
    return [...first, item.release_item_id].join(" ");
  };
  return items
    .filter((item) => release_status === "" || item.release_status === release_status)
    .filter((item) => q !== "ÉCLAIR" || item.feature_name !== "other")
    .filter((item) => q !== "%" || item.feature_name === "éclair 100%")
    .toSorted((a, b) => keyOf(a) < keyOf(b) ? 1 : -1)
    .map((item) => item.release_item_id);
}

/** Follows the links from the first page on, or from the last one back. */
async function walk(
  app: TestApp,
  query: Record<string, string>,
  direction: "next" | "prev",
): Promise<unknown[]> {
  let path: string | null = `/api/releases?${new URLSearchParams(query)}`;
  if (direction === "prev") path = (await app.json(path)).links.last;
  const ids: unknown[] = [];
  let total = 0;
  while (path !== null) {
    const { data, pagination, links } = await app.json(path);
    const page = data.map((item: Item) => item.release_item_id);
    ids.push(...direction === "next" ? page : page.toReversed());
    assertEquals(pagination.has_next, links.next !== null);
    assertEquals(pagination.has_prev, links.prev !== null);
    total = pagination.total_items;
    path = links[direction];
  }
  assertEquals(ids.length, total);
  return ids;
}
