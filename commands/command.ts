import { getLogger } from "@logtape/logtape";
import type { Config } from "../lib/config/config.ts";
import { type Database, isEmbedded } from "../lib/database/database.ts";
import { holdsEmbedded } from "../lib/database/embedded/embedded.ts";
import {
  isEmpty,
  migrate,
  type Migration,
  MigrationError,
  readMigrations,
  requireMigrated,
} from "../lib/database/migrate.ts";
import { openDatabase } from "../lib/database/open_database.ts";
import { forgetAllPrepared } from "../lib/import/prepared_sql.ts";
import { rejudgeStatuses } from "../lib/roadmap/rejudge_statuses_sql.ts";
import { countOf } from "../lib/text/phrases.ts";
import { CannotRun } from "./given.ts";
import { describeOthers, findOtherSettings } from "./server_settings.ts";

const log = getLogger(["roadcast"]);

/** What a task of deno.json runs. */
export type Command = (args: string[], config: Config) => Promise<void>;

/**
 * The settings of the embedding service, for a command that requires it.
 *
 * @throws {CannotRun} that names the settings, if there is no service
 */
export function requireEmbedding({ embedding }: Config): NonNullable<Config["embedding"]> {
  if (embedding) return embedding;
  throw new CannotRun("Set OPENAI_API_KEY or OPENAI_BASE_URL to name an embedding service");
}

/** Whether there is a file or folder of that name. */
export async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

/**
 * Opens the database, does the work, and closes it in any case.
 *
 * @throws {MigrationError} if the database is out of date and the command may not migrate it
 */
export async function withDatabase<Result>(
  config: Config,
  work: (database: Database) => Promise<Result>,
  { migrates = "none", shares = false, needsSame = false }: {
    /** Which databases it migrates itself: none, an empty one, or any. */
    migrates?: "none" | "empty" | "all";
    shares?: boolean;
    /** What it does depends on settings, so it says where those of a running server differ. */
    needsSame?: boolean;
  } = {},
): Promise<Result> {
  if (migrates === "none") await requireEmbedded(config);
  const database = await openDatabase(config, { shares });
  try {
    const migrations = await readMigrations();
    if (migrates === "all" || migrates === "empty" && await isEmpty(database)) {
      await bringUpToDate(database, migrations);
    } else await requireMigrated(database, migrations);
    const others = needsSame ? await findOtherSettings(config, { given: true }) : null;
    if (others !== null && others.length > 0) console.error(describeOthers(others));
    // Whoever shares it had it open alone until now, so no import is running.
    if (shares && isEmbedded(database)) await forgetLeftovers(database);
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Applies what is missing and makes what is derived anew; returns the names of what it applied. */
export async function bringUpToDate(
  database: Database,
  migrations: readonly Migration[],
): Promise<string[]> {
  const applied = await migrate(database, migrations);
  if (applied.length > 0) {
    log.info("Applied {migrations} to the database: {names}", {
      migrations: countOf(applied.length, "migration"),
      names: applied.length > 1 ? `${applied[0]} to ${applied.at(-1)}` : applied[0],
    });
  }
  await rejudgeStatuses(database);
  return applied;
}

/** Frees the room of what failed imports have left. A failure does no harm. */
async function forgetLeftovers(database: Database): Promise<void> {
  try {
    await forgetAllPrepared(database);
  } catch (error) {
    log.warn("Cannot clean up after earlier imports: {error}", { error: (error as Error).message });
  }
}

/** A command that needs existing data must not create an empty database. */
async function requireEmbedded(
  { DATABASE_URL: databaseUrl, DATA_DIR: dataDir }: Config,
): Promise<void> {
  if (databaseUrl !== null || await holdsEmbedded(dataDir)) return;
  throw new MigrationError(
    `There is no embedded database in ${dataDir}: it is created by the first start or import`,
  );
}
