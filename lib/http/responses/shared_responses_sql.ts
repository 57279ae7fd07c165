import { getLogger } from "@logtape/logtape";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { currentCaller, workFor } from "../../work/async.ts";
import {
  type Database,
  DatabaseAway,
  DatabaseBusy,
  DatabaseReadOnly,
  noteOutage,
} from "../../database/database.ts";
import { json, sql } from "../../database/sql.ts";
import type { CachedResponse, CacheRule } from "./cache_rule.ts";
import { restore } from "./representation.ts";

const log = getLogger(["roadcast", "cache"]);

/** A revalidation that takes longer than this has failed. */
const REVALIDATE_MS = 30_000;
/** The delay before the next attempt after a failure. */
const RETRY_MS = 5_000;
/** The largest accepted clock difference between processes; a time further ahead is wrong. */
const MAX_SKEW_MS = 60_000;
/** A process checks at most this often whether another one has revalidated a stale response. */
const LOOK_AGAIN_MS = 1_000;

interface SharedBounds {
  /** How long a response is fresh, and stale after that, in ms. */
  readonly freshMs: number;
  readonly staleMs: number;
  /** The size of all stored responses. */
  readonly maxBytes: number;
  /** The version of the software: what another one has built is not used. */
  readonly version: string;
}

/**
 * Fresh for a fixed time, whatever changes; then stale while exactly one process revalidates it
 * (interface specification, 9, variant B). The database stores the responses for all processes.
 */
export class SharedResponses implements CacheRule {
  #storedBytes = 0;

  constructor(
    private readonly databases: { readonly forRequests: Database; readonly forJobs: Database },
    private readonly bounds: SharedBounds,
    private readonly clock: () => Date,
  ) {}

  dataState(): string {
    return "";
  }

  expiresAt(builtAt: number, now: number): number {
    return Math.max(builtAt + this.bounds.freshMs, now + LOOK_AGAIN_MS);
  }

  stateOf({ builtAt, expiresAt }: CachedResponse, now: number): "fresh" | "stale" | "expired" {
    if (!this.mayServe({ builtAt }, now) || now >= expiresAt) return "expired";
    return now - builtAt < this.bounds.freshMs ? "fresh" : "stale";
  }

  /** A response from the future was built with a wrong clock: it would live too long. */
  mayServe({ builtAt }: Pick<CachedResponse, "builtAt">, now: number): boolean {
    const { freshMs, staleMs } = this.bounds;
    const age = now - builtAt;
    return age >= -MAX_SKEW_MS && age < freshMs + staleMs;
  }

  async load(key: string): Promise<CachedResponse | null> {
    const found = await this.#read(key);
    if (!found) return null;
    const { body, headers, builtAt } = found;
    return {
      representation: restore(new Uint8Array(await promisify(gunzip)(body)), headers),
      builtAt,
      expiresAt: this.expiresAt(builtAt, this.clock().getTime()),
      dataState: "",
    };
  }

  /** Each process has its own response if it cannot be stored. */
  async store(key: string, { representation, builtAt }: CachedResponse): Promise<void> {
    const body = await promisify(gzip)(representation.plain.body);
    try {
      await this.databases.forRequests.query(sql`
        insert into cached_responses (key_hash, body, headers, built_at)
        values (
          ${this.#hash(key)}, ${body}, ${json(representation.headers)},
          to_timestamp(${builtAt}::float8 / 1000)
        )
        on conflict (key_hash) do update set
          body = excluded.body, headers = excluded.headers, built_at = excluded.built_at,
          revalidate_until = null
        where cached_responses.built_at < excluded.built_at
          or cached_responses.built_at > to_timestamp(${builtAt + MAX_SKEW_MS}::float8 / 1000)
      `);
    } catch (error) {
      if (error instanceof DatabaseReadOnly || currentCaller().signal?.aborted) return;
      log.warn("Cannot store {key}, so other processes build it again: {error}", {
        key,
        error: String(error),
      });
      return;
    }
    this.#pruneSometimes(body.length);
  }

