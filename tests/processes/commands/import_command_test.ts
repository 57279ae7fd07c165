import { deepStrictEqual as assertEquals, match as assertMatch } from "node:assert/strict";
import { join } from "node:path";
import { sql } from "../../../lib/database/sql.ts";
import { openEmbedded } from "../../../lib/database/embedded/embedded.ts";
import { openPostgres } from "../../../lib/database/postgres/postgres.ts";
import { lockImports } from "../../../lib/import/apply_sql.ts";
import { makeItem, startApp } from "../../support/app.ts";
import { type Ending, runCommand, runHere, runTask } from "../../support/command.ts";
import { copyMigrated, createScratchDatabase, TEST_DATABASE_URL } from "../../support/databases.ts";
import { makeSpreadsheet } from "../../support/subjects/spreadsheet.ts";
import { waitFor } from "../../support/wait_for.ts";

const ITEMS = [1, 2, 3, 4].map((number) => makeItem(number, { last_modified: null }));

/** A folder with a file of items and, inside it, the data folder of the settings. */
async function withFolder(
  work: (
    folder: { settings: Record<string, string>; write(items: unknown): Promise<string> },
  ) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const file = join(folder, "roadmap.json");
  const DATA_DIR = join(folder, "data");
  try {
    await copyMigrated(DATA_DIR);
    await work({
      settings: { DATA_DIR },
      async write(items) {
        await Deno.writeTextFile(file, typeof items === "string" ? items : JSON.stringify(items));
        return file;
      },
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("The import command, from the first snapshot to a refused one", async () => {
  await withFolder(async ({ settings, write }) => {
    const run = (...words: string[]) => runHere(["import", ...words], settings);
    // Open in this process, whose commands share it.
    await using stack = new AsyncDisposableStack();
    const database = await openEmbedded(settings.DATA_DIR!, { shares: true });
    stack.defer(() => database.close());
    const app = stack.use(await startApp(database));
    const file = await write(ITEMS);
    const first = await runTask(["import", file, "--as-of", "2026-07-01"], settings);
    assertEquals([first.code, first.err], [0, ""]);
    assertMatch(
      first.out,
      /^Imported .*roadmap\.json as of 2026-07-01: 4 added, 0 changed, 0 removed, 0 restored, 0 unchanged in \d+\.\d s$/,
    );
    const etag = (await app.fetch("/api/releases")).headers.get("etag");
    const again = await run(file);
    assertMatch(again.out, / 0 added, 0 changed, 0 removed, 0 restored, 4 unchanged in /);
    const kept = await app.fetch("/api/releases");
    assertEquals(kept.headers.get("etag"), etag);
    assertEquals((await kept.json()).data[0].last_modified, "2026-07-01");
    const older = await run(file, "--as-of", "2026-06-01");
    assertEquals(older.code, 0);
    assertMatch(
      older.err,
      /^A snapshot as of \d{4}-\d\d-\d\d was imported before this one as of 2026-06-01: /,
    );

    await write([ITEMS[0]]);
    const refused = await run(file);
    assertEquals([refused.code, refused.out], [1, ""]);
    assertMatch(
      refused.err,
      /^The snapshot would remove 3 of 4 active items: nothing was stored\. --allow-mass-removal accepts it anyway, --partial keeps missing items$/,
    );
    assertMatch((await run(file, "--partial")).out, / 0 removed, 0 restored, 1 unchanged in /);
    assertMatch((await run("--allow-mass-removal", file)).out, / 3 removed, 0 restored, 1 unch/);
    await write([]);
    assertMatch((await run(file)).err, /^The snapshot has no items: .*$/);
    await write([makeItem(1, { release_type: 5 })]);
    assertEquals(await run(file), {
      code: 1,
      out: "",
      err: 'Cannot read item 1: "release_type" must be text',
    });
    await write("[");
    assertMatch(
      (await run(file)).err,
      /^Cannot read .*: it is incomplete JSON: the end is missing$/,
    );
    const missing = await run("/nowhere/roadmap.json");
    assertEquals(missing, {
      code: 1,
      out: "",
      err: "Cannot read /nowhere/roadmap.json: there is no such file",
    });
  });
});

Deno.test("A configured source is imported by its name, with all of its keys", async () => {
  await withFolder(async ({ settings, write }) => {
    const file = await write({ releases: { cards: [{ nr: 1, was: "Dark mode", wo: "Widgets" }] } });
    const source = {
      name: "Our board",
      from: file,
      items: "/releases/cards",
      fields: { feature_name: "was", product_name: "wo", release_status: { value: "Planned" } },
    };
    const ROADMAP_CONFIG = join(settings.DATA_DIR!, "..", "sources.json");
    await Deno.writeTextFile(ROADMAP_CONFIG, JSON.stringify({ sources: [source] }));
    const run = (...words: string[]) =>
      runHere(["import", ...words], { ...settings, ROADMAP_CONFIG });
    assertMatch(
      (await run("Our board", "--dry-run")).out,
      /read as json: 1 item\. [^]*1 would be added/,
    );
    assertMatch((await run("Our board")).out, /^Imported .*roadmap\.json as of .*: 1 added/);
    const renamed = await run("Our board", "--source-name", "other");
    assertMatch(renamed.err, /"Our board" is a configured source: --source-name is for others/);
    assertMatch(
      (await run(file, "--encoding", "klingon")).err,
      /--encoding takes the name of an enc/,
    );
    assertMatch((await run("No board")).err, /^Cannot read No board: there is no such file$/);
  });
});

Deno.test("The import command prints its usage", async () => {
  const usage =
    /Usage: deno task import FILE-OR-URL-OR-NAME \[--as-of YYYY-MM-DD\] \[--partial\] \[--allow-mass-removal\] \[--source KIND\] \[--fields FILE\] \[--sheet NAME\] \[--encoding NAME\] \[--source-name NAME\] \[--announce\] \[--dry-run \[--json\] \[--write-fields FILE\]\]$/;
  const wrong = [
    [],
    ["a.json", "b.json"],
    ["a.json", "--as-of", "yesterday"],
    ["a.json", "--as-of", "2026-02-30"],
    ["a.json", "--as-of"],
    ["a.json", "--force"],
    ["a.json", "--json"],
    ["a.json", "--source-name", ""],
    ["a.json", "--source-name", "a\nb"],
  ];
  for (const words of wrong) {
    const { code, out, err } = await runHere(["import", ...words], {});
    assertEquals([words, code, out], [words, 2, ""]);
    assertMatch(err, usage);
    assertEquals(err.includes("\n"), false);
  }
  const unknown = await runHere(["improt"], {});
  assertEquals(unknown.code, 2);
  assertMatch(
    unknown.err,
    /^Unknown command "improt". Commands: serve, import, imports, announcements, sources, backup, restore, migrate/,
  );
});

Deno.test("A second process on the embedded database reports which process uses it", async () => {
  await withFolder(async ({ settings, write }) => {
    const file = await write(ITEMS);
    const database = await openEmbedded(settings.DATA_DIR!);
    try {
      for (const command of [["import", file], ["migrate"], ["serve"]]) {
        const { code, out, err } = await runCommand(command, settings);
        assertEquals([code, out], [1, ""]);
        assertEquals(err.split("\n").length, 1);
        assertMatch(
          err,
          new RegExp(
            `^The embedded database in .* is in use by process ${Deno.pid} since .*: stop that process first, or set DATABASE_URL`,
          ),
        );
      }
      const [answer] = await database.query<{ two: number }>(sql`select 1 + 1 as two`);
      assertEquals(answer!.two, 2);
    } finally {
      await database.close();
    }
    assertEquals((await runHere(["import", file], settings)).code, 0);
  });
});

Deno.test({
  name: "The second of two concurrent imports waits (PostgreSQL)",
  ignore: TEST_DATABASE_URL === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const { url, drop } = await createScratchDatabase();
    try {
      await withFolder(async ({ write }) => {
        const settings = { DATABASE_URL: url };
        const file = await write(ITEMS);
        assertEquals((await runHere(["migrate"], settings)).code, 0);
        const database = await openPostgres(url);
        const waiting: Promise<Ending>[] = [];
        await database.transaction(async (connection) => {
          await lockImports(connection);
          for (const place of [1, 2]) {
            waiting.push(runCommand(["import", file], settings));
            const isWaiting = async () => await countWaiting(database) === place;
            await waitFor(`import ${place}`, isWaiting, 120_000);
          }
          const [none] = await database.query<{ items: number }>(
            sql`select count(*)::int as items from items`,
          );
          assertEquals(none!.items, 0);
        });
        const endings = await Promise.all(waiting);
        assertEquals(endings.map(({ code, err }) => [code, err]), [[0, ""], [0, ""]]);
        const summaries = endings.map(({ out }) => /: (.*) in /.exec(out)![1]).sort();
        assertEquals(summaries, [
          "0 added, 0 changed, 0 removed, 0 restored, 4 unchanged",
          "4 added, 0 changed, 0 removed, 0 restored, 0 unchanged",
        ]);
        await database.close();
      });
    } finally {
      await drop();
    }
  },
});

async function countWaiting(database: Awaited<ReturnType<typeof openPostgres>>): Promise<number> {
  const [row] = await database.query<{ waiting: number }>(sql`
    select count(*)::int as waiting
    from pg_locks join pg_database on pg_database.oid = database
    where locktype = 'advisory' and not granted and datname = current_database()
  `);
  return row!.waiting;
}

Deno.test("A sheet and a feed are read with the permissions of the task", async () => {
  await withFolder(async ({ settings, write }) => {
    const file = await write(
      "<rss version='2.0'><channel><title>News</title><item><guid>1</guid>" +
        "<title>One</title></item></channel></rss>",
    );
    const feed = await runTask(["import", file, "--source-name", "News"], settings);
    assertEquals([feed.code, feed.err], [0, ""]);
    assertMatch(feed.out, /: 1 added, 0 changed, /);
    const rows = [["Key", "Title", "Product", "Status"], ["1", "One", "Widgets", "Planned"]];
    await Deno.writeFile(file, makeSpreadsheet({ Notes: [["-"]], Plan: rows }));
    const sheet = await runTask(["import", file, "--sheet", "Plan"], settings);
    assertEquals([sheet.code, sheet.err], [0, ""]);
    assertMatch(sheet.out, /: 1 added, 0 changed, /);
    const other = await runHere(["import", file, "--sheet", "Other"], settings);
    assertEquals(other.code, 1);
    assertMatch(other.err, /: it has no sheet "Other"; its sheets are "Notes", "Plan"$/);
  });
});
