import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import fc from "fast-check";
import { CHANGE_KINDS } from "../../lib/roadmap/changes/kinds.ts";
import type { StatusTone } from "../../lib/roadmap/status_tone.ts";
import { importItems, makeItem, startApp, type TestApp } from "../support/app.ts";
import { emptyDatabase, testOnDatabases } from "../support/databases.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

type Fields = Record<string, unknown>;

const STATUSES = ["Planned", "In development", "Launched", "Cancelled", "Considered"];

/** Each step changes a release from the first to the second; kinds of both variants. */
const STEPS: [name: string, before: Fields, after: Fields, a: string[], b?: string[]][] = [
  ["ships", {}, { release_status: "Launched" }, ["shipped"]],
  ["ships and moves", {}, { release_status: "Launched", release_date: "Q4 2026" }, ["shipped"]],
  ["is cancelled", {}, { release_status: "Cancelled" }, ["cancelled"]],
  ["starts and slips", {}, { release_status: "In development", release_date: "Q1 2027" }, [
    "slipped",
    "started",
  ]],
  ["moves up", {}, { release_date: "Q2 2026" }, ["earlier"]],
  ["slips within its quarter", { release_date: "2026-07-31" }, {}, ["edited"], ["slipped"]],
  ["gets a date", { release_date: null }, {}, ["dated"]],
  ["loses its date", {}, { release_date: null }, ["undated"]],
  ["is taken back", { release_status: "Launched" }, {}, ["taken_back"]],
  ["is taken back from work", { release_status: "Rolling out" }, {}, ["taken_back"]],
  ["is back from the dead", { release_status: "Cancelled" }, {}, ["taken_back"]],
  ["changes its status within a tone", {}, { release_status: "Considered" }, ["edited"]],
  ["is renamed", {}, { feature_name: "Another name" }, ["edited"]],
  ["has shipped and its date is corrected", { release_status: "Launched" }, {
    release_status: "Launched",
    release_date: "Q4 2026",
  }, ["edited"]],
];

testOnDatabases("Each change has the kinds that it means", async (database) => {
  const items = (place: 1 | 2) => STEPS.map((step, number) => makeItem(number + 1, step[place]));
  await importItems(database, items(1));
  await importItems(database, items(2), { asOf: "2026-07-21" });
  await importItems(database, items(2).slice(1), { asOf: "2026-07-22" });
  await importItems(database, items(2), { asOf: "2026-07-23" });
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  for (const [site, place] of [["", 3], ["/b", 4]] as const) {
    const entries = await readEntries(app, site);
    const added = entries.slice(0, STEPS.length);
    assert(added.every(({ kinds }) => kinds.join() === "added"));
    const told = new Map(
      entries.slice(STEPS.length, 2 * STEPS.length).map((
        { release_item_id, kinds },
      ) => [release_item_id, kinds]),
    );
    for (const [number, step] of STEPS.entries()) {
      const id = String(makeItem(number + 1).release_item_id);
      assertEquals([step[0], told.get(id)], [step[0], step[place] ?? step[3]]);
    }
    assertEquals(entries.slice(2 * STEPS.length).map(({ kinds }) => kinds), [["removed"], [
      "restored",
    ]]);
  }
});

testOnDatabases("Changes can be requested by kind", async (database) => {
  await importItems(database, [makeItem(1), makeItem(2), makeItem(3)]);
  await importItems(database, [
    makeItem(1, { release_status: "Launched" }),
    makeItem(2, { release_date: "Q1 2027" }),
    makeItem(3, { feature_name: "Another" }),
  ], { asOf: "2026-07-21" });
  await using app = await startApp(database);
  const asked = await app.json("/api/changes?kind=slipped&kind=shipped");
  assertEquals(asked.data.map(({ kinds }: Entry) => kinds), [["shipped"], ["slipped"]]);
  const { data, next_after } = await app.json("/api/changes?kind=added&limit=2");
  assertEquals(data.length, 2);
  const rest = await app.json(`/api/changes?kind=added&after=${next_after}`);
  assertEquals(rest.data.length, 1);
  const refused = await app.fetch("/api/changes?kind=slipped&kind=late");
  assertEquals(refused.status, 400);
  match(
    (await refused.json()).detail,
    /^kind must be one of shipped, cancelled, removed, slipped,/,
  );
});