  revalidate(key: string, { builtAt }: CachedResponse, build: () => Promise<void>): void {
    // Not bound to the client, which gets the stale response and may disconnect.
    const caller = { signal: AbortSignal.timeout(REVALIDATE_MS) };
    workFor(() => caller, () => this.#revalidate(this.#hash(key), builtAt, build)).catch(
      (error) => {
        // Otherwise each request would log it.
        if (error instanceof DatabaseBusy || error instanceof DatabaseReadOnly) return;
        if (error instanceof DatabaseAway) return noteOutage(error);
        log.error("Cannot revalidate {key}, still serving the stale response: {error}", {
          key,
          error: String(error),
        });
      },
    );
  }

  /** Deletes expired responses, and the oldest ones if there are too many. */
  async prune(): Promise<void> {
    const { freshMs, staleMs, maxBytes } = this.bounds;
    const now = this.clock().getTime();
    const { forJobs } = this.databases;
    await forJobs.query(sql`
      delete from cached_responses
      using (
        select key_hash,
          sum(octet_length(body) + 500) over (order by built_at desc, key_hash) as bytes
        from cached_responses
      ) as younger
      where cached_responses.key_hash = younger.key_hash
        and (
          built_at < to_timestamp(${now - freshMs - staleMs}::float8 / 1000)
          or built_at > to_timestamp(${now + MAX_SKEW_MS}::float8 / 1000)
          or younger.bytes > ${maxBytes}::bigint
        )
    `);
    await forJobs.script("vacuum cached_responses");
  }

  /** Nothing is done where another process has claimed that for some time, or already done it. */
  async #revalidate(
    keyHash: Uint8Array,
    seenBuiltAt: number,
    build: () => Promise<void>,
  ): Promise<void> {
    const { forRequests } = this.databases;
    const now = this.clock().getTime();
    const until = now + REVALIDATE_MS;
    const claimed = await forRequests.query(sql`
      update cached_responses
      set revalidate_until = to_timestamp(${until}::float8 / 1000)
      where key_hash = ${keyHash}
        and built_at <= to_timestamp(${seenBuiltAt}::float8 / 1000)
        and (
          revalidate_until is null
          or revalidate_until <= to_timestamp(${now}::float8 / 1000)
          or revalidate_until > to_timestamp(${until + MAX_SKEW_MS}::float8 / 1000)
        )
      returning 1
    `);
    if (claimed.length === 0) return;
    try {
      await build();
    } catch (error) {
      await forRequests.query(sql`
        update cached_responses
        set revalidate_until = to_timestamp(${now + RETRY_MS}::float8 / 1000)
        where key_hash = ${keyHash}
      `).catch(() => {});
      throw error;
    }
  }

  async #read(key: string) {
    try {
      const [found] = await this.databases.forRequests.query<{
        body: Uint8Array;
        headers: Record<string, string>;
        builtAt: number;
      }>(sql`
        select body, headers, round(extract(epoch from built_at) * 1000)::float8 as "builtAt"
        from cached_responses where key_hash = ${this.#hash(key)}
      `);
      return found;
    } catch (error) {
      if (error instanceof DatabaseReadOnly) return undefined; // a standby does not have the table
      throw error;
    }
  }

  #hash(key: string): Uint8Array {
    return createHash("sha256").update(`${this.bounds.version} ${key}`).digest();
  }

  /** Between prunings the stored responses grow by at most a tenth of their limit. */
  #pruneSometimes(bytes: number): void {
    this.#storedBytes += bytes;
    if (this.#storedBytes < this.bounds.maxBytes / 10) return;
    this.#storedBytes = 0;
    this.prune().catch((error) =>
      log.error("Cannot prune the cached responses: {error}", { error: String(error) })
    );
  }
}
