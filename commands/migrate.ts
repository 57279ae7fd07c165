import { readMigrations } from "../lib/database/migrate.ts";
import { openDatabase } from "../lib/database/open_database.ts";
import { bringUpToDate, type Command } from "./command.ts";
import { parseGiven } from "./given.ts";

/** `deno task migrate`: brings the database up to date. */
export const run: Command = async (args, config) => {
  parseGiven("migrate", args);
  const database = await openDatabase(config);
  try {
    const applied = await bringUpToDate(database, await readMigrations());
    for (const name of applied) console.log(`Applied ${name}`);
    if (applied.length === 0) console.log("The database is up to date");
  } finally {
    await database.close();
  }
};
