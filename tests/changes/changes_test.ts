import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { noteEntries } from "../../bench/data/note_entries.ts";
import { sql } from "../../lib/database/sql.ts";
import { loadSample } from "../../lib/import/sample/sample.ts";
import { importItems, makeItem, serve, startApp, type TestApp, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { slowOnDatabases } from "../support/slow.ts";

interface Entry {
  cursor: string;
  date: string;
  imported_at: string;
  kind: string;
  release_item_id: string;
  fields: { field: string; old: string | null; new: string | null }[];
  release: Record<string, unknown> | null;
}

interface Changes {
  data: Entry[];
  next_after: string;
  has_more: boolean;
}

const undated = (number: number, fields = {}) =>
  makeItem(number, { last_modified: null, ...fields });

/** What entries tell, without what differs from run to run. */
function outline({ data }: Changes) {
  return data.map((
    { date, kind, release_item_id, fields },
  ) => [
    date,
    kind,
    Number(release_item_id.slice(-12)),
    ...fields.map((field) => `${field.field}: ${field.old} -> ${field.new}`),
  ]);
}

/** Five imports: adds three items; changes one; removes one; brings it back changed; moves a date. */
async function importStory(database: Database): Promise<void> {
  const changed = { release_status: "Shipped", blog_title: "Post" };
  await importItems(database, [undated(1), undated(2), undated(3)], { asOf: "2026-07-01" });
  await importItems(database, [undated(1, changed), undated(2), undated(3)], {
    asOf: "2026-07-02",
  });
  await importItems(database, [undated(1, changed), undated(3)], { asOf: "2026-07-03" });
  const back = undated(2, { release_date: "Q4 2026", feature_name: "Back" });
  await importItems(database, [undated(1, changed), back, undated(3)], { asOf: "2026-07-04" });
  const moved = undated(3, { release_date: "2026-08-15" });
  await importItems(database, [undated(1, changed), back, moved], { asOf: "2026-07-05" });
}

const STORY_OF_A = [
  ["2026-07-01", "added", 1],
  ["2026-07-01", "added", 2],
  ["2026-07-01", "added", 3],
  ["2026-07-02", "changed", 1, "release_status: Planned -> Shipped", "blog_title: null -> Post"],
  ["2026-07-03", "removed", 2],
  [
    "2026-07-04",
    "restored",
    2,
    "feature_name: Feature 2 -> Back",
    "release_date: Q3 2026 -> Q4 2026",
  ],
  ["2026-07-05", "changed", 3, "release_date: Q3 2026 -> Q3 2026"],
];

/** Follows the changes from the beginning, or from behind a cursor, to their end. */
async function follow(app: TestApp, parameters = "", after?: string): Promise<Changes[]> {
  const pages: Changes[] = [];
  for (let next: string | undefined = after;;) {
    const from: string = next === undefined ? "" : `&after=${next}`;
    const page: Changes = await app.json(`/api/changes?${parameters}${from}`);
    pages.push(page);
    assert(page.next_after !== next || !page.has_more, "the cursor stands still");
    if (!page.has_more) return pages;
    next = page.next_after;
  }
}

testOnDatabases(
  "Every change is listed once, oldest first, one entry per item and import",
  async (database) => {
    await importStory(database);
    await using app = await startApp(database);
    const all: Changes = await app.json("/api/changes");
    assertEquals(outline(all), STORY_OF_A);
    assertEquals(all.has_more, false);
    assertEquals(all.next_after, all.data.at(-1)!.cursor);
    const { data: [release] } = await app.json("/api/releases?include_inactive=1&q=feature 1");
    assertEquals(all.data[0]!.release, release);
    assertEquals(all.data[4]!.release?.feature_name, "Back");
    assert(
      all.data.every(({ imported_at }) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(imported_at)),
    );
    for (const { cursor } of all.data) assert(/^[\w.~-]+$/.test(cursor), cursor);
    for (const limit of [1, 2, 3, 7]) {
      const pages = await follow(app, `limit=${limit}`);
      assertEquals(pages.flatMap(({ data }) => data), all.data, `${limit} at a time`);
      assert(pages.every(({ data }) => data.length <= limit));
    }
    for (const [place, { cursor }] of all.data.entries()) {
      const rest: Changes = await app.json(`/api/changes?after=${cursor}`);
      assertEquals(rest.data, all.data.slice(place + 1));
    }
  },
);

testOnDatabases(
  "Variant B lists its own fields in its own shape, including removals",
  async (database) => {
    await importStory(database);
    const gone = [undated(1, { release_status: "Shipped", blog_title: "Other post" })];
    await importItems(database, gone, { asOf: "2026-07-06", allowMassRemoval: true });
    await using app = await startApp(database, { ROADMAP_VARIANT: "b" });
    const all: Changes = await app.json("/api/changes");
    assertEquals(outline(all), [
      ...STORY_OF_A.slice(0, 3),
      ["2026-07-02", "changed", 1, "release_status: Planned -> Shipped"],
      ["2026-07-03", "removed", 2],
      [
        "2026-07-04",
        "restored",
        2,
        "feature_name: Feature 2 -> Back",
        "release_date: 2026-09-30 -> 2026-12-31",
      ],
      ["2026-07-05", "changed", 3, "release_date: 2026-09-30 -> 2026-08-15"],
      ["2026-07-06", "removed", 2],
      ["2026-07-06", "removed", 3],
    ]);
    const releases = new Map(all.data.map((entry) => [entry.release_item_id, entry.release]));
    const { data } = await app.json("/api/releases");
    assertEquals([...releases.values()], [...data, null, null]);
  },
);

testOnDatabases(
  "The filter applies to the current item, and never holds back the cursor",
  async (database) => {
    await importStory(database);
    await using app = await startApp(database);
    const all: Changes = await app.json("/api/changes");
    const numbers = async (parameters: string) =>
      outline(await app.json(`/api/changes?${parameters}`)).map(([, , number]) => number);
    assertEquals(await numbers("release_status=Shipped"), [1, 1]);
    assertEquals(await numbers("release_status=Shipped&release_status=Planned"), [
      1,
      2,
      3,
      1,
      2,
      2,
      3,
    ]);
    const [first, second] = [1, 2].map((number) => makeItem(number).release_item_id as string);
    assertEquals(await numbers(`release_item_id=${second!.toUpperCase()}`), [2, 2, 2]);
    assertEquals(await numbers(`release_item_id=${second}&release_item_id=${first}`), [
      1,
      2,
      1,
      2,
      2,
    ]);
    assertEquals(await numbers("product_name=None"), []);
    for (const filter of ["product_name=None", `release_item_id=${first}`]) {
      const { next_after, has_more }: Changes = await app.json(`/api/changes?${filter}`);
      assertEquals([next_after, has_more], [all.next_after, false]);
    }
    const { errors } = await (await app.fetch("/api/changes?release_item_id=x")).json();
    assertEquals(errors, [{ name: "release_item_id", reason: "must be a UUID" }]);
  },
);

testOnDatabases(
  "Changes are cached, conditional and linked like a collection",
  async (database) => {
    await importStory(database);
    await using app = await startApp(database, {
      ROADMAP_VARIANT: "both",
      BASE_URL: "https://example.com/road",
    });
    const response = await app.fetch(
      "/road/api/changes?limit=2&release_type=General%20availability",
    );
    const { next_after } = await response.json();
    assertEquals(
      response.headers.get("cache-control"),
      "public, max-age=14400, stale-while-revalidate=3600",
    );
    assertEquals(
      response.headers.get("link"),
      `</road/api/changes?after=${next_after}&limit=2&release_type=General%20availability>; rel="next"`,
    );
    const again = await app.fetch("/road/api/changes?limit=2&release_type=General%20availability", {
      headers: { "If-None-Match": response.headers.get("etag")! },
    });
    assertEquals(again.status, 304);
    const last = await app.fetch("/road/b/api/changes");
    assertEquals([last.headers.get("link"), last.headers.get("cache-control")], [
      null,
      "public, max-age=1800, stale-while-revalidate=900",
    ]);
    const waited = await app.fetch("/road/api/changes?wait=1&limit=1");
    assertEquals(waited.status, 200);
    assertEquals(waited.headers.get("cache-control"), "no-store");
    assertEquals(waited.headers.get("access-control-allow-origin"), "*");
    assert(waited.headers.get("link")!.includes("wait=1"));
    assertEquals((await waited.json()).data.length, 1);
  },
);

testOnDatabases("Numbers out of range are clamped to the nearest bound", async (database) => {
  await importStory(database);
  await using app = await startApp(database);
  assertEquals((await app.json("/api/changes?limit=0")).data.length, 1);
  assertEquals((await app.json("/api/changes?limit=99999&wait=-5")).data.length, 7);
  for (const [query, name] of [["limit=many", "limit"], ["wait=1.5", "wait"]]) {
    const response = await app.fetch(`/api/changes?${query}`);
    assertEquals(response.status, 400);
    assertEquals((await response.json()).errors, [{ name, reason: "must be a whole number" }]);
  }
});

testOnDatabases("An invalid cursor, or one of another database, is refused", async (database) => {
  await importStory(database);
  await using app = await startApp(database);
  const { next_after, data }: Changes = await app.json("/api/changes");
  const refused = async (cursor: string) => {
    const response = await app.fetch(`/api/changes?after=${encodeURIComponent(cursor)}`);
    const { errors } = await response.json();
    assertEquals([response.status, errors[0].name, errors.length], [400, "after", 1], cursor);
    return errors[0].reason as string;
  };
  const none = "must be a cursor from an earlier response";
  const [version, id, position, mark] = next_after.split("-") as [string, string, string, string];
  for (
    const cursor of [
      "x",
      "0",
      "null",
      "../../etc/passwd",
      `${next_after}x!`,
      `${version}-${id}`,
      `${version}-${id}--`,
      `${version}-${id}-zzzzzzzzzzz-0`,
      `${next_after} ${next_after}`,
      "\u0661-000000000000-1-1",
    ]
  ) assertEquals(await refused(cursor), none, cursor);
  const anew = "start without it, and discard the copy made before";
  assertEquals(
    await refused(`9-${id}-${position}-${mark}`),
    "is a cursor of another version of this service: start without it",
  );
  assertEquals(
    await refused(`${version}-0123456789ab-${position}-${mark}`),
    `is a cursor of another database: ${anew}`,
  );
  const earlier =
    `is a cursor of changes that this database does not have: it was restored to an earlier state: ${anew}`;
  assertEquals(await refused(`${version}-${id}-zzz-${mark}`), earlier);
  assertEquals(await refused(`${version}-${id}-${position}-1`), earlier);
  // An empty one counts as absent, as everywhere.
  assertEquals((await app.json("/api/changes?after=")).data.length, data.length);
});

slowOnDatabases(
  "The first real import replaces the sample and invalidates all cursors",
  async (database) => {
    assert(await loadSample(database, TODAY) > 0);
    await using app = await startApp(database);
    const { next_after }: Changes = await app.json("/api/changes");
    await importItems(database, [undated(1), undated(2)]);
    const response = await app.fetch(`/api/changes?after=${next_after}`);
    assertEquals(response.status, 400);
    assert((await response.json()).detail.startsWith("after is a cursor of another database"));
    const whole: Changes = await app.json("/api/changes");
    assertEquals(outline(whole).map(([, kind, number]) => [kind, number]), [["added", 1], [
      "added",
      2,
    ]]);
  },
);

testOnDatabases("An empty roadmap has a cursor from which everything follows", async (database) => {
  await using app = await startApp(database);
  const { data, next_after, has_more }: Changes = await app.json("/api/changes");
  assertEquals([data, has_more], [[], false]);
  await importItems(database, [undated(1)]);
  await waitForChanges(app, next_after);
  const pages = await follow(app, "", next_after);
  assertEquals(pages.flatMap(outline).map(([, kind]) => kind), ["added"]);
});

/** The notice of new data comes a moment after the import. */
async function waitForChanges(app: TestApp, after: string): Promise<void> {
  await app.json(`/api/changes?wait=10&after=${after}`);
}

slowOnDatabases(
  "A filter scans a few thousand changes at a time, and continues",
  async (database) => {
    const rare = undated(3, { product_name: "Rare" });
    await importItems(database, [undated(1), undated(2), rare]);
    await database.query(sql`
      with runs as (
        insert into import_runs (source, as_of, partial)
        select '', '2026-07-20', false from generate_series(1, 12000)
        returning run_id as n
      )
      insert into changes (release_item_id, run_id, day, kind)
      select (array[${makeItem(1).release_item_id}, ${
      makeItem(2).release_item_id
    }])[n % 2 + 1]::uuid,
        n, '2026-07-20', case when n < 3 then 'removed' else 'restored' end
      from runs
    `);
    await noteEntries(database);
    await using app = await serve(database, [undated(1), undated(2), {
      ...rare,
      release_status: "Shipped",
    }]);
    const pages = await follow(app, "product_name=Rare&limit=5");
    assertEquals(pages.map(({ data }) => data.length), [1, 0, 1]);
    const { data }: Changes = await app.json(
      `/api/changes?release_item_id=${makeItem(3).release_item_id}`,
    );
    assertEquals(data.length, 2);
  },
);

slowOnDatabases("An item whose changes fill a complete scan is still listed", async (database) => {
  await importItems(database, [undated(1)]);
  await database.query(sql`
      with run as (
        insert into import_runs (source, as_of, partial) values ('', '2026-07-20', false)
        returning run_id
      )
      insert into changes (release_item_id, run_id, day, kind, field, old_value, new_value)
      select release_item_id, run_id, last_modified, 'changed', 'feature_name', n::text,
        (n + 1)::text
      from items, run, generate_series(1, 5500) as n
    `);
  await noteEntries(database);
  await using app = await startApp(database);
  for (const limit of [20, 1000]) {
    const pages = await follow(app, `limit=${limit}`);
    const fields = pages.flatMap(({ data }) => data.flatMap(({ fields }) => fields));
    assertEquals(
      fields.map(({ old }) => Number(old)),
      Array.from({ length: 5_500 }, (_, n) => n + 1),
    );
  }
});
