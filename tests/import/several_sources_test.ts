import {
  deepStrictEqual as assertEquals,
  match as assertMatch,
  ok as assert,
  rejects,
} from "node:assert/strict";
import { queryOne } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { importItems, makeItem, startApp, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { readPage } from "../support/pages.ts";
import { readHealth } from "../support/wait_for.ts";

const idOf = (number: number) => String(makeItem(number).release_item_id);

testOnDatabases("A snapshot removes and counts the items of its source only", async (database) => {
  const items = (...numbers: number[]) => numbers.map((number) => makeItem(number));
  await importItems(database, items(1, 2, 3, 4), { sourceName: "a" });
  await importItems(database, items(11, 12), { sourceName: "b" });
  await using app = await startApp(database);
  const active = async (query = "") => {
    const { data } = await app.json(`/api/releases?page_size=200${query}`);
    return data.map(({ feature_name }: { feature_name: string }) =>
      Number(feature_name.split(" ")[1])
    ).sort((a: number, b: number) => a - b);
  };
  const counts = await importItems(database, items(1, 2, 3), { sourceName: "a" });
  assertEquals([counts.removed, counts.unchanged], [1, 3]);
  assertEquals(await active(), [1, 2, 3, 11, 12]);

  // Of both sources it is a part; of its own source it is everything but one.
  await rejects(
    importItems(database, items(11), { sourceName: "a" }),
    /^SnapshotError: The source "a" has the item .* which belongs to the source "b" already/,
  );
  await rejects(
    importItems(database, items(1), { sourceName: "a" }),
    /would remove 2 of 3 active items/,
  );
  await importItems(database, items(11), { sourceName: "b", allowMassRemoval: true });
  assertEquals(await active(), [1, 2, 3, 11]);
  assertEquals(await active("&source=b&source=none"), [11]);
  assertEquals(await active("&source=none"), []);

  // The default source is one like the others.
  await importItems(database, items(21));
  assertEquals(await active(), [1, 2, 3, 11, 21]);
  assertEquals(await active("&source=default"), [21]);
});

testOnDatabases("An item of another source is refused, naming both", async (database) => {
  await importItems(database, [makeItem(1), makeItem(2)], { sourceName: "ours" });
  for (const partial of [false, true]) {
    await rejects(
      importItems(database, [makeItem(2), makeItem(3)], { sourceName: "theirs", partial }),
      {
        message:
          `The source "theirs" has the item ${idOf(2)} ("Feature 2"), which belongs to the ` +
          'source "ours" already: nothing was stored. Leave it out of one of them, or remove ' +
          '"ours": deno task sources remove "ours"',
      },
    );
  }
  await using app = await startApp(database);
  assertEquals((await app.json("/api/releases")).pagination.total_items, 2);

  // What its source has removed is nobody's, and comes back by whoever has it.
  await importItems(database, [makeItem(1)], { sourceName: "ours" });
  const counts = await importItems(database, [makeItem(2), makeItem(3)], { sourceName: "theirs" });
  assertEquals([counts.added, counts.restored], [1, 1]);
  assertEquals((await app.json("/api/releases?source=theirs")).pagination.total_items, 2);
  const history = await app.json(`/api/releases/history/${idOf(2)}`);
  assertEquals(
    history.map(({ changed_columns }: { changed_columns: string }) => changed_columns),
    ["Restored to Roadmap", "Removed from Roadmap", "Roadmap Item Added"],
  );
});

testOnDatabases("With one source, sources are not mentioned", async (database) => {
  await importItems(database, [makeItem(1)], { sourceName: "only" });
  await using app = await startApp(database);
  const options = await app.json("/api/filter-options?q=feature");
  assertEquals(Object.keys(options), [
    "product_names",
    "release_types",
    "release_statuses",
    "counts",
  ]);
  assertEquals(Object.keys(options.counts), ["product_name", "release_type", "release_status"]);
  for (const path of ["/", "/changelog", `/release/${idOf(1)}`]) {
    const page = await readPage(app, path);
    assertEquals([path, page.includes("Source")], [path, false]);
  }
});

testOnDatabases("With several sources, the source can be chosen everywhere", async (database) => {
  await importItems(database, [makeItem(1), makeItem(2)], { sourceName: "R&D" });
  await importItems(database, [makeItem(3)], { sourceName: "Fabric" });
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  for (const site of ["", "/b"]) {
    const whole = await app.json(`${site}/api/filter-options`);
    assertEquals(whole.sources, ["Fabric", "R&D"]);
    const { counts } = await app.json(`${site}/api/filter-options?source=Fabric`);
    assertEquals(counts.source, { Fabric: 1, "R&D": 2 });
    assertEquals(counts.product_name, { Product: 1 });

    const { data, links } = await app.json(`${site}/api/releases?source=R%26D&source=Fabric`);
    assertEquals(data.length, 3);
    assertEquals("source" in data[0], false);
    assert(links.self.startsWith(`${site}/api/releases?source=Fabric&source=R%26D&page=1`));
    const rss = await (await app.fetch(`${site}/rss?source=Fabric`)).text();
    assertEquals(rss.match(/<item>/g)?.length, 1);

    const search = await (await app.fetch(`${site}/?source=Fabric`)).text();
    assertMatch(search, /<input type="checkbox" name="source" value="Fabric" checked/);
    assertMatch(search, /1 release/);
    const release = await (await app.fetch(`${site}/release/${idOf(1)}`)).text();
    assertMatch(
      release,
      new RegExp(`from <a[^>]* href="${site}/\\?source=R%26D"><bdi>R&amp;D</bdi></a>`),
    );
  }
  const changelog = await app.json("/api/changelog?source=Fabric");
  assertEquals(changelog.total_items, 1);
  assertMatch(
    await (await app.fetch("/changelog?source=Fabric")).text(),
    /name="source" value="Fabric" checked/,
  );

  // Of a source without active items nothing is offered any more.
  await importItems(database, [], { sourceName: "Fabric", allowMassRemoval: true });
  assertEquals("sources" in await app.json("/api/filter-options"), false);
});

testOnDatabases("A source whose format suddenly changes alters nothing", async (database) => {
  await importItems(database, [makeItem(1), makeItem(2)], { sourceName: "a" });
  await importItems(database, [makeItem(3)], { sourceName: "b" });
  await using app = await startApp(database);
  const before = await app.fetch("/api/releases");
  const etag = before.headers.get("etag");
  // Mails, feeds and the changelog tell of changes only.
  const countChanges = () =>
    queryOne<{ count: number }>(database, sql`select count(*)::int as count from changes`);
  assertEquals(await countChanges(), { count: 3 });
  await before.body?.cancel();
  for (
    const shape of [
      // What can be read all the same has other ids, so that everything known would go.
      [{ Key: "A-1", Title: "Feature 1", Product: "Product", Status: "Planned" }],
      [{ code: 1, label: "Feature 1" }],
      { data: [] },
      { releases: { list: [1, 2] } },
      "<html>Please sign in</html>",
    ]
  ) {
    await rejects(importItems(database, shape, { sourceName: "a" }), { name: "SnapshotError" });
    const { last_import } = await readHealth(() => app.json("/health"));
    assert(last_import.error);
    assertEquals("source_name" in last_import, false);
  }
  const after = await app.fetch("/api/releases");
  assertEquals(after.headers.get("etag"), etag);
  assertEquals(await countChanges(), { count: 3 });
  await after.body?.cancel();
});

testOnDatabases("Each source is reported, and the oldest decides readiness", async (database) => {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  const sources = ["a", "b"].map((name) => ({
    name,
    from: `${name}.json`,
    every_minutes: 1_000,
  }));
  await Deno.writeTextFile(file, JSON.stringify({ sources }));
  await importItems(database, [makeItem(1)], { sourceName: "a" });
  await importItems(database, [makeItem(2)], { sourceName: "b" });
  await using app = await startApp(database, { ROADMAP_CONFIG: file });
  await Deno.remove(file);
  const readReady = () => readHealth(async () => await (await app.fetch("/ready")).json());
  assertEquals((await readReady()).sources, [
    { name: "a", roadmap: "ok" },
    { name: "b", roadmap: "ok" },
  ]);
  const age = (minutes: number) =>
    database.query(sql`
      update import_runs set finished_at = now() - make_interval(mins => ${minutes}::int)
      where source_name = 'a'
    `);
  await age(2_999); // three times its interval
  assertEquals((await readReady()).ready, true);
  await age(3_001);
  await rejects(importItems(database, "nothing", { sourceName: "b" }));
  const { ready, roadmap, sources: told } = await readReady();
  assertEquals([ready, (await app.fetch("/ready")).status], [false, 503]);
  assertEquals(roadmap, "a: last imported 3001 minutes ago");
  assertEquals(told, [{ name: "a", roadmap: "last imported 3001 minutes ago" }, {
    name: "b",
    roadmap: "ok",
  }]);
  const health = await readHealth(() => app.json("/health"));
  assertEquals(
    health.sources.map((
      { name, last_import }: { name: string; last_import: { error: string | null } },
    ) => [name, last_import.error !== null]),
    [["a", false], ["b", true]],
  );
  const metrics = await (await app.fetch("/metrics")).text();
  assertMatch(metrics, /^roadcast_source_last_import_failed\{source="b"\} 1$/m);
  assertMatch(metrics, /^roadcast_source_import_age_seconds\{source="a"\} 18006\d/m);
});

testOnDatabases("Of two imports of a source the one that began later wins", async (database) => {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await using slow = serveSource(() => {
    arrived.resolve();
    const items = JSON.stringify([makeItem(1, { release_status: "Planned" })]);
    return new Response(textAfter(released.promise, items), {
      headers: { "content-type": "application/json" },
    });
  });
  const older = importLocation(database, slow.url, { asOf: TODAY });
  await arrived.promise;
  await importItems(database, [makeItem(1, { release_status: "Shipped" })]);
  await importItems(database, [makeItem(2)], { sourceName: "other" });
  released.resolve();
  await rejects(
    older,
    /^SnapshotError: A later import of the source "default" has finished in the meantime: nothing of this one was stored$/,
  );
  await using app = await startApp(database);
  const { data } = await app.json("/api/releases?source=default");
  assertEquals(data.map((item: Record<string, unknown>) => item.release_status), ["Shipped"]);
});

/** A text that follows a signal; until then a blank every second shows that more will come. */
function textAfter(signal: Promise<void>, text: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let timer: ReturnType<typeof setInterval>;
  return new ReadableStream({
    async start(controller) {
      timer = setInterval(() => controller.enqueue(encoder.encode(" ")), 1_000);
      await signal;
      clearInterval(timer);
      controller.enqueue(encoder.encode(text));
      controller.close();
    },
    cancel: () => clearInterval(timer),
  });
}
