import { deepStrictEqual as assertEquals, match as assertMatch, rejects } from "node:assert/strict";
import type { Database } from "../lib/database/database.ts";
import { openInMemory } from "../lib/database/embedded.ts";
import { migrate, readMigrations } from "../lib/database/migrate.ts";
import { openPostgres } from "../lib/database/postgres.ts";
import { sql } from "../lib/database/sql.ts";
import { runCommand } from "./support/command.ts";
import { createScratchDatabase, TEST_DATABASE_URL } from "./support/databases.ts";

const KINDS: Record<string, () => Promise<{ database: Database; drop(): Promise<void> }>> = {
  embedded: async () => ({ database: await openInMemory(), drop: async () => {} }),
  ...TEST_DATABASE_URL && {
    PostgreSQL: async () => {
      const { url, drop } = await createScratchDatabase();
      return { database: await openPostgres(url), drop };
    },
  },
};

const CREATE = {
  name: "0001_a.sql",
  text: "create table a (x integer); insert into a values (1);",
};
const FILL = { name: "0002_b.sql", text: "insert into a values (2);" };
const BROKEN = { name: "0003_c.sql", text: "insert into a values (3); select no_such_function();" };

for (const [kind, open] of Object.entries(KINDS)) {
  Deno.test({
    name: `Migrations run in order, once, and all or nothing (${kind})`,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const { database, drop } = await open();
      const values = async () =>
        (await database.query<{ x: number }>(sql`select x from a order by x`)).map(({ x }) => x);
      try {
        assertEquals(await migrate(database, [CREATE]), ["0001_a.sql"]);
        assertEquals(await migrate(database, [CREATE, FILL]), ["0002_b.sql"]);
        assertEquals(await migrate(database, [CREATE, FILL]), []);
        assertEquals(await values(), [1, 2]);
        await rejects(() => migrate(database, [CREATE, FILL, BROKEN]), /no_such_function/);
        assertEquals(await values(), [1, 2]);
        const edited = { ...FILL, text: "insert into a values (4);" };
        await rejects(() => migrate(database, [CREATE, edited]), {
          name: "MigrationError",
          message: "The migration 0002_b.sql was edited after it had been applied: restore it",
        });
        await rejects(() => migrate(database, [CREATE]), {
          name: "MigrationError",
          message: "The database has the migration 0002_b.sql, which this version of Roadcast " +
            "does not know: run a newer version",
        });
        assertEquals(await values(), [1, 2]);
      } finally {
        await database.close();
        await drop();
      }
    },
  });
}

Deno.test("Every migration has a number of its own", async () => {
  const names = (await readMigrations()).map(({ name }) => name);
  const numbers = names.map((name) => Number(/^(\d{4})_[a-z_]+\.sql$/.exec(name)?.[1]));
  assertEquals(numbers, numbers.toSorted((a, b) => a - b));
  assertEquals(new Set(numbers).size, numbers.length);
  assertEquals(numbers[0], 1);
});

Deno.test({
  name: "Two processes migrate at once, and each migration is applied once (PostgreSQL)",
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
      const { code, out, err } = await runCommand(["migrate"], settings);
      assertEquals([code, out], [1, ""]);
      assertMatch(err, /^The database has the migration 9999_x\.sql, .*: run a newer version$/);
    } finally {
      await drop();
    }
  },
});
