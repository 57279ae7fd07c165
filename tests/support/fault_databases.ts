import { readConfig } from "../../lib/config/config.ts";
import type { Database } from "../../lib/database/database.ts";
import { openDatabase } from "../../lib/database/open_database.ts";
import { copyMigrated, createScratchDatabase, TEST_DATABASE_URL } from "./databases.ts";
import { withFolder } from "./folder.ts";

/** Registers a test on a separate database: PostgreSQL if available, otherwise embedded. */
export function testOnOneDatabase(name: string, test: Test): void {
  if (TEST_DATABASE_URL) testOnPostgres(name, test);
  else testOnEmbedded(name, test);
}

/**
 * Registers a test for each kind of database, with the settings of a new empty one: an embedded one
 * is migrated, unless a test says that its folder is new.
 */
export function testOnOwnDatabases(name: string, test: Test, { isNew = false } = {}): void {
  testOnEmbedded(name, test, { isNew });
  if (TEST_DATABASE_URL) testOnPostgres(name, test);
}

type Test = (settings: Record<string, string>) => Promise<void>;

function testOnEmbedded(name: string, test: Test, { isNew = false } = {}): void {
  Deno.test(`${name} (embedded)`, () =>
    withFolder(async (DATA_DIR) => {
      if (!isNew) await copyMigrated(DATA_DIR);
      await test({ DATA_DIR });
    }));
}

function testOnPostgres(name: string, test: Test): void {
  Deno.test(`${name} (PostgreSQL)`, async () => {
    const { url, drop } = await createScratchDatabase();
    try {
      await test({ DATABASE_URL: url });
    } finally {
      await drop();
    }
  });
}

/** Does something in the database of some settings, while other processes have it open. */
export async function inDatabase<Result>(
  settings: Record<string, string>,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase(readConfig(settings));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
