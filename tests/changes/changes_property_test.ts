import { deepStrictEqual as assertEquals } from "node:assert/strict";
import fc from "fast-check";
import { importItems, makeItem, startApp, type TestApp } from "../support/app.ts";
import { emptyDatabase } from "../support/databases.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

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

  constructor(private readonly site: string, private readonly limit = 1000) {}

  /** Asks once, and tells whether there is more. */
  async ask(app: TestApp): Promise<boolean> {
    // With `wait` no answer comes from a cache; that it waits is another test.
    const path = `${this.site}/api/changes?limit=${this.limit}&wait=1&after=${this.after}`;
    const { data, next_after, has_more } = await app.json(path);
    for (const entry of data as Entry[]) {
      this.told.push(entry);
      this.copy.set(entry.release_item_id, entry.release);
    }
    this.after = next_after;
    return has_more;
  }
}

slowOnDatabases(
  "Whatever is imported in between, a client skips nothing and repeats nothing",
  async (database) => {
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        await emptyDatabase(database);
        await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
        app.stopWaiting();
        const sites = ["", "/b"].map((site) => ({
          site,
          followers: [1, 2, 1000].map((limit) => new Follower(site, limit)),
        }));
        for (const step of steps) {
          if ("items" in step) {
            const items = step.items.map(({ number, ...fields }) =>
              makeItem(number, { ...fields, last_modified: null })
            );
            await importItems(database, items, { allowMassRemoval: true });
            continue;
          }
          for (const { site, followers } of sites) {
            const follower = followers[step.client]!;
            const end = (await readAll(app, site)).after;
            for (let count = 0; count < step.requests && follower.after !== end; count++) {
              await follower.ask(app);
            }
          }
        }
        for (const { site, followers } of sites) {
          const whole = await readAll(app, site);
          const cursors = whole.told.map(({ cursor }) => cursor);
          assertEquals(new Set(cursors).size, cursors.length);
          for (const follower of followers) {
            while (await follower.ask(app));
            assertEquals(follower.told.map(({ cursor }) => cursor), cursors);
            assertEquals(follower.copy, whole.copy);
          }
          const path = site === "" ? "/api/releases?include_inactive=1" : "/b/api/releases";
          const { data } = await app.json(path) as { data: Entry[] };
          const copied = [...whole.copy.values()].filter((release) => release !== null) as Entry[];
          const byId = (a: Entry, b: Entry) => a.release_item_id < b.release_item_id ? -1 : 1;
          assertEquals(copied.sort(byId), data.sort(byId));
        }
      }),
      { numRuns: runs(10, database) },
    );
  },
);

async function readAll(app: TestApp, site: string): Promise<Follower> {
  const follower = new Follower(site);
  while (await follower.ask(app));
  return follower;
}
