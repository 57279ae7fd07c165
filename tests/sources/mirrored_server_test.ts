import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { readConfig } from "../../lib/config/config.ts";
import { sql } from "../../lib/database/sql.ts";
import { notifyImmediately } from "../../lib/delivery/notify_immediately.ts";
import { readRuns } from "../../lib/import/import_runs_sql.ts";
import type { ImportOptions } from "../../lib/import/import_options.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { importItems, makeItem, startApp, type TestApp, TODAY } from "../support/app.ts";
import { openMigratedEmbedded, testOnDatabases } from "../support/databases.ts";
import { serveSource, type SourceServer } from "../support/servers/source_server.ts";

const undated = (number: number, fields = {}) =>
  makeItem(number, { last_modified: null, ...fields });
const many = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => undated(from + index));

/** Another server, through a proxy that counts what it is asked, and a mirror of it. */
async function startOrigin(settings: Record<string, string> = {}) {
  const database = await openMigratedEmbedded();
  const app = await startApp(database, settings);
  app.stopWaiting();
  const origin = {
    app,
    database,
    /** Answers in the place of the server, where it has something to say. */
    answer: (_url: URL): Response | null => null,
    source: null as unknown as SourceServer,
    import: (items: unknown[], asOf: string) =>
      importItems(database, items, { asOf, allowMassRemoval: true }),
    /** What was asked since the last time, without the queries. */
    take: () => origin.source.asked.splice(0).map((line) => line.replace(/\?\S*/, "")),
    async [Symbol.asyncDispose]() {
      await origin.source[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
      await database.close();
    },
  };
  origin.source = serveSource(async (request, url) =>
    origin.answer(url) ?? await app.fetch(url.pathname + url.search, { headers: request.headers })
  );
  return origin;
}

function mirror(
  database: Database,
  { source }: { source: SourceServer },
  more: Partial<ImportOptions> = {},
) {
  return importLocation(database, source.url, {
    ...more,
    asOf: TODAY,
    kind: "roadcast",
    pausesMs: [],
    allowMassRemoval: true,
  });
}

/** Everything of the active items and their histories. */
async function readAll(app: TestApp) {
  const { data } = await app.json("/api/releases?page_size=200");
  const histories = await Promise.all(
    data.map(({ release_item_id }: { release_item_id: string }) =>
      app.json(`/api/releases/history/${release_item_id}`)
    ),
  );
  return { data, histories };
}

/** Imports by which items come, change several times, go and come back. */
async function importStory(
  { import: take }: { import: (items: unknown[], asOf: string) => unknown },
) {
  await take(many(1, 6), "2026-07-01");
  await take(
    [undated(1, { release_status: "Shipped", blog_title: "Post" }), ...many(2, 6)],
    "2026-07-02",
  );
  await take([undated(1, { release_date: "Q1 2027" }), ...many(3, 6)], "2026-07-03");
  await take([undated(1, { release_date: "Q2 2027" }), ...many(2, 6)], "2026-07-04");
  await take([undated(1, { release_date: "Q2 2027" }), ...many(2, 5)], "2026-07-05");
}

testOnDatabases("A mirror has the history of its origin, with its dates", async (database) => {
  await using origin = await startOrigin();
  await importStory(origin);
  await mirror(database, origin);
  await using app = await startApp(database);
  assertEquals(await readAll(app), await readAll(origin.app));
  const kinds = async (app: TestApp) => {
    const { data } = await app.json("/api/changes");
    return data.filter(({ release }: { release: { active: boolean } }) => release.active)
      .map(({ cursor: _, ...entry }: { cursor: string }) => entry);
  };
  assertEquals(await kinds(app), await kinds(origin.app));
  // What happens next, however often, is carried over, too.
  origin.take();
  await origin.import(
    [undated(1), undated(2, { feature_name: "A" }), undated(4), undated(6)],
    "2026-07-08",
  );
  await origin.import(
    [undated(1), undated(2, { feature_name: "B" }), ...many(3, 5), undated(6)],
    "2026-07-09",
  );
  await mirror(database, origin);
  await using later = await startApp(database);
  assertEquals(await readAll(later), await readAll(origin.app));
  // What had gone before the mirror began is new to it when it comes back.
  await origin.import([undated(1), undated(2, { feature_name: "C" }), ...many(3, 7)], "2026-07-10");
  await mirror(database, origin);
  await using last = await startApp(database);
  const [theirs, ours] = [await readAll(origin.app), await readAll(last)];
  assertEquals(ours.data, theirs.data);
  const differing = ours.histories.filter((history, place) =>
    JSON.stringify(history) !== JSON.stringify(theirs.histories[place])
  );
  assertEquals(differing, [
    [{ changed_columns: "Roadmap Item Added", last_modified: "2026-07-20" }],
  ]);
});

testOnDatabases("An item created long ago was not observed since then", async (database) => {
  await using origin = await startOrigin();
  const created = ["2024-03-01", "2026-06-20", "2025-01-01"];
  const items = created.map((day, place) => undated(place + 1, { created: day }));
  await origin.import(items, "2026-07-01");
  await mirror(database, origin);
  await using app = await startApp(database);
  assertEquals(await readAll(app), await readAll(origin.app));
  const { watched } = await app.json("/api/insights");
  assertEquals(watched, [{ source: "default", from: "2026-06-20", to: TODAY }]);
});

testOnDatabases(
  "Without changes, a mirror sends one request and changes nothing",
  async (database) => {
    await using origin = await startOrigin();
    await origin.import(many(1, 500), "2026-07-01");
    await mirror(database, origin);
    assertEquals(origin.take(), [
      "/api/changes 200",
      "/api/releases 200",
      "/api/releases 200",
      "/api/releases 200",
    ]);
    for (let count = 0; count < 2; count++) {
      assertEquals((await mirror(database, origin)).unchanged, 499);
      assertEquals(origin.take(), ["/api/changes 200"]);
    }
    await origin.import(many(1, 501), "2026-07-02");
    assertEquals((await mirror(database, origin)).added, 1);
    assertEquals((await mirror(database, origin)).unchanged, 500);
    assertEquals(origin.take().at(-1), "/api/changes 200");
  },
);

testOnDatabases(
  "The last import is that of the mirror, not a copied one",
  async (database) => {
    await using origin = await startOrigin();
    await importStory(origin);
    await mirror(database, origin);
    const [last, before] = await readRuns(database, 2);
    assertEquals([last?.added, last?.as_of, before?.as_of], [4, TODAY, "2026-07-04"]);
  },
);

testOnDatabases(
  "Without valid changes a mirror reads the pages",
  async (database) => {
    await using origin = await startOrigin();
    await origin.import(many(1, 4), "2026-07-01");
    const answers: Record<string, () => Response> = {
      "404": () => new Response("Not found", { status: 404 }),
      "no JSON": () => new Response("<p>Welcome</p>"),
      "another shape": () => Response.json({ data: [{}], next_after: "x", has_more: false }),
      "no cursor": () => Response.json({ data: [], has_more: false }),
      "nesting": () => new Response("[".repeat(1_000_000)),
      "a cursor that stands still": () =>
        Response.json({ data: [], next_after: "x", has_more: true }),
      "half a character": () =>
        new Response(
          '{"data":[{"date":"2026-07-01","imported_at":null,"kind":"changed","release_item_id":"' +
            makeItem(1).release_item_id +
            '","fields":[{"field":"feature_name","old":"\\ud800","new":"\\u0000"}]}],' +
            '"next_after":"x","has_more":false}',
        ),
      "another origin": () =>
        Response.redirect(`http://localhost:${new URL(origin.source.url).port}/x`),
    };
    for (const [what, answer] of Object.entries(answers)) {
      origin.answer = ({ pathname }) => pathname === "/api/changes" ? answer() : null;
      await mirror(database, origin);
      assert(origin.take().some((line) => line.startsWith("/api/releases ")), what);
      await using app = await startApp(database);
      assertEquals((await app.json("/api/releases")).data.length, 3, what);
    }
  },
);

testOnDatabases(
  "Changes that contradict the items are ignored in favour of the items",
  async (database) => {
    await using origin = await startOrigin();
    await origin.import(many(1, 4), "2026-07-01");
    await mirror(database, origin);
    const id = makeItem(1).release_item_id;
    const entry = {
      date: "2026-07-02",
      imported_at: "2026-07-02T00:00:00Z",
      kind: "changed",
      release_item_id: id,
      fields: [{ field: "feature_name", old: "Feature 1", new: "Invented" }],
    };
    origin.answer = ({ pathname }) =>
      pathname === "/api/changes"
        ? Response.json({ data: [entry], next_after: "1-000000000000-1-1", has_more: false })
        : null;
    await origin.import([undated(1, { release_status: "Shipped" }), ...many(2, 4)], "2026-07-03");
    await mirror(database, origin);
    origin.answer = () => null;
    await mirror(database, origin);
    await using app = await startApp(database);
    assertEquals(await app.json(`/api/releases/history/${id}`), [
      { changed_columns: "Release Status Planned -> Shipped", last_modified: "2026-07-03" },
      { changed_columns: "Roadmap Item Added", last_modified: "2026-07-01" },
    ]);
  },
);

testOnDatabases(
  "A refused cursor makes a mirror start anew, without repeating changes",
  async (database) => {
    await using origin = await startOrigin();
    await importStory(origin);
    await mirror(database, origin);
    await origin.database.script("update service_state set database_id = gen_random_uuid()");
    await origin.import([undated(1, { feature_name: "New" }), ...many(2, 5)], "2026-07-10");
    await mirror(database, origin);
    await using app = await startApp(database);
    assertEquals(await readAll(app), await readAll(origin.app));
  },
);

testOnDatabases("A mirror notifies at once, and of copied changes only once", async (database) => {
  await using origin = await startOrigin();
  await origin.import(many(1, 4), "2026-07-01");
  await mirror(database, origin);
  await database.query(sql`
    insert into subscriptions (email, variant, requested_at, cadence)
    values ('ann@example.com', 'A', now(), 'immediate')
  `);
  await database.query(sql`
    update subscriptions
    set state = 'verified', verified_at = now(),
      last_notified_change = (select max(change_id) from changes)
  `);
  const onChange = notifyImmediately(readConfig({}), () => new Date(`${TODAY}T12:00:00Z`));
  await origin.import([undated(1, { feature_name: "One" }), ...many(2, 4)], "2026-07-02");
  await origin.import([undated(1, { feature_name: "Two" }), ...many(2, 4)], "2026-07-03");
  await mirror(database, origin, { onChange });
  await mirror(database, origin, { onChange });
  const rows = await database.query(sql`
    select changes_up_to = (select max(change_id) from changes) as "isWhole",
      content #> '{groups,0,items,0,changes}' as changes
    from outbox join digests using (digest_id)
  `);
  assertEquals([...rows], [{
    isWhole: true,
    changes: [{ text: "Name changed from “Feature 1” to “Two”" }],
  }]);
});
