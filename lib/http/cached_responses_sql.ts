import type { Connection } from "../database/database.ts";
import { sql } from "../database/sql.ts";

/** A built answer as the database keeps it for all processes. */
export interface Copy {
  body: Uint8Array;
  headers: Record<string, string>;
  /** Milliseconds since 1970 */
  built_at: number;
}

/** Reads the copy of an answer; null where there is none. */
export async function readCopy(connection: Connection, keyHash: Uint8Array): Promise<Copy | null> {
  const [copy] = await connection.query<Copy>(sql`
    select body, headers, (extract(epoch from built_at) * 1000)::float8 as built_at
    from copies where key_hash = ${keyHash}
  `);
  return copy ?? null;
}

/** Stores the newest copy of an answer; one that was built later already stays. */
export async function storeCopy(
  connection: Connection,
  keyHash: Uint8Array,
  { body, headers, built_at }: Copy,
): Promise<void> {
  await connection.query(sql`
    insert into copies (key_hash, body, headers, built_at)
    values (
      ${keyHash}, ${body}, ${JSON.stringify(headers)}::text::jsonb,
      to_timestamp(${built_at}::float8 / 1000)
    )
    on conflict (key_hash) do update set
      body = excluded.body, headers = excluded.headers, built_at = excluded.built_at,
      refresh_until = null
    where copies.built_at < excluded.built_at
  `);
}

/**
 * Takes the right to refresh a copy for some time; false where another process has it, or has
 * refreshed the copy already. All times are milliseconds since 1970.
 */
export async function claimRefresh(
  connection: Connection,
  keyHash: Uint8Array,
  claim: { seenBuiltAt: number; now: number; until: number },
): Promise<boolean> {
  const claimed = await connection.query(sql`
    update copies
    set refresh_until = to_timestamp(${claim.until}::float8 / 1000)
    where key_hash = ${keyHash}
      and built_at <= to_timestamp(${claim.seenBuiltAt}::float8 / 1000)
      and (refresh_until is null or refresh_until <= to_timestamp(${claim.now}::float8 / 1000))
    returning 1
  `);
  return claimed.length === 1;
}

/** Lets others try again from then on, after a refresh failed. */
export async function releaseRefresh(
  connection: Connection,
  keyHash: Uint8Array,
  from: number,
): Promise<void> {
  await connection.query(sql`
    update copies set refresh_until = to_timestamp(${from}::float8 / 1000)
    where key_hash = ${keyHash}
  `);
}

/** Deletes copies that were built before a moment, and the oldest ones above so many bytes. */
export async function pruneCopies(
  connection: Connection,
  { builtBefore, maxBytes }: { builtBefore: number; maxBytes: number },
): Promise<void> {
  await connection.query(sql`
    delete from copies
    using (
      select key_hash, sum(octet_length(body) + 500) over (order by built_at desc, key_hash) as bytes
      from copies
    ) as younger
    where copies.key_hash = younger.key_hash
      and (
        built_at < to_timestamp(${builtBefore}::float8 / 1000)
        or younger.bytes > ${maxBytes}::bigint
      )
  `);
  await connection.script("vacuum copies");
}
