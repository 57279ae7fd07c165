import { deepStrictEqual as assertEquals } from "node:assert/strict";
import fc from "fast-check";
import { importItems, makeItem, startApp, type TestApp } from "../support/app.ts";
import { emptyDatabase } from "../support/databases.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

type Fields = { release_status: string; release_date: string | null; blog_title: string | null };

/** A snapshot of few items, so that they come, change, go and come back. */
const snapshot = fc.uniqueArray(
  fc.record({
    number: fc.integer({ min: 1, max: 5 }),
    release_status: fc.constantFrom("Planned", "Shipped"),
    release_date: fc.constantFrom(null, "2026-08-01", "2026-09-30"),
    blog_title: fc.constantFrom(null, "Post"),
  }),
  { selector: ({ number }) => number, maxLength: 5 },
);

/** Imports, and between them requests of clients that follow. */
const steps = fc.array(
  fc.oneof(
    snapshot.map((items) => ({ items })),
    fc.record({ client: fc.nat(2), requests: fc.integer({ min: 1, max: 3 }) }),
  ),
  { minLength: 4, maxLength: 14 },
);

interface Entry {
  cursor: string;
  release_item_id: string;
  release: unknown;
}

/** A client with a copy; it writes down all that it is told. */
class Follower {
  after = "";
  readonly told: Entry[] = [];
  readonly copy = new Map<string, unknown>();

  constructor(private readonly parameters: string) {}

  /** Asks once, and tells whether there is more. */
  async ask(app: TestApp): Promise<boolean> {
    const path = `/api/changes?${this.parameters}&after=${this.after}`;
    const { data, next_after, has_more } = await app.json(path);
    for (const entry of data as Entry[]) {
      this.told.push(entry);
      this.copy.set(entry.release_item_id, entry.release);
    }
    this.after = next_after;
    return has_more;
  }
}

for (const variant of ["a", "b"]) {
  slowOnDatabases(
    `Whatever is imported in between, variant ${variant} skips nothing and repeats nothing`,
    async (database) => {
      await fc.assert(
        fc.asyncProperty(steps, async (steps) => {
          await emptyDatabase(database);
          await using app = await startApp(database, { ROADMAP_VARIANT: variant });
          // With `wait` no answer comes from a cache; that it waits is another test.
          app.stopWaiting();
          const followers = ["limit=1", "limit=2", "limit=1000"].map((limit) =>
            new Follower(`${limit}&wait=1`)
          );
          for (const step of steps) {
            if ("items" in step) {
              const items = step.items.map(({ number, ...fields }: Fields & { number: number }) =>
                makeItem(number, { ...fields, last_modified: null })
              );
              await importItems(database, items, { allowMassRemoval: true });
              continue;
            }
            const follower = followers[step.client]!;
            const end = await newest(app);
            for (let count = 0; count < step.requests && follower.after !== end; count++) {
              await follower.ask(app);
            }
          }
          const whole = new Follower("limit=1000&wait=1");
          whole.after = "";
          app.stopWaiting();
          while (await whole.ask(app));
          const cursors = whole.told.map(({ cursor }) => cursor);
          assertEquals(new Set(cursors).size, cursors.length);
          for (const follower of followers) {
            while (await follower.ask(app));
            assertEquals(follower.told.map(({ cursor }) => cursor), cursors);
            assertEquals(follower.copy, whole.copy);
          }
          const path = variant === "a" ? "/api/releases?include_inactive=1" : "/api/releases";
          const { data } = await app.json(path) as { data: Entry[] };
          const copied = [...whole.copy.values()].filter((release) => release !== null) as Entry[];
          const byId = (a: Entry, b: Entry) => a.release_item_id < b.release_item_id ? -1 : 1;
          assertEquals(copied.sort(byId), data.sort(byId));
        }),
        { numRuns: runs(10, database) },
      );
    },
  );
}

/** The cursor behind all that is stored. */
async function newest(app: TestApp): Promise<string> {
  const follower = new Follower("limit=1000&wait=1");
  while (await follower.ask(app));
  return follower.after;
}
