import { readMigrations } from "../lib/database/migrate.ts";
import { openDatabase } from "../lib/database/open_database.ts";
import { bringUpToDate, type Command, parseWords } from "./command.ts";
import { HELPS } from "./helps.ts";

const { usage: USAGE } = HELPS.migrate;

/** `deno task migrate`: brings the database up to date. */
export const run: Command = async (args, config) => {
  parseWords(args, {}, { usage: USAGE });
  const database = await openDatabase(config);
  try {
    const applied = await bringUpToDate(database, await readMigrations());
    for (const name of applied) console.log(`Applied ${name}`);
    if (applied.length === 0) console.log("The database is up to date");
  } finally {
    await database.close();
  }
};
