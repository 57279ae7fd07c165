import { type Connection, queryOne } from "../../database/database.ts";
import { json, sql } from "../../database/sql.ts";
import type { WrittenEntry } from "./configured_source.ts";

/** What operators typed as secrets of a source, by the names of `env:NAME`. */
export type TypedSecrets = Readonly<Record<string, string>>;

/** A source that an operator added. */
export interface StoredSource {
  name: string;
  /** Its entry without the name, where each secret is `env:NAME`. */
  entry: WrittenEntry;
  is_paused: boolean;
  secrets: TypedSecrets;
  /** Another one after each change. */
  version: string;
}

/** The sources that operators added, with their secrets, by name. */
export function listStoredSources(connection: Connection): Promise<StoredSource[]> {
  return connection.query(sql`
    select name, entry, is_paused, secrets, version::text as version
    from stored_sources
    order by name
  `);
}

/** Whether the schema of a database, which may be that of an earlier version, has such sources. */
export async function hasStoredSources(connection: Connection): Promise<boolean> {
  const { exists } = await queryOne<{ exists: boolean }>(
    connection,
    sql`select to_regclass('stored_sources') is not null as exists`,
  );
  return exists;
}

/**
 * Stores a source; `version` is that of the one which it changes, null of a new one. It is no longer
 * paused. False: the source was changed or removed meanwhile, or a new one of this name was added.
 */
export async function storeSource(
  connection: Connection,
  { name, entry, secrets, version }: Omit<StoredSource, "is_paused" | "version"> & {
    version: string | null;
  },
): Promise<boolean> {
  const stored = await connection.query(
    version === null
      ? sql`
        insert into stored_sources (name, entry, is_paused, secrets)
        values (${name}, ${json(entry)}, false, ${json(secrets)})
        on conflict (name) do nothing
        returning name
      `
      : sql`
        update stored_sources
        set entry = ${json(entry)}, secrets = ${json(secrets)}, is_paused = false,
          version = gen_random_uuid()
        where name = ${name} and version = ${version}::uuid
        returning name
      `,
  );
  return stored.length > 0;
}

/** Pauses a source, or resumes it; false: there is none of this name. */
export async function pauseSource(
  connection: Connection,
  name: string,
  isPaused: boolean,
): Promise<boolean> {
  const changed = await connection.query(sql`
    update stored_sources set is_paused = ${isPaused} where name = ${name} returning name
  `);
  return changed.length > 0;
}

/** Deletes a source with its secrets; its items stay. False: there is none of this name. */
export async function deleteSource(connection: Connection, name: string): Promise<boolean> {
  const deleted = await connection.query(sql`
    delete from stored_sources where name = ${name} returning name
  `);
  return deleted.length > 0;
}
