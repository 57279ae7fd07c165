import { createHash } from "node:crypto";
import { ExpectedError } from "../expected_error.ts";
import { ADVISORY_LOCKS } from "./advisory_locks.ts";
import { type Connection, type Database, DatabaseReadOnly, queryOne } from "./database.ts";
import { sql } from "./sql.ts";

const FOLDER = new URL("../../migrations/", import.meta.url);

/** The migrations of the database do not fit this version; the message says what to do. */
export class MigrationError extends ExpectedError {}

/** One file of `migrations/`: plain SQL that is never edited after its release. */
export interface Migration {
  readonly name: string;
  readonly text: string;
}

/** Reads the migrations that ship with this version, in their order. */
export async function readMigrations(): Promise<Migration[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(FOLDER)) {
    if (/^\d+_.*\.sql$/.test(name)) names.push(name);
  }
  return await Promise.all(
    names.sort().map(async (name) => ({
      name,
      text: await Deno.readTextFile(new URL(name, FOLDER)),
    })),
  );
}

/**
 * Applies the missing migrations, in one transaction and under a lock, and returns their names.
 * Refuses a database that is newer than this version or of an unreleased one, an applied migration
 * that was edited, and a migration that comes too late: it would run after others here and before
 * them in a new database.
 *
 * @throws {MigrationError}
 */
export function migrate(
  database: Database,
  migrations: readonly Migration[],
): Promise<string[]> {
  const done = database.transaction(async (connection) => {
    await connection.query(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.migration})`);
    await connection.script(`create table if not exists migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`);
    const missing = missingOf(migrations, await readApplied(connection));
    for (const { name, text } of missing) {
      await connection.script(text);
      await connection.query(
        sql`insert into migrations (name, checksum) values (${name}, ${checksum(text)})`,
      );
    }
    return missing.map(({ name }) => name);
  });
  return done.catch((error) => {
    throw explainMigration(error);
  });
}

/** What the configured server or role lacks, by SQLSTATE; other errors are returned unchanged. */
function explainMigration(error: Error): Error {
  const { message, code = "" }: Error & { code?: string } = error instanceof DatabaseReadOnly
    ? error.cause as Error
    : error;
  const rights = "give the role the right to use its schema and to create tables and extensions " +
    "there, or let an administrator create the extension";
  const advice = {
    "42501": rights, // insufficient_privilege
    "3F000": rights, // invalid_schema_name: there is none that the role may use
    "58P01": "install it on the server", // undefined_file
    "0A000": "install it on the server", // feature_not_supported
    "25006": "set DATABASE_URL to the primary server", // read_only_sql_transaction
  }[code];
  if (advice === undefined) return error;
  return new MigrationError(`Cannot migrate the database of DATABASE_URL: ${message}: ${advice}`);
}

/** Whether a database is new: no migration has been applied. */
export async function isEmpty(connection: Connection): Promise<boolean> {
  const { has_table } = await queryOne<{ has_table: boolean }>(
    connection,
    sql`select to_regclass('migrations') is not null as has_table`,
  );
  return !has_table || (await readApplied(connection)).size === 0;
}

/**
 * Refuses a database that needs a migration first, and changes nothing.
 *
 * @throws {MigrationError} that names the migrations and what to run
 */
export async function requireMigrated(
  connection: Connection,
  migrations: readonly Migration[],
): Promise<void> {
  if (await isEmpty(connection)) {
    throw new MigrationError("The database is empty: run `deno task migrate`");
  }
  const missing = missingOf(migrations, await readApplied(connection)).map(({ name }) => name);
  if (missing.length > 0) {
    throw new MigrationError(
      `The database is older than this version of Roadcast (it lacks ${missing.join(", ")}): ` +
        "back it up, then run `deno task migrate`",
    );
  }
}

/** The names of the migrations that the database lacks. */
export async function listMissingMigrations(connection: Connection): Promise<string[]> {
  const applied = await readApplied(connection);
  return (await readMigrations()).map(({ name }) => name).filter((name) => !applied.has(name));
}

type Checksums = ReadonlyMap<string, string>;

async function readApplied(connection: Connection): Promise<Checksums> {
  const rows = await connection.query<{ name: string; checksum: string }>(
    sql`select name, checksum from migrations order by name`,
  );
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

/** The migrations to apply, in order. */
function missingOf(migrations: readonly Migration[], applied: Checksums): Migration[] {
  refuseUnknown(applied, migrations);
  const missing = migrations.filter(({ name }) => !applied.has(name));
  const last = [...applied.keys()].sort().at(-1);
  const late = missing.find(({ name }) => last !== undefined && name < last);
  if (late) {
    throw new MigrationError(
      `The migration ${late.name} comes too late: the database already has ${last}. ` +
        "Give it a higher number",
    );
  }
  return missing;
}

function refuseUnknown(applied: Checksums, migrations: readonly Migration[]): void {
  const known = new Map(migrations.map(({ name, text }) => [name, checksum(text)]));
  const unknown = [...applied.keys()].filter((name) => !known.has(name));
  const isSkipping = migrations.some(({ name }) => !applied.has(name) && name < unknown.at(-1)!);
  if (unknown.length > 0 && isSkipping) {
    throw new MigrationError(
      `The database was made by an unreleased version of Roadcast, which had ${unknown[0]}: ` +
        "restore a backup of a released version, or import the sources into an empty database",
    );
  }
  if (unknown.length > 0) {
    throw new MigrationError(
      "The database is newer than this version of Roadcast, " +
        `which does not know ${unknown.join(", ")}: run a newer version`,
    );
  }
  for (const [name, appliedChecksum] of applied) {
    if (known.get(name) !== appliedChecksum) {
      throw new MigrationError(
        `The migration ${name} was edited after it was applied: restore it`,
      );
    }
  }
}

function checksum(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
