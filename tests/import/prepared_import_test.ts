import {
  deepStrictEqual as assertEquals,
  match,
  notDeepStrictEqual,
  rejects,
} from "node:assert/strict";
import { type Database, queryOne } from "../../lib/database/database.ts";
import { openEmbedded } from "../../lib/database/embedded/embedded.ts";
import { sql } from "../../lib/database/sql.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import type { ImportOptions } from "../../lib/import/import_options.ts";
import { PREPARED } from "../../lib/import/prepared_sql.ts";
import { importItems, makeItem, startApp, TODAY } from "../support/app.ts";
import { copyStarted, testOnDatabases } from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { startServer } from "../support/server.ts";
import { makeSnapshot } from "../support/subjects/many_items.ts";

const COUNT = 450;
const BEFORE = makeSnapshot(COUNT);
/** The first 100 items are gone, and the others have another status and another word. */
const AFTER = JSON.stringify(
  (JSON.parse(makeSnapshot(COUNT, { release_status: "Shipped" })) as Record<string, unknown>[])
    .slice(100)
    .map((item) => ({ ...item, feature_name: `Zephyr ${item.feature_name}` })),
);

/** Imports a snapshot; `between` is called before each transaction that decides, with its number. */
async function importBetween(
  database: Database,
  snapshot: string,
  between: (attempt: number) => Promise<void>,
  options: Partial<ImportOptions> = {},
) {
  let attempts = 0;
  const watched: Database = {
    ...database,
    async transaction(work, caller) {
      await between(++attempts);
      return await database.transaction(work, caller);
    },
  };
  const file = await Deno.makeTempFile({ suffix: ".json" });
  await Deno.writeTextFile(file, snapshot);
  try {
    const counts = await importLocation(watched, file, { asOf: TODAY, ...options });
    return { attempts, counts };
  } finally {
    await Deno.remove(file);
  }
}

/** What readers see, in the words of several statements. */
async function readState(database: Database) {
  await using app = await startApp(database);
  const total = async (query: string) =>
    (await app.json(`/api/releases?${query}`)).pagination.total_items as number;
  return {
    planned: await total("release_status=Planned"),
    shipped: await total("release_status=Shipped"),
    word: await total("q=zephyr"),
    part: await total("q=zephy"),
    first: (await app.json(`/api/releases/history/${makeItem(1).release_item_id}`)).length,
    last: (await app.json(`/api/releases/history/${makeItem(COUNT).release_item_id}`)).length,
    entries: (await app.json("/api/changes?limit=1000")).data.length,
    known: (await database.query(sql`select from known_words where word = 'zephyr'`)).length,
  };
}

const STATE_BEFORE = {
  planned: COUNT,
  shipped: 0,
  word: 0,
  part: 0,
  first: 1,
  last: 1,
  entries: COUNT,
  known: 0,
};
const STATE_AFTER = {
  planned: 0,
  shipped: COUNT - 100,
  word: COUNT - 100,
  part: COUNT - 100,
  first: 2,
  last: 3,
  entries: 2 * COUNT,
  known: 1,
};

/** How many rows imports have left that no release needs: prepared ones, and texts. */
async function countLeft(database: Database): Promise<number> {
  let left = 0;
  for (const table of PREPARED) left += (await countIn(database, table)).count;
  const { count } = await queryOne<{ count: number }>(
    database,
    sql`
      select count(*)::int as count from item_texts
      where text_id not in (select text_id from item_rows union select text_id from item_versions)
    `,
  );
  return left + count;
}

async function countIn(database: Database, table: string): Promise<{ count: number }> {
  const counts: Record<string, ReturnType<typeof sql>> = {
    prepared_items: sql`select count(*)::int as count from prepared_items`,
    prepared_changes: sql`select count(*)::int as count from prepared_changes`,
    prepared_entries: sql`select count(*)::int as count from prepared_entries`,
    prepared_words: sql`select count(*)::int as count from prepared_words`,
  };
  return await queryOne(database, counts[table]!);
}

testOnDatabases("Readers see nothing of what an import has prepared", async (database) => {
  await importBetween(database, BEFORE, async () => {});
  assertEquals(await readState(database), STATE_BEFORE);
  let whilePrepared: unknown = null;
  const { attempts } = await importBetween(database, AFTER, async () => {
    assertEquals((await countIn(database, "prepared_items")).count, COUNT);
    whilePrepared = await readState(database);
  });
  assertEquals(attempts, 1);
  assertEquals(whilePrepared, STATE_BEFORE);
  assertEquals(await readState(database), STATE_AFTER);
  assertEquals(await countLeft(database), 0);
});

