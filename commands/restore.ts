import { BackupError, readBackup } from "./backup_file.ts";
import { holdsEmbedded, restoreEmbedded } from "../lib/database/embedded/embedded.ts";
import { type Database, DatabaseAway } from "../lib/database/database.ts";
import { migrate, readMigrations } from "../lib/database/migrate.ts";
import { isSqlBackup, readSqlBackup } from "../lib/database/sql_backup.ts";
import { ExpectedError, firstLineOf } from "../lib/expected_error.ts";
import { countItems } from "../lib/roadmap/items_sql.ts";
import { refusePostgres } from "./backup.ts";
import type { Command } from "./command.ts";
import { CannotRun, parseGiven } from "./given.ts";
import { countOf } from "../lib/text/phrases.ts";

const ENOSPC = 51;

/** `deno task restore`: creates the embedded database from a file that `backup` wrote. */
export const run: Command = async (args, config) => {
  const { positionals: [file] } = parseGiven("restore", args);
  refusePostgres(
    config,
    "restore it with pg_restore, or with psql what `backup --sql` has written",
  );
  const { DATA_DIR: dataDir } = config;
  if (await holdsEmbedded(dataDir)) {
    throw new CannotRun(
      `There is a database in ${dataDir} already: move it away, or set DATA_DIR to another folder`,
    );
  }
  await requireFile(file!);
  const items = await startsAsSql(file!)
    ? await restoreSql(file!, dataDir)
    : await restoreImage(file!, dataDir);
  console.log(`Restored ${countOf(items, "item")} to ${dataDir}`);
};

async function restoreImage(file: string, dataDir: string): Promise<number> {
  const { image, items } = await readBackup(file);
  await restoreEmbedded(dataDir, { image }).catch((error) => explainWriting(error, dataDir));
  return items;
}

async function startsAsSql(path: string): Promise<boolean> {
  using file = await Deno.open(path);
  const start = new Uint8Array(100);
  return isSqlBackup(start.subarray(0, await file.read(start) ?? 0));
}

async function restoreSql(path: string, dataDir: string): Promise<number> {
  let items = 0;
  const fill = async (database: Database) => {
    const { readable } = await Deno.open(path);
    await readSqlBackup(database, readable).catch((error) => {
      if (error instanceof DatabaseAway) throw error;
      throw new BackupError(`Cannot restore ${path}: ${firstLineOf(error)}`, { cause: error });
    });
    // One of an older version becomes one of this.
    await migrate(database, await readMigrations());
    items = await countItems(database);
  };
  await restoreEmbedded(dataDir, { fill }).catch((error) => explainWriting(error, dataDir));
  return items;
}

function explainWriting(error: Error, dataDir: string): never {
  if (error instanceof ExpectedError && !(error instanceof DatabaseAway)) throw error;
  throw new BackupError(`Cannot restore to ${dataDir}: ${describeWriting(error)}`);
}

async function requireFile(path: string): Promise<void> {
  const { isFile } = await Deno.stat(path).catch((error) => {
    throw new CannotRun(`Cannot read ${path}: ${error.message}`);
  });
  if (!isFile) throw new CannotRun(`Cannot read ${path}: it is not a file`);
}

/** The file system of PGlite reports only a WASI error number (errno). */
function describeWriting(error: unknown): string {
  const { errno, message } = error as Error & { errno?: number };
  return errno === ENOSPC ? "there is no space left on the disk" : message || String(error);
}
