import { type Connection, type Database, queryOne } from "./database.ts";
import { sql } from "./sql.ts";

/** The version of the server, as it names it: `17.5`. */
export async function readServerVersion(connection: Connection): Promise<string> {
  const { version } = await queryOne<{ version: string }>(
    connection,
    sql`select split_part(current_setting('server_version'), ' ', 1) as version`,
  );
  return version;
}

/** The extensions that we use: the versions that are installed and available. */
export function readExtensions(
  connection: Connection,
): Promise<{ name: string; installed: string | null; available: string | null }[]> {
  return connection.query(sql`
    select name, installed_version as installed, default_version as available
    from pg_available_extensions
    where name in ('pg_trgm', 'vector')
    order by name
  `);
}

/**
 * Creates an extension and undoes it: what a role may create, only trying shows, since hosts have
 * rules of their own.
 */
export async function tryExtension(database: Database, name: string): Promise<void> {
  const undone = new Error("undone");
  try {
    await database.transaction(async (transaction) => {
      await transaction.script(`create extension ${name}`);
      throw undone;
    });
  } catch (error) {
    if (error !== undone) throw error;
  }
}

/** What the clock of the server says, in milliseconds. */
export async function readServerTime(connection: Connection): Promise<number> {
  const { now } = await queryOne<{ now: number }>(
    connection,
    sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
  );
  return now;
}
