import { deepStrictEqual as assertEquals, match as assertMatch, rejects } from "node:assert/strict";
import type { Database } from "../../../lib/database/database.ts";
import { migrate, readMigrations } from "../../../lib/database/migrate.ts";
import { readConfig } from "../../../lib/config/config.ts";
import { openDatabase } from "../../../lib/database/open_database.ts";
import { openPostgres } from "../../../lib/database/postgres/postgres.ts";
import { sql } from "../../../lib/database/sql.ts";
import { type Ending, runCommand, runHere } from "../../support/command.ts";
import {
  createScratchDatabase,
  TEST_DATABASE_URL,
  testOnNewDatabases,
} from "../../support/databases.ts";
import { testOnOwnDatabases } from "../../support/fault_databases.ts";
import { loadDatabaseOf030 } from "../../support/release_0_3_0.ts";

const FIXTURE = new URL("../../fixtures/fabric.json", import.meta.url).pathname;

const CREATE = {
  name: "0001_a.sql",
  text: "create table a (x integer); insert into a values (1);",
};
const FILL = { name: "0002_b.sql", text: "insert into a values (2);" };
const BROKEN = { name: "0003_c.sql", text: "insert into a values (3); select no_such_function();" };

testOnNewDatabases("Migrations run in order, once, and all or nothing", async (database) => {
  const values = async () =>
    (await database.query<{ x: number }>(sql`select x from a order by x`)).map(({ x }) => x);
  assertEquals(await migrate(database, [CREATE]), ["0001_a.sql"]);
  assertEquals(await migrate(database, [CREATE, FILL]), ["0002_b.sql"]);
  assertEquals(await migrate(database, [CREATE, FILL]), []);
  assertEquals(await values(), [1, 2]);
  await rejects(() => migrate(database, [CREATE, FILL, BROKEN]), /no_such_function/);
  assertEquals(await values(), [1, 2]);
  const edited = { ...FILL, text: "insert into a values (4);" };
  await rejects(() => migrate(database, [CREATE, edited]), {
    name: "MigrationError",
    message: "The migration 0002_b.sql was edited after it was applied: restore it",
  });
  await rejects(() => migrate(database, [CREATE]), {
    name: "MigrationError",
    message: "The database is newer than this version of Roadcast, " +
      "which does not know 0002_b.sql: run a newer version",
  });
  await rejects(() => migrate(database, [CREATE, { ...FILL, name: "0002_a.sql" }]), {
    name: "MigrationError",
    message: "The database was made by an unreleased version of Roadcast, which had " +
      "0002_b.sql: restore a backup of a released version, or import the sources into an " +
      "empty database",
  });
  const late = { name: "0001_z.sql", text: "insert into a values (5);" };
  await rejects(() => migrate(database, [CREATE, late, FILL]), {
    name: "MigrationError",
    message: "The migration 0001_z.sql comes too late: the database already has 0002_b.sql. " +
      "Give it a higher number",
  });
  assertEquals(await values(), [1, 2]);
});

Deno.test("Migrations are numbered without gaps, from the baseline", async () => {
  const names = (await readMigrations()).map(({ name }) => name);
  const numbers = names.map((name) => Number(/^(\d{4})_[a-z_]+\.sql$/.exec(name)?.[1]));
  assertEquals(numbers, numbers.map((_, place) => 42 + place));
});

const SEMANTIC = { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" };
/** Every command that uses the items, except `start`. */
const COMMANDS = [
  ["import", FIXTURE],
  ["imports"],
  ["digest"],
  ["embed"],
  ["search", "words"],
  ["outbox"],
  ["subscriptions"],
];

testOnOwnDatabases(
  "Commands refuse an older or newer database, and change nothing",
  async (settings) => {
    const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = readConfig(settings);
    const work = async (work: (database: Database) => Promise<void>) => {
      const database = await openDatabase({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl });
      await work(database).finally(() => database.close());
    };
    const names = (await readMigrations()).map(({ name }) => name);
    await work(loadDatabaseOf030);
    const endings = async (commands: string[][]) => {
      const expected: Ending[] = [];
      for (const words of commands) {
        expected.push(
          await runHere(words, { ...SEMANTIC, ...settings }),
        );
      }
      return expected;
    };
    const older = "The database is older than this version of Roadcast (it lacks " +
      `${names.join(", ")}): back it up, then run \`deno task migrate\``;
    assertEquals(await endings(COMMANDS), COMMANDS.map(() => ({ code: 1, out: "", err: older })));
    assertEquals(await runHere(["migrate"], settings), {
      code: 0,
      out: names.map((name) => `Applied ${name}`).join("\n"),
      err: "",
    });
    assertMatch((await runHere(["imports"], settings)).out, /1 added/);

    await work(async (database) => {
      await database.script("insert into migrations (name, checksum) values ('9999_x.sql', 'x')");
    });
    const newer = "The database is newer than this version of Roadcast, " +
      "which does not know 9999_x.sql: run a newer version";
    const refused = [["migrate"], ["imports"], ["import", FIXTURE]];
    assertEquals(await endings(refused), refused.map(() => ({ code: 1, out: "", err: newer })));
    const server = await runCommand(["serve"], { ...settings, PORT: "0" });
    assertEquals([server.code, server.err], [1, newer]);
  },
  { isNew: true },
);

testOnOwnDatabases(
  "An empty database is set up by migrate, start and the first import",
  async (settings) => {
    const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = readConfig(settings);
    const empty = databaseUrl === null
      ? `There is no embedded database in ${dataDir}: it is created by the first start or import`
      : "The database is empty: run `deno task migrate`";
    for (const words of [["imports"], ["digest"]]) {
      assertEquals(await runHere(words, settings), { code: 1, out: "", err: empty });
    }
    assertEquals([...Deno.readDirSync(settings.DATA_DIR ?? await Deno.makeTempDir())], []);
    const { code, out } = await runHere(["import", FIXTURE], settings);
    assertEquals(code, 0);
    assertMatch(out, /: 2 added, /);
  },
  { isNew: true },
);

Deno.test({
  name: "Two processes migrating at the same time apply each migration once (PostgreSQL)",
  ignore: TEST_DATABASE_URL === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const { url, drop } = await createScratchDatabase();
    try {
      const settings = { DATABASE_URL: url };
      const names = (await readMigrations()).map(({ name }) => `Applied ${name}`);
      const endings = await Promise.all(
        [1, 2].map(() => runCommand(["migrate"], settings)),
      );
      assertEquals(endings.map(({ code, err }) => [code, err]), [[0, ""], [0, ""]]);
      const printed = endings.map(({ out }) => out).sort();
      assertEquals(printed, [names.join("\n"), "The database is up to date"]);
      const database = await openPostgres(url);
      await database.query(sql`insert into migrations (name, checksum) values ('9999_x.sql', 'x')`);
      await database.close();
      const { code, out, err } = await runHere(["migrate"], settings);
      assertEquals([code, out], [1, ""]);
      assertMatch(err, /^The database is newer than .* 9999_x\.sql: run a newer version$/);
    } finally {
      await drop();
    }
  },
});
