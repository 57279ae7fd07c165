import { deepStrictEqual as assertEquals, ok } from "node:assert/strict";
import fc from "fast-check";
import { importItems, makeItem, serve, startApp, TODAY } from "../support/app.ts";
import { emptyDatabase, testOnDatabases } from "../support/databases.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

const item = fc.record({
  number: fc.integer({ min: 1, max: 6 }),
  feature_name: fc.constantFrom("One", "Élan", "Two"),
  release_date: fc.constantFrom(null, "2026-06-30", "2026-12-31"),
  release_type: fc.constantFrom("Preview", "General availability"),
  release_status: fc.constantFrom("Planned", "In development", "Shipped", "Cancelled"),
  product_id: fc.constantFrom(null, "22222222-2222-4222-8222-222222222222"),
  product_name: fc.constantFrom("Fabric", "Purview"),
  feature_description: fc.constantFrom(null, "", "text", "other -> Text"),
  blog_title: fc.constantFrom(null, "Blog"),
  blog_url: fc.constantFrom(null, "https://example.com/"),
  // A source touches what it has not changed, also on a day between two imports.
  last_modified: fc.constantFrom(null, "2026-06-15", "2026-07-02", "2026-07-04"),
});

const imports = fc.array(
  fc.record({
    days: fc.integer({ min: 0, max: 2 }),
    partial: fc.boolean(),
    items: fc.uniqueArray(item, { selector: ({ number }) => number, maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 6 },
);

/** Reads that say everything of a roadmap, in all orders. */
const READS = [
  "/api/releases?include_inactive=true",
  "/api/releases?sort=release_date&order=asc&page_size=2&page=2",
  "/api/releases?q=%C3%A9lan",
  "/api/releases?q=text&release_status=Shipped&release_status=Planned&include_inactive=1",
  "/api/releases?release_date_from=2026-07-01&product_name=Fabric",
  "/api/releases?modified_within_days=2",
  "/api/filter-options?",
  "/api/filter-options?include_inactive=true",
  "/b/api/releases?",
  "/b/api/filter-options?release_type=Preview",
  "/search.json?q=text",
  "/search.json?view=board",
  "/search.json?view=board&group=status&product_name=Purview",
];

/** Links name the day, and marks go by all the words that are known now. */
function comparable({ links: _, marks: __, ...answer }: Record<string, unknown>): unknown {
  return answer;
}

slowOnDatabases("as_of shows the roadmap after the last import of that day", async (database) => {
  await fc.assert(
    fc.asyncProperty(imports, async (history) => {
      await emptyDatabase(database);
      const known = new Map<string, Record<string, unknown>[]>();
      let day = 1;
      for (const { days, partial, items } of history) {
        day += days;
        const asOf = `2026-07-${String(day).padStart(2, "0")}`;
        await importItems(database, items.map(toItem), { asOf, partial, allowMassRemoval: true });
        await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
        // Variant B answers from its cache for a day.
        await database.script("delete from cached_responses");
        app.setClock(`${asOf}T12:00:00Z`);
        known.set(asOf, await Promise.all(READS.map((read) => app.json(read))));
      }
      await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
      for (const [asOf, answers] of known) {
        for (const [place, read] of READS.entries()) {
          const answer = await app.json(`${read}&as_of=${asOf}`);
          assertEquals(comparable(answer), comparable(answers[place]!), `${read} as of ${asOf}`);
        }
      }
    }),
    { numRuns: runs(6, database) },
  );
});

function toItem({ number, ...fields }: { number: number }) {
  return makeItem(number, fields);
}

testOnDatabases(
  "A future as_of is today, and one before the first import is empty",
  async (database) => {
    await importItems(database, [makeItem(1)], { asOf: "2026-07-02" });
    await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
    const now = await app.json("/api/releases");
    for (const day of [TODAY, "2026-07-21", "9999-12-31"]) {
      assertEquals(await app.json(`/api/releases?as_of=${day}`), now, day);
    }
    for (const day of ["2026-07-01", "0001-01-01"]) {
      const { data, pagination } = await app.json(`/api/releases?as_of=${day}`);
      assertEquals([data, pagination.total_items], [[], 0]);
      assertEquals((await app.json(`/api/filter-options?as_of=${day}`)).product_names, []);
      for (const path of ["/", "/b/", "/?view=board"]) {
        const page = await (await app.fetch(`${path}${path.includes("?") ? "&" : "?"}as_of=${day}`))
          .text();
        ok(page.includes("the first import is as of 2 Jul 2026"), path);
      }
    }
  },
);

testOnDatabases("A malformed day is refused, saying what is right", async (database) => {
  await using app = await startApp(database);
  for (const path of ["/api/releases", "/api/filter-options", "/search.json", "/"]) {
    for (const day of ["yesterday", "2026-02-30", "2026-7-1", "12026-01-01", "2026-07-01T00:00"]) {
      const response = await app.fetch(`${path}?as_of=${day}`);
      assertEquals(response.status, 400, `${path} ${day}`);
      const says = path === "/" ? "Use" : "as_of must be";
      ok((await response.text()).includes(`${says} a date such as 2026-01-31`), path);
    }
  }
});

testOnDatabases("Pages as of a day say so, and their links preserve it", async (database) => {
  const items = Array.from({ length: 60 }, (_, place) => makeItem(place + 1));
  await importItems(database, items, { asOf: "2026-06-02" });
  await using app = await serve(
    database,
    items.map((one) => ({ ...one, release_status: "Shipped" })),
  );
  const read = async (path: string) => await (await app.fetch(path)).text();
  const page = await read("/?as_of=2026-06-02&product_name=Product&include_inactive=true");
  ok(page.includes("The roadmap as of 2 Jun 2026"));
  ok(page.includes('<input type="hidden" name="as_of" value="2026-06-02"'));
  ok(page.includes('href="/?product_name=Product&amp;include_inactive=true">Back to today'));
  ok(!page.includes("props-Search"), "the page is static");
  const main = page.slice(page.indexOf('class="search-page"'), page.indexOf("</main>"));
  const links = [...main.matchAll(/href="(\/\?[^"]*)"/g)].map(([, href]) => href!);
  ok(links.length > 5);
  assertEquals(links.filter((href) => !href.includes("as_of=2026-06-02")), []);
  const { links: pages } = await app.json("/api/releases?as_of=2026-06-02&page_size=50");
  assertEquals(pages.next, "/api/releases?as_of=2026-06-02&page=2&page_size=50");
  assertEquals((await app.json(pages.next)).data[0].release_status, "Planned");
});
