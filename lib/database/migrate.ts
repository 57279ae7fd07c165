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

/** What the newest migration of version 0.3.0 was: a database that has it lacks nothing of the baseline. */
const REPLACED = {
  name: "0041_item_versions.sql",
  checksum: "f847c2829c66039ded039eefc4ef82cd2d22f73d81234d5252917869bd69f463",
};

/** The table of what was applied, for `create table`. */
export const MIGRATIONS_TABLE = `migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null default now(),
      phase text check (phase in ('expand', 'contract'))
    )`;

/** Reads the migrations that ship with this version, in their order: the baseline, and what came since. */
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
 * Whether the version before may go on beside a migration (`expand`) or not (`contract`), by its first
 * line; null: it says nothing, as the baseline.
 */
export function phaseOf({ text }: Migration): string | null {
  return /^-- (expand|contract): \S/.exec(text)?.[1] ?? null;
}

/**
 * Applies the missing migrations, in one transaction and under a lock, and returns their names.
 * Refuses a database that is older than 0.3.0 or of an unreleased version, one that a newer version has
 * closed to this one, an applied migration that was edited, and a migration that comes too late: it
 * would run after others here and before them in a new database.
 *
 * @throws {MigrationError}
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
): Promise<string[]> {
  const done = database.transaction(async (connection) => {
    await connection.query(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.migration})`);
    await connection.script(`create table if not exists ${MIGRATIONS_TABLE}`);
    const applied = await readApplied(connection);
    const missing = missingOf(migrations, applied);
    await connection.script(
      "alter table migrations add column if not exists phase text check (phase in ('expand', 'contract'))",
    );
    if (missing.length > 0) await refuseHiddenExtension(connection);
    for (const migration of missing) {
      const { name, text } = migration;
      if (!(migration === migrations[0] && isReplaced(applied))) await connection.script(text);
      await connection.query(sql`
        insert into migrations (name, checksum, phase)
        values (${name}, ${checksum(text)}, ${phaseOf(migration)})
      `);
    }
    return missing.map(({ name }) => name);
  });
  return await done.catch((error) => {
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

/** Many hosts keep extensions in a schema of their own, where they are found only by the search_path. */
async function refuseHiddenExtension(connection: Connection): Promise<void> {
  const [hidden] = await connection.query<{ name: string; schema: string; advice: string }>(sql`
    select extname as name, nspname as schema,
      format(
        'alter database %I set search_path = %s, %I',
        current_database(), current_setting('search_path'), nspname
      ) as advice
    from pg_extension
    join pg_namespace on pg_namespace.oid = extnamespace
    where extname in ('pg_trgm', 'vector') and nspname <> all (current_schemas(true))
    order by extname
    limit 1
  `);
  if (hidden === undefined) return;
  const { name, schema, advice } = hidden;
  throw new MigrationError(
    `Cannot migrate the database of DATABASE_URL: ${name} is in the schema ${schema}, ` +
      `which is not in the search_path: run \`${advice}\` there`,
  );
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
  if (missing.length === 0) return;
  throw new MigrationError(
    `The database is older than this version of Roadcast (it lacks ${missing.join(", ")}): ` +
      "back it up, then run `deno task migrate`",
  );
}

/**
 * Refuses a database with migrations that this version does not know, where it has to know them all.
 *
 * @throws {MigrationError}
 */
export async function refuseNewer(
  connection: Connection,
  migrations: readonly Migration[],
): Promise<void> {
  const unknown = unknownOf(await readApplied(connection), migrations);
  if (unknown.length > 0) throw newerError(unknown.map(({ name }) => name));
}

/** What keeps this version from a database: what it lacks, and what a newer version has closed to it. */
export async function compareMigrations(
  connection: Connection,
): Promise<{ missing: string[]; closing: string[] }> {
  const applied = await readApplied(connection);
  const migrations = await readMigrations();
  return {
    missing: migrations.map(({ name }) => name).filter((name) => !applied.has(name)),
    closing: closingOf(applied, migrations),
  };
}

interface Applied {
  name: string;
  checksum: string;
  phase: string | null;
}

type AppliedByName = ReadonlyMap<string, Applied>;

/** Before 0.4.0 the table had no phases. */
async function readApplied(connection: Connection): Promise<AppliedByName> {
  const rows = await connection.query<Applied>(sql`
    select name, checksum, to_jsonb(migrations) ->> 'phase' as phase
    from migrations
    order by name collate "C"
  `);
  return new Map(rows.map((row) => [row.name, row]));
}

function isReplaced(applied: AppliedByName): boolean {
  return applied.get(REPLACED.name)?.checksum === REPLACED.checksum;
}

/**
 * The migrations to apply, in order.
 *
 * @throws {MigrationError} where those that are applied are not those before them
 */
function missingOf(migrations: readonly Migration[], applied: AppliedByName): Migration[] {
  const names = [...applied.keys()];
  const [baseline] = migrations;
  const isOlder = baseline !== undefined && !applied.has(baseline.name) && !isReplaced(applied) &&
    names.some((name) => name < baseline.name);
  if (isOlder) {
    throw new MigrationError(
      "The database is older than version 0.3.0 of Roadcast: run `deno task migrate` of 0.3.0 first",
    );
  }
  const unknown = unknownOf(applied, migrations).map(({ name }) => name);
  const missing = migrations.filter(({ name }) => !applied.has(name));
  if (unknown.length > 0 && missing.some(({ name }) => name < unknown.at(-1)!)) {
    throw new MigrationError(
      `The database was made by an unreleased version of Roadcast, which had ${unknown[0]}: ` +
        "restore a backup of a released version, or import the sources into an empty database",
    );
  }
  const closing = closingOf(applied, migrations);
  if (closing.length > 0) throw newerError(closing);
  for (const { name, text } of migrations) {
    if (applied.has(name) && applied.get(name)!.checksum !== checksum(text)) {
      throw new MigrationError(`The migration ${name} was edited after it was applied: restore it`);
    }
  }
  const last = names.filter((name) => name >= baseline!.name).at(-1);
  const late = missing.find(({ name }) => last !== undefined && name < last);
  if (late) {
    throw new MigrationError(
      `The migration ${late.name} comes too late: the database already has ${last}. ` +
        "Give it a higher number",
    );
  }
  return missing;
}

/** The applied migrations that came after those which this version knows. */
function unknownOf(applied: AppliedByName, migrations: readonly Migration[]): Applied[] {
  const known = new Set(migrations.map(({ name }) => name));
  const first = migrations[0]?.name ?? "";
  return [...applied.values()].filter(({ name }) => name > first && !known.has(name));
}

/** The names of those beside which this version must not work. */
function closingOf(applied: AppliedByName, migrations: readonly Migration[]): string[] {
  return unknownOf(applied, migrations).filter(({ phase }) => phase !== "expand")
    .map(({ name }) => name);
}

function newerError(names: readonly string[]): MigrationError {
  return new MigrationError(
    "The database is newer than this version of Roadcast, " +
      `which does not know ${names.join(", ")}: run a newer version`,
  );
}

function checksum(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