testOnDatabases("A mapping says how far along a status is", async (database) => {
  const mapping = (tone: StatusTone) => ({
    release_status: { from: "release_status", tones: { "live in eu": tone } },
  });
  const live = makeItem(1, { release_status: "Live in EU" });
  await importItems(database, [makeItem(1), makeItem(2, { release_status: "Waved 2" })], {
    fields: mapping("in_progress"),
  });
  await importItems(database, [live, makeItem(2, { release_status: "Waved 2" })], {
    fields: mapping("in_progress"),
    asOf: "2026-07-21",
  });
  await using app = await startApp(database);
  const kinds = async () => (await readEntries(app)).map(({ kinds }) => kinds.join());
  assertEquals(await kinds(), ["added", "added", "started"]);
  const tone = async () => {
    const { items } = await app.json("/search.json");
    return items.map(({ tone }: { tone: string }) => tone);
  };
  assertEquals(await tone(), ["in_progress", "planned"]);
  // What another mapping says holds at once, and is no change.
  await importItems(database, [live, makeItem(2, { release_status: "Waved 2" })], {
    fields: mapping("shipped"),
    asOf: "2026-07-22",
  });
  assertEquals(await kinds(), ["added", "added", "started"]);
  app.setClock("2026-07-22T12:00:05Z");
  // In a quarter, what is closed comes last.
  assertEquals(await tone(), ["planned", "shipped"]);
});

/** A snapshot of few items, so that they come, change, go and come back. */
const snapshot = fc.uniqueArray(
  fc.record({
    number: fc.integer({ min: 1, max: 4 }),
    release_status: fc.constantFrom(...STATUSES),
    release_date: fc.constantFrom(null, "2026-08-01", "2026-09-30", "2027-01-31"),
    blog_title: fc.constantFrom(null, "Post"),
  }),
  { selector: ({ number }) => number, maxLength: 4 },
);

slowOnDatabases(
  "Every change has a kind, and a shipped release is never just edited",
  async (database) => {
    await fc.assert(
      fc.asyncProperty(fc.array(snapshot, { minLength: 2, maxLength: 5 }), async (snapshots) => {
        await emptyDatabase(database);
        for (const items of snapshots) {
          await importItems(
            database,
            items.map(({ number, ...fields }) => makeItem(number, fields)),
            { allowMassRemoval: true },
          );
        }
        await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
        for (const site of ["", "/b"]) {
          for (const { kinds, fields } of await readEntries(app, site)) {
            assert(kinds.length > 0);
            assertEquals(kinds, CHANGE_KINDS.filter((kind) => kinds.includes(kind)));
            const status = fields.find(({ field }) => field === "release_status");
            assertEquals(
              kinds.includes("shipped"),
              status?.new === "Launched" && status.old !== "Launched",
            );
            if (kinds.includes("shipped")) assertEquals(kinds[0], "shipped");
          }
        }
      }),
      { numRuns: runs(15, database) },
    );
  },
);

testOnDatabases("Pages name changes by their kinds", async (database) => {
  await importItems(database, [makeItem(1)]);
  await importItems(database, [makeItem(1, { release_status: "Launched" })], {
    asOf: "2026-07-20",
  });
  await using app = await startApp(database);
  for (const path of ["/changelog", `/release/${makeItem(1).release_item_id}`]) {
    const html = await (await app.fetch(path)).text();
    match(html, /<span class="badge kind-shipped">Shipped<\/span>/);
  }
});

interface Entry {
  release_item_id: string;
  kinds: string[];
  fields: { field: string; old: string | null; new: string | null }[];
}

async function readEntries(app: TestApp, site = ""): Promise<Entry[]> {
  return (await app.json(`${site}/api/changes?limit=1000`)).data;
}
