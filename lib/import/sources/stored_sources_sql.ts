import { type Connection, queryOne } from "../../database/database.ts";
import { json, sql, timestamp } from "../../database/sql.ts";
import type { WrittenEntry } from "./configured_source.ts";

/** A source that an operator added. */
export interface StoredSource {
  name: string;
  /** Its entry without the name, where each secret is `env:NAME`. */
  entry: WrittenEntry;
  is_paused: boolean;
  /** Of what was typed as secrets; null: nothing was. */
  secrets_id: string | null;
  secrets: TypedSecrets;
}

/** What an operator typed as secrets of a source. */
export interface TypedSecrets {
  /** Where they may be sent, as `originsOf` names it. */
  readonly origins: readonly string[];
  /** By the names of `env:NAME`. */
  readonly values: Readonly<Record<string, string>>;
}

/** Nothing was typed. */
export const NO_SECRETS: TypedSecrets = { origins: [], values: {} };

/** The sources that operators added, with their secrets, by name. */
export function listStoredSources(connection: Connection): Promise<StoredSource[]> {
  return connection.query(sql`
    select name, entry, is_paused, secrets_id,
      coalesce(secrets, ${json(NO_SECRETS)}) as secrets
    from stored_sources
    left join source_secrets using (secrets_id)
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

/** Stores a source, or changes the one of its name; it is no longer paused. */
export async function storeSource(
  connection: Connection,
  { name, entry, secretsId }: { name: string; entry: WrittenEntry; secretsId: string | null },
): Promise<void> {
  await connection.query(sql`
    insert into stored_sources (name, entry, is_paused, secrets_id)
    values (${name}, ${json(entry)}, false, ${secretsId}::uuid)
    on conflict (name) do update
    set entry = excluded.entry, is_paused = false, secrets_id = excluded.secrets_id
  `);
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
    with gone as (delete from stored_sources where name = ${name} returning name, secrets_id),
      secrets_gone as (
        delete from source_secrets where secrets_id in (select secrets_id from gone)
      )
    select name from gone
  `);
  return deleted.length > 0;
}

/** Stores what was typed as secrets, which is never changed: other ones have another id. */
export async function storeSecrets(
  connection: Connection,
  { id, secrets, now }: { id: string; secrets: TypedSecrets; now: Date },
): Promise<void> {
  await connection.query(sql`
    insert into source_secrets (secrets_id, secrets, created_at)
    values (${id}::uuid, ${json(secrets)}, ${timestamp(now)})
  `);
}

/** What was typed as secrets; nothing, if it is gone. */
export async function readSecrets(
  connection: Connection,
  id: string | undefined,
): Promise<TypedSecrets> {
  const [row] = await connection.query<{ secrets: TypedSecrets }>(sql`
    select secrets from source_secrets where secrets_id = ${id ?? null}::uuid
  `);
  return row?.secrets ?? NO_SECRETS;
}

/** Deletes secrets from before a moment that no source and no upload has. */
export async function deleteUnusedSecrets(connection: Connection, moment: Date): Promise<void> {
  await connection.query(sql`
    delete from source_secrets
    where created_at < ${timestamp(moment)}
      and secrets_id not in (select secrets_id from stored_sources where secrets_id is not null)
      and secrets_id::text not in (
        select options ->> 'secretsId' from uploads where options ? 'secretsId'
      )
  `);
}
