import type { Connection } from "../../database/database.ts";
import { json, sql } from "../../database/sql.ts";

/** The largest accepted clock difference between processes; a time further ahead is wrong. */
export const MAX_SKEW_MS = 60_000;

/** A built response, stored in the database for all processes. */
export interface StoredResponse {
  /** Compressed with gzip */
  body: Uint8Array;
  headers: Record<string, string>;
  /** Milliseconds since 1970 */
  built_at: number;
}

/** Reads a stored response; null if there is none. */
export async function readCachedResponse(
  connection: Connection,
  keyHash: Uint8Array,
): Promise<StoredResponse | null> {
  const [response] = await connection.query<StoredResponse>(sql`
    select body, headers, (extract(epoch from built_at) * 1000)::float8 as built_at
    from cached_responses where key_hash = ${keyHash}
  `);
  return response ?? null;
}

/** Stores a response, unless a newer one is already stored. */
export async function storeCachedResponse(
  connection: Connection,
  keyHash: Uint8Array,
  { body, headers, built_at }: StoredResponse,
): Promise<void> {
  await connection.query(sql`
    insert into cached_responses (key_hash, body, headers, built_at)
    values (
      ${keyHash}, ${body}, ${json(headers)},
      to_timestamp(${built_at}::float8 / 1000)
    )
    on conflict (key_hash) do update set
      body = excluded.body, headers = excluded.headers, built_at = excluded.built_at,
      revalidate_until = null
    where cached_responses.built_at < excluded.built_at
      or cached_responses.built_at > to_timestamp(${built_at + MAX_SKEW_MS}::float8 / 1000)
  `);
}

/**
 * Claims the revalidation of a response for some time; false if another process has claimed it or
 * already done it. All times are milliseconds since 1970.
 */
export async function claimRevalidation(
  connection: Connection,
  keyHash: Uint8Array,
  claim: { seenBuiltAt: number; now: number; until: number },
): Promise<boolean> {
  const claimed = await connection.query(sql`
    update cached_responses
    set revalidate_until = to_timestamp(${claim.until}::float8 / 1000)
    where key_hash = ${keyHash}
      and built_at <= to_timestamp(${claim.seenBuiltAt}::float8 / 1000)
      and (
        revalidate_until is null
        or revalidate_until <= to_timestamp(${claim.now}::float8 / 1000)
        or revalidate_until > to_timestamp(${claim.until + MAX_SKEW_MS}::float8 / 1000)
      )
    returning 1
  `);
  return claimed.length === 1;
}

/** After a failure, lets others try again from this time on. */
export async function releaseRevalidation(
  connection: Connection,
  keyHash: Uint8Array,
  from: number,
): Promise<void> {
  await connection.query(sql`
    update cached_responses set revalidate_until = to_timestamp(${from}::float8 / 1000)
    where key_hash = ${keyHash}
  `);
}

/** Deletes responses not built between two times, and the oldest above this many bytes. */
export async function pruneCachedResponses(
  connection: Connection,
  { builtBefore, builtAfter, maxBytes }: {
    builtBefore: number;
    builtAfter: number;
    maxBytes: number;
  },
): Promise<void> {
  await connection.query(sql`
    delete from cached_responses
    using (
      select key_hash, sum(octet_length(body) + 500) over (order by built_at desc, key_hash) as bytes
      from cached_responses
    ) as younger
    where cached_responses.key_hash = younger.key_hash
      and (
        built_at < to_timestamp(${builtBefore}::float8 / 1000)
        or built_at > to_timestamp(${builtAfter}::float8 / 1000)
        or younger.bytes > ${maxBytes}::bigint
      )
  `);
  await connection.script("vacuum cached_responses");
}
