import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { join } from "node:path";
import type { Database } from "../../../lib/database/database.ts";
import { createScratchDatabase, TEST_DATABASE_URL, withEmbedded } from "../../support/databases.ts";
import { openPostgres } from "../../../lib/database/postgres/postgres.ts";
import { Sql, sql } from "../../../lib/database/sql.ts";
import { makeItem, startApp } from "../../support/app.ts";
import { runHere } from "../../support/command.ts";
import { withFolder } from "../../support/folder.ts";
import { startEmbeddingServer } from "../../support/servers/embedding_server.ts";
import { startDigests } from "../../support/subjects/digests.ts";
import { embedAll, settingsFor } from "../../support/subjects/semantic.ts";

const psql = await new Deno.Command("psql", { args: ["--version"] }).output()
  .then(({ success }) => success, () => false);

/** Items, their history, subscribers, emails that wait, a webhook, and vectors; and their backup. */
function fill(DATA_DIR: string, file: string) {
  return withEmbedded(DATA_DIR, async (database) => {
    await using service = startEmbeddingServer();
    await using services = await startDigests(database);
    await services.import([makeItem(1), makeItem(2, { feature_description: "It's \\ \n;\n$$ é" })]);
    await services.verify("ann@example.com", { cadence: "immediate", q: ["feature"] });
    await services.verify("bob@example.com", { cadence: "daily" });
    await services.import([makeItem(1, { feature_name: "Renamed" }), makeItem(3)]);
    await services.digest();
    await services.subscribe("eve@example.com");
    await embedAll(database, settingsFor(service));
    const add = ["webhooks", "add", "http://127.0.0.1:9/hook", "--name", "ops", "--q", "feature"];
    const added = await runHere(add, { DATA_DIR, WEBHOOK_ALLOW_PRIVATE: "true" });
    assertEquals([added.code, added.err], [0, ""]);
    const before = await readBoth(database);
    return { before, written: await runHere(["backup", "--sql", file], { DATA_DIR }) };
  }, { shares: true });
}

/** Every row of every table that is kept in a crash, and the next numbers. */
async function readAll(database: Database): Promise<Record<string, unknown>> {
  const tables = await database.query<{ name: string }>(sql`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'p'
    order by name
  `);
  const all: Record<string, unknown> = {};
  await database.transaction(async (connection) => {
    await connection.script("set local timezone = 'UTC'");
    for (const { name } of tables) {
      const rows = await connection.query<{ row: string }>(
        new Sql([`select row_to_json(t)::text as row from ${name} as t`], []),
      );
      all[name] = rows.map(({ row }) => row).sort();
    }
  });
  all.sequences = (await database.query<{ name: string; value: string }>(sql`
    select sequencename::text as name, last_value::text as value from pg_sequences order by 1
  `)).map(({ name, value }) => `${name} ${value}`);
  all.triggers = (await database.query<{ name: string }>(sql`
    select tgname || ' ' || tgenabled::text as name from pg_trigger where not tgisinternal order by 1
  `)).map(({ name }) => name);
  // The next import reads the source again instead.
  delete all.source_pages;
  return all;
}

/** What readers get, byte for byte. */
async function readAnswers(database: Database): Promise<string[]> {
  await using app = await startApp(database);
  const { data } = await app.json("/api/releases");
  const paths = [
    "/api/releases",
    "/api/releases?q=renamed",
    `/api/releases/history/${data[0].release_item_id}`,
    "/api/changes",
    "/rss",
    "/api/filter-options",
  ];
  return await Promise.all(paths.map(async (path) => await (await app.fetch(path)).text()));
}

async function readBoth(database: Database) {
  return { all: await readAll(database), answers: await readAnswers(database) };
}

Deno.test("A database moves from one embedded database to another as SQL", () =>
  withFolder(async (folder) => {
    const [from, to] = [join(folder, "from"), join(folder, "to")];
    const file = join(folder, "roadcast.sql");
    const { before, written } = await fill(from, file);
    assert(
      (before.all.outbox as unknown[]).length > 0 && (before.all.changes as unknown[]).length > 0,
    );
    assert((before.all.embeddings as unknown[]).length > 0);
    assertEquals([written.code, written.err], [0, ""]);
    match(written.out, /^Wrote 3 items to .*roadcast\.sql \(\d+\.\d MB\)/);
    assertEquals((await Deno.stat(file)).mode! & 0o777, 0o600, "it contains addresses");
    const restored = await runHere(["restore", file], { DATA_DIR: to });
    assertEquals([restored.code, restored.err], [0, ""]);
    assertEquals(await withEmbedded(to, readBoth), before);

    const again = await runHere(["restore", file], { DATA_DIR: to });
    match(again.err, /^There is a database in .*\/to already/);
    const bytes = await Deno.readFile(file);
    const refused = async (content: Uint8Array, DATA_DIR: string) => {
      await Deno.writeFile(`${file}.cut`, content);
      const { code, err } = await runHere(["restore", `${file}.cut`], { DATA_DIR });
      assertEquals([...Deno.readDirSync(DATA_DIR)].map(({ name }) => name), ["roadcast.lock"]);
      return [code, err.trim().replace(/.*\.cut: /, "")];
    };
    const none = join(folder, "none");
    assertEquals(await refused(bytes.subarray(0, 5_000), none), [
      1,
      "it ends before its last part",
    ]);
    assertEquals(await refused(bytes.subarray(0, -15), none), [1, "it ends before its last part"]);
  }));

Deno.test({
  name: "A database moves from embedded to PostgreSQL with psql, and back",
  ignore: TEST_DATABASE_URL === null || !psql,
  fn: () =>
    withFolder(async (folder) => {
      const [from, back] = [join(folder, "from"), join(folder, "back")];
      const [there, again] = [join(folder, "there.sql"), join(folder, "back.sql")];
      const { before, written: moved } = await fill(from, there);
      const { url, drop } = await createScratchDatabase();
      try {
        assertEquals(moved.err, "");
        const load = () => new Deno.Command("psql", { args: ["-Xq", url, "-f", there] }).output();
        assertEquals((await load()).code, 0);
        const database = await openPostgres(url);
        assertEquals(await readBoth(database), before);
        const twice = await load();
        match(new TextDecoder().decode(twice.stderr), /relation "migrations" already exists/);
        assertEquals(await readBoth(database), before, "a second time changes nothing");
        await database.close();

        const written = await runHere(["backup", "--sql", again], { DATABASE_URL: url });
        assertEquals([written.code, written.err], [0, ""]);
        assertEquals((await runHere(["restore", again], { DATA_DIR: back })).err, "");
        assertEquals(await withEmbedded(back, readBoth), before);
      } finally {
        await drop();
      }
    }),
});

Deno.test("A missing database is not moved", () =>
  withFolder(async (folder) => {
    const DATA_DIR = join(folder, "data");
    const missing = await runHere(["backup", "--sql", join(folder, "file")], { DATA_DIR });
    match(missing.err, /^There is no embedded database in /);
    assertEquals([...Deno.readDirSync(folder)], []);
  }));
