import { createHash } from "node:crypto";
import { join } from "node:path";
import postgres from "postgres";
import type { Database } from "../../lib/database/database.ts";
import { openInMemory } from "../../lib/database/embedded.ts";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { openPostgres } from "../../lib/database/postgres.ts";
import { sql } from "../../lib/database/sql.ts";

/** A PostgreSQL whose superuser may create databases; unset: only the embedded one is tested. */
export const TEST_DATABASE_URL = Deno.env.get("TEST_DATABASE_URL") || null;

interface TestDatabase {
  name: string;
  open(): Promise<{ database: Database; close(): Promise<void> }>;
}

const KINDS: readonly TestDatabase[] = [
  { name: "embedded", open: openMigratedInMemory },
  ...TEST_DATABASE_URL ? [{ name: "PostgreSQL", open: openScratchDatabase }] : [],
];

/**
 * Runs a test on the embedded database, and on PostgreSQL where TEST_DATABASE_URL names one. Each
 * test finds the database migrated and empty; the tests of one file share it.
 */
export function testOnDatabases(name: string, test: (database: Database) => Promise<void>): void {
  for (const kind of KINDS) {
    const opened = openOnce(kind);
    Deno.test({
      name: `${name} (${kind.name})`,
      sanitizeOps: false, // the database works on beside the test
      sanitizeResources: false, // it stays open for the next test
      async fn() {
        const { database } = await opened();
        await emptyDatabase(database);
        await test(database);
      },
    });
  }
}

const openDatabases = new Map<TestDatabase, ReturnType<TestDatabase["open"]>>();

function openOnce(kind: TestDatabase): () => ReturnType<TestDatabase["open"]> {
  return () => {
    if (!openDatabases.has(kind)) openDatabases.set(kind, kind.open());
    return openDatabases.get(kind)!;
  };
}

Deno.test.afterAll(async () => {
  for (const opened of openDatabases.values()) await (await opened).close();
});

/** Forgets everything but the migrations. */
export async function emptyDatabase(database: Database): Promise<void> {
  const tables = await database.query<{ name: string }>(sql`
    select quote_ident(tablename) as name from pg_tables
    where schemaname = 'public' and tablename <> 'migrations'
  `);
  await database.script(
    `truncate ${tables.map(({ name }) => name).join(", ")} restart identity cascade;
    insert into service_state default values;`,
  );
}

/** Booting a new embedded database takes seconds, so that a migrated one is kept as an image. */
async function openMigratedInMemory() {
  const migrations = await readMigrations();
  const checksum = createHash("sha256").update(JSON.stringify(migrations)).digest("hex");
  const image = join(temporaryFolder(), `roadcast-test-${checksum.slice(0, 16)}.tar`);
  try {
    const database = await openInMemory(new Blob([await Deno.readFile(image)]));
    return { database, close: () => database.close() };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const database = await openInMemory();
    await migrate(database, migrations);
    const unfinished = `${image}.${Deno.pid}`;
    const { image: dumped } = await database.dump(() => Promise.resolve());
    await Deno.writeFile(unfinished, await dumped.bytes());
    await Deno.rename(unfinished, image);
    return { database, close: () => database.close() };
  }
}

function temporaryFolder(): string {
  return Deno.env.get("TMPDIR") || "/tmp";
}

async function openScratchDatabase() {
  const { url, drop } = await createScratchDatabase();
  const database = await openPostgres(url);
  await migrate(database, await readMigrations());
  return {
    database,
    async close() {
      await database.close();
      await drop();
    },
  };
}

/** Makes an empty database on the PostgreSQL of the tests, and says how to drop it. */
export async function createScratchDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `roadcast_test_${crypto.randomUUID().replaceAll("-", "")}`;
  const url = new URL(TEST_DATABASE_URL!);
  await runOnServer(`create database ${name}`);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => runOnServer(`drop database ${name} with (force)`) };
}

async function runOnServer(statement: string): Promise<void> {
  const server = postgres(TEST_DATABASE_URL!, { max: 1, onnotice: () => {} });
  await server.unsafe(statement);
  await server.end();
}
