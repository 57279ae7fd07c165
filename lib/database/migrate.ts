import { createHash } from "node:crypto";
import type { Connection, Database } from "./database.ts";
import { sql } from "./sql.ts";

/** Any number that no other user of advisory locks in the same database is likely to take. */
const MIGRATION_LOCK = 7_302_014;

const FOLDER = new URL("../../migrations/", import.meta.url);

/** The database holds other migrations than this version brings; the message says what to do. */
export class MigrationError extends Error {
  override name = "MigrationError";
}

/** One file of `migrations/`: plain SQL that is never edited once it was released. */
export interface Migration {
  readonly name: string;
  readonly text: string;
}

/** Reads the migrations that ship with this version, in their order. */
export async function readMigrations(): Promise<Migration[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(FOLDER)) if (name.endsWith(".sql")) names.push(name);
  return await Promise.all(
    names.sort().map(async (name) => ({
      name,
      text: await Deno.readTextFile(new URL(name, FOLDER)),
    })),
  );
}

/**
 * Applies what is missing of the migrations, in one transaction and under a lock, and returns the
 * names of those it applied. Refuses a database that is newer than this version, or one whose
 * migration says something else than ours.
 *
 * @throws {MigrationError}
 */
export function migrate(
  database: Database,
  migrations: readonly Migration[],
): Promise<string[]> {
  return database.transaction(async (connection) => {
    await connection.query(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await connection.script(`create table if not exists migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`);
    const applied = await readApplied(connection);
    refuseUnknown(applied, migrations);
    const missing = migrations.filter(({ name }) => !applied.has(name));
    for (const { name, text } of missing) {
      await connection.script(text);
      await connection.query(
        sql`insert into migrations (name, checksum) values (${name}, ${checksum(text)})`,
      );
    }
    return missing.map(({ name }) => name);
  });
}

async function readApplied(connection: Connection): Promise<Map<string, string>> {
  const rows = await connection.query<{ name: string; checksum: string }>(
    sql`select name, checksum from migrations order by name`,
  );
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

function refuseUnknown(applied: Map<string, string>, migrations: readonly Migration[]): void {
  const known = new Map(migrations.map(({ name, text }) => [name, checksum(text)]));
  for (const [name, appliedChecksum] of applied) {
    if (!known.has(name)) {
      throw new MigrationError(
        `The database has the migration ${name}, which this version of Roadcast does not know: run a newer version`,
      );
    }
    if (known.get(name) !== appliedChecksum) {
      throw new MigrationError(
        `The migration ${name} was edited after it had been applied: restore it`,
      );
    }
  }
}

function checksum(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The names of the migrations that this version has and the database has not. */
export async function listMissingMigrations(connection: Connection): Promise<string[]> {
  const applied = await readApplied(connection);
  return (await readMigrations()).map(({ name }) => name).filter((name) => !applied.has(name));
}
