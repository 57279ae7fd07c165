import { ExpectedError } from "../expected_error.ts";
import type { Config } from "../config/config.ts";
import { type Database, DatabaseAway, refusalOf } from "./database.ts";
import { openEmbedded, openEmbeddedOrShared } from "./embedded/embedded.ts";
import { openPostgres } from "./postgres/postgres.ts";
import { sql } from "./sql.ts";

/** The configured PostgreSQL refuses the connection; the message says what to set. */
class DatabaseRefused extends ExpectedError {}

/**
 * Opens the configured database. With `shares`, for a server, commands can use it beside this
 * process.
 *
 * @throws {DatabaseAway} if it cannot be reached
 * @throws {DatabaseRefused} if it refuses the role, password, database or transport
 */
export async function openDatabase(
  { DATABASE_URL: databaseUrl, DATA_DIR: dataDir }: Pick<Config, "DATABASE_URL" | "DATA_DIR">,
  { shares = false }: { shares?: boolean } = {},
): Promise<Database> {
  if (databaseUrl === null) {
    return shares ? await openEmbedded(dataDir, { shares }) : await openEmbeddedOrShared(dataDir);
  }
  try {
    return await openAnswering(databaseUrl);
  } catch (error) {
    throw explainConnection(error);
  }
}

async function openAnswering(url: string): Promise<Database> {
  const database = await openPostgres(url);
  try {
    await database.query(sql`select 1`);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function explainConnection(thrown: unknown): Error {
  const error = thrown instanceof DatabaseAway ? refusalOf(thrown) ?? thrown : thrown;
  const { message, code } = error as Error & { code?: string };
  if (error instanceof Deno.errors.NotCapable) {
    return new DatabaseRefused(
      "This process may not read the variables PG* of PostgreSQL's clients: start it with " +
        "--allow-env, or with --ignore-env beside the settings that it may read",
      { cause: error },
    );
  }
  if (/before secure TLS connection|wrong version number/.test(message)) {
    return new DatabaseRefused(
      "The PostgreSQL of DATABASE_URL does not support TLS: leave sslmode out of DATABASE_URL, or enable TLS there",
    );
  }
  if (error instanceof DatabaseAway) {
    return new DatabaseAway(
      `${
        message.replace("Error: ", "")
      }. Start the PostgreSQL, or set DATABASE_URL to a running one`,
      { cause: error },
    );
  }
  const advice = ADVICE[code ?? ""] ?? "Set DATABASE_URL to a PostgreSQL that accepts it";
  return new DatabaseRefused(
    `The PostgreSQL of DATABASE_URL refuses the connection: ${message}. ${advice}`,
    { cause: error },
  );
}

/** What to do, by SQLSTATE. */
const ADVICE: Readonly<Record<string, string>> = {
  "28P01": "Set its user and password to those of a role that may log in", // invalid_password
  // invalid_authorization_specification
  "28000": "Set its user to a role that may log in there, and sslmode=require if it requires TLS",
  "3D000": "Create that database, or set another one", // invalid_catalog_name
  "42501": "Let the role connect to that database, or set another one", // insufficient_privilege
};
