import { deepStrictEqual as assertEquals } from "node:assert/strict";
import fc from "fast-check";
import type { Database } from "../../lib/database/database.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { emptyDatabase } from "../support/databases.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

interface Fields {
  feature_name: string;
  release_date: string | null;
  release_status: string;
  feature_description: string | null;
  blog_title: string | null;
}

interface Snapshot {
  /** Days of July 2026; not always in order. */
  asOf: number;
  partial: boolean;
  items: (Fields & { number: number; day: number | null; active: boolean })[];
}

const fields = {
  feature_name: fc.constantFrom("One", "Two"),
  release_date: fc.constantFrom(null, "2026-06-30", "2026-12-31"),
  release_status: fc.constantFrom("Planned", "Shipped"),
  feature_description: fc.constantFrom(null, "text", "other -> text"),
  blog_title: fc.constantFrom(null, "Blog"),
};

const snapshots = fc.array(
  fc.record({
    asOf: fc.integer({ min: 1, max: 20 }),
    partial: fc.boolean(),
    items: fc.uniqueArray(
      fc.record({
        number: fc.integer({ min: 1, max: 5 }),
        day: fc.option(fc.integer({ min: 1, max: 20 })),
        active: fc.constantFrom(true, true, true, false),
        ...fields,
      }),
      { selector: ({ number }) => number, maxLength: 5 },
    ),
  }),
  { minLength: 1, maxLength: 6 },
);

interface ModelItem {
  fields: Fields;
  lastModified: string;
  active: boolean;
  /** Oldest first, as variant A words them. */
  history: { day: string; run: number; words: string[] }[];
}

/** The words for a field, in the order in which one import's changes are told. */
const LABELS: readonly [keyof Fields, string][] = [
  ["feature_name", "Feature Name"],
  ["release_date", "Release Date"],
  ["release_status", "Release Status"],
  ["feature_description", "Feature Description"],
  ["blog_title", "Blog Title"],
];

/** The roadmap by the rules of the import, in memory. */
class Model {
  readonly items = new Map<number, ModelItem>();
  #runs = 0;

  take({ asOf, partial, items }: Snapshot): void {
    const run = ++this.#runs;
    const today = dayName(asOf);
    const present = items.filter(({ active }) => active);
    for (const { number, day, active: _, ...fields } of present) {
      // What a source dates later than the import counts for the day of the import.
      const own = day === null ? null : dayName(Math.min(day, asOf));
      this.#takeItem({ number, own, fields }, today, run);
    }
    if (partial) return;
    for (const [number, item] of this.items) {
      if (!item.active || present.some((other) => other.number === number)) continue;
      item.active = false;
      note(item, { day: max(item.lastModified, today), run, words: ["Removed from Roadmap"] });
    }
  }

  #takeItem(
    { number, own, fields }: { number: number; own: string | null; fields: Fields },
    today: string,
    run: number,
  ): void {
    const item = this.items.get(number);
    if (!item) {
      const day = own ?? today;
      const history = [{ day: today, run, words: ["Roadmap Item Added"] }];
      this.items.set(number, { fields, lastModified: day, active: true, history });
      return;
    }
    const words = LABELS.filter(([field]) => item.fields[field] !== fields[field]).map(
      ([field, label]) =>
        `${label} ${item.fields[field] ?? "(none)"} -> ${fields[field] ?? "(none)"}`,
    );
    if (!item.active) words.unshift("Restored to Roadmap");
    const hasMoved = own !== null && own > item.lastModified;
    item.fields = fields;
    item.active = true;
    if (words.length > 0) {
      note(item, { day: hasMoved ? own : max(item.lastModified, today), run, words });
    } else if (hasMoved) item.lastModified = own;
  }
}

function note(item: ModelItem, entry: ModelItem["history"][number]): void {
  item.history.push(entry);
  item.lastModified = entry.day;
}

const max = (day: string, other: string) => day > other ? day : other;
const dayName = (day: number) => `2026-07-${String(day).padStart(2, "0")}`;

slowOnDatabases("Any sequence of snapshots matches a simple model", async (database) => {
  await fc.assert(
    fc.asyncProperty(snapshots, async (snapshots) => {
      await emptyDatabase(database);
      const model = new Model();
      for (const snapshot of snapshots) {
        const { asOf, partial } = snapshot;
        const options = { asOf: dayName(asOf), partial, allowMassRemoval: true };
        const items = snapshot.items.map(({ number, day, ...fields }) =>
          makeItem(number, { ...fields, last_modified: day && dayName(day) })
        );
        model.take(snapshot);
        await importItems(database, items, options);
        const again = await importItems(database, items, options);
        assertEquals(again.added + again.changed + again.removed + again.restored, 0);
      }
      await compare(database, model);
    }),
    { numRuns: runs(12, database) },
  );
});

/** Compares what the service shows of every item with the model. */
async function compare(database: Database, { items }: Model): Promise<void> {
  await using app = await startApp(database);
  const { data } = await app.json("/api/releases?include_inactive=1");
  assertEquals(data.length, items.size);
  for (const [number, { fields, lastModified, active, history }] of items) {
    const id = makeItem(number).release_item_id;
    const item = data.find((item: { release_item_id: string }) => item.release_item_id === id);
    const expected = { ...makeItem(number, { ...fields }), last_modified: lastModified, active };
    const quarter = fields.release_date &&
      (fields.release_date < "2026-07" ? "Q2 2026" : "Q4 2026");
    assertEquals(item, { ...expected, release_date: quarter });
    const shown = await app.json(`/api/releases/history/${id}`);
    const told = history
      .toSorted((a, b) =>
        Number(a === history[0]) - Number(b === history[0]) || b.day.localeCompare(a.day) ||
        b.run - a.run
      )
      .flatMap(({ day, words }) =>
        words.map((changed_columns) => ({ changed_columns, last_modified: day }))
      );
    assertEquals(shown, told);
  }
}