testOnDatabases(
  "An import is prepared again when other data was stored meanwhile, and at last under the lock",
  async (database) => {
    for (const disturbed of [1, 2, 9]) {
      await importItems(database, [], { allowMassRemoval: true });
      await importBetween(database, BEFORE, async () => {}, { asOf: "2026-07-18" });
      const other = `other ${disturbed}`;
      const { attempts } = await importBetween(database, AFTER, async (attempt) => {
        if (attempt > disturbed) return;
        // The disturbing import takes a name that the disturbed one changes too.
        const { release_item_id } = makeItem(10_000 + attempt);
        await importItems(database, [{ ...makeItem(1), release_item_id }], {
          sourceName: other,
          partial: true,
        });
      });
      assertEquals(attempts, Math.min(disturbed + 1, 3));
      const { first, last } = await readState(database);
      assertEquals([first % 2, last > first], [0, true]);
      const unordered = await database.query(sql`
        with runs as (
          select run_id, finished_at, min(change_id) as first, max(change_id) as last
          from changes join import_runs using (run_id)
          group by run_id, finished_at
        )
        select from runs join runs as later on later.finished_at > runs.finished_at
        where later.first < runs.last
      `);
      assertEquals(unordered.length, 0, "changes are numbered as they are stored");
      assertEquals(await countLeft(database), 0);
      await importItems(database, [], { sourceName: other, allowMassRemoval: true });
    }
  },
);

testOnDatabases("An import whose prepared rows are lost prepares them again", async (database) => {
  await importBetween(database, BEFORE, async () => {});
  const { attempts } = await importBetween(database, AFTER, async (attempt) => {
    // As the recovery after a crash of the database does it.
    if (attempt === 1) await database.script(`truncate ${PREPARED.join(", ")}`);
  });
  assertEquals(attempts, 2);
  assertEquals(await readState(database), STATE_AFTER);
  assertEquals(await countLeft(database), 0);
});

testOnDatabases("An import that fails leaves nothing that it prepared", async (database) => {
  await importBetween(database, BEFORE, async () => {});
  const failing = importBetween(database, AFTER, async () => {}, {
    onChange: () => Promise.reject(new Error("No more space")),
  });
  await rejects(failing, { message: "No more space" });
  assertEquals(await readState(database), STATE_BEFORE);
  for (const table of PREPARED) assertEquals(await countIn(database, table), { count: 0 }, table);
  await importBetween(database, AFTER, async () => {});
  assertEquals(await readState(database), STATE_AFTER);
  assertEquals(await countLeft(database), 0);
});

testOnDatabases("A failure that cannot be recorded leaves nothing either", async (database) => {
  await importBetween(database, BEFORE, async () => {});
  const full: Database = {
    ...database,
    query(statement, caller) {
      if (!/^\s*update import_runs/.test(statement.compile().text)) {
        return database.query(statement, caller);
      }
      return Promise.reject(new Error("No space left on device"));
    },
  };
  const failing = importBetween(full, AFTER, async () => {}, {
    onChange: () => Promise.reject(new Error("No more space")),
  });
  await rejects(failing, { message: "No more space" });
  for (const table of PREPARED) assertEquals(await countIn(database, table), { count: 0 }, table);
});

Deno.test("A start frees the room of what was prepared, and writes nothing if there is none", () =>
  withFolder(async (DATA_DIR) => {
    await copyStarted(DATA_DIR);
    const onDatabase = async (script: string) => {
      const database = await openEmbedded(DATA_DIR);
      await database.script(script);
      const state = await queryOne<{ size: number; file: number }>(
        database,
        sql`
          select pg_relation_size('prepared_words')::int as size,
            pg_relation_filenode('prepared_words')::int as file
        `,
      );
      await database.close();
      return state;
    };
    const start = async () => {
      await using server = await startServer({ DATA_DIR });
      server.kill("SIGTERM");
      assertEquals(await server.ended, 0, server.output());
      return server.output();
    };
    const leave = "insert into prepared_words values (1, 'left');";
    // Deleted rows take up room too.
    for (const script of [leave, `${leave} delete from prepared_words;`]) {
      const before = await onDatabase(script);
      await start();
      const { size, file } = await onDatabase("");
      assertEquals([before.size > 0, size], [true, 0]);
      notDeepStrictEqual(file, before.file);
    }
    const clean = await onDatabase("");
    await start();
    assertEquals(await onDatabase(""), clean);
    await onDatabase(`
      create function refuse() returns trigger language plpgsql as
        $$ begin raise 'No space left on device'; end $$;
      create trigger refuse before truncate on prepared_words execute function refuse();
      ${leave}
    `);
    match(await start(), /Cannot clean up after earlier imports.+No space left on device/);
  }));

testOnDatabases("A change of a date or status keeps the texts of a release", async (database) => {
  const textOf = () =>
    queryOne<{ text_id: number; words: string }>(
      database,
      sql`select text_id::int as text_id, words::text as words from items`,
    );
  await importItems(database, [makeItem(1)]);
  const before = await textOf();
  await importItems(database, [makeItem(1, { release_status: "Shipped" })]);
  assertEquals(await textOf(), before);
  await importItems(database, [makeItem(1, { tags: { Cloud: ["Worldwide"] } })]);
  const tagged = await textOf();
  assertEquals([tagged.text_id > before.text_id, tagged.words.includes("worldwide")], [true, true]);
});
