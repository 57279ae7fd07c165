import { getLogger } from "@logtape/logtape";
import { createHash } from "node:crypto";
import * as copies from "./cached_responses_sql.ts";
import { type Database, DatabaseAway } from "../database/database.ts";
import type { DataVersion } from "../database/data_version.ts";
import type { Building, Keeper } from "./keeper.ts";
import type { Entry, Memory } from "./memory.ts";
import { type Kept, represent, type Representation, restore } from "./representation.ts";
import { SingleFlight } from "../single_flight.ts";

const log = getLogger(["roadcast", "copies"]);

/** A process that refreshes a copy and says nothing for so long has failed. */
const REFRESH_MS = 30_000;
/** After a refresh failed, the next one waits so long. */
const RETRY_MS = 5_000;
/** So often, at most, a process asks whether another one has refreshed a stale copy. */
const LOOK_AGAIN_MS = 1_000;

/** How long a copy is fresh, and how long it may be served after that, in milliseconds. */
export interface Windows {
  fresh: number;
  stale: number;
}

/**
 * Keeps an answer in the database for a fixed time, whatever changes meanwhile; after that a stale
 * copy is served while exactly one process refreshes it (interface specification, 9, variant B).
 * While the database is away, what lies in memory goes on being served as stale (RFC 5861, section 4).
 */
export class CopyKeeper implements Keeper {
  readonly #loading = new SingleFlight<Kept>();
  #storedBytes = 0;

  constructor(
    private readonly services: { database: Database; dataVersion: DataVersion; memory: Memory },
    private readonly bounds: Windows & { maxBytes: number },
    private readonly clock: () => Date,
  ) {}

  peek(key: string): Kept | null {
    const entry = this.services.memory.get(key);
    if (!entry) return null;
    const { isAway } = this.services.dataVersion;
    const isLookedAt = this.#isUsable(entry) && this.#now() < entry.expiresAt;
    return isAway || isLookedAt ? this.#keep(entry) : null;
  }

  get(key: string, building: Building): Promise<Kept> {
    const kept = this.peek(key);
    return kept ? Promise.resolve(kept) : this.#loading.run(key, () => this.#load(key, building));
  }

  /** Deletes what can no longer be served, and the oldest copies where there are too many. */
  async prune(): Promise<void> {
    const { fresh, stale, maxBytes } = this.bounds;
    const builtBefore = this.#now() - fresh - stale;
    await copies.pruneCopies(this.services.database, { builtBefore, maxBytes });
  }

  async #load(key: string, building: Building): Promise<Kept> {
    const remembered = this.services.memory.get(key);
    try {
      const entry = await this.#read(key);
      if (!entry || !this.#isUsable(entry)) {
        return { representation: await this.#build(key, building), stale: false };
      }
      if (!this.#isFresh(entry)) this.#refreshLater(key, entry, building);
      return this.#keep(entry);
    } catch (error) {
      if (!(error instanceof DatabaseAway) || !remembered) throw error;
      return { representation: remembered.representation, stale: true };
    }
  }

  #refreshLater(key: string, entry: Entry, building: Building): void {
    this.#refresh(key, entry, building).catch((error) =>
      log.error("Cannot refresh {key}, the stale copy goes on being served: {error}", {
        key,
        error: String(error),
      })
    );
  }

  /** Refreshes a copy, unless another request, here or in another process, is at it. */
  async #refresh(key: string, { builtAt }: Entry, building: Building): Promise<void> {
    const { database } = this.services;
    const now = this.#now();
    const claim = { seenBuiltAt: builtAt, now, until: now + REFRESH_MS };
    if (!await copies.claimRefresh(database, hash(key), claim)) return;
    try {
      await this.#build(key, building);
    } catch (error) {
      await copies.releaseRefresh(database, hash(key), now + RETRY_MS).catch(() => {});
      throw error;
    }
  }

  async #build(key: string, { cacheControl, build }: Building): Promise<Representation> {
    const now = this.clock();
    const representation = represent(await build(), cacheControl, now);
    const { body, headers } = representation;
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const copy = { body: bytes, headers, built_at: now.getTime() };
    await copies.storeCopy(this.services.database, hash(key), copy);
    this.#remember(key, representation, copy.built_at);
    this.#pruneSometimes(body.length);
    return representation;
  }

  /** Between two prunings the copies grow by a tenth of their bound at most. */
  #pruneSometimes(bytes: number): void {
    this.#storedBytes += bytes;
    if (this.#storedBytes < this.bounds.maxBytes / 10) return;
    this.#storedBytes = 0;
    this.prune().catch((error) =>
      log.error("Cannot prune the copies: {error}", { error: String(error) })
    );
  }

  async #read(key: string): Promise<Entry | null> {
    const copy = await copies.readCopy(this.services.database, hash(key));
    if (!copy) return null;
    const body = new Uint8Array(copy.body);
    return this.#remember(key, restore(body, copy.headers), Math.round(copy.built_at));
  }

  #remember(key: string, representation: Representation, builtAt: number): Entry {
    const expiresAt = Math.max(builtAt + this.bounds.fresh, this.#now() + LOOK_AGAIN_MS);
    const entry = { representation, version: 0, day: 0, builtAt, expiresAt };
    this.services.memory.set(key, entry);
    return entry;
  }

  #keep(entry: Entry): Kept {
    const stale = this.services.dataVersion.isAway || !this.#isFresh(entry);
    return { representation: entry.representation, stale };
  }

  #isFresh({ builtAt }: Entry): boolean {
    return this.#now() - builtAt < this.bounds.fresh;
  }

  #isUsable({ builtAt }: Entry): boolean {
    return this.#now() - builtAt < this.bounds.fresh + this.bounds.stale;
  }

  #now(): number {
    return this.clock().getTime();
  }
}

function hash(key: string): Uint8Array {
  return createHash("sha256").update(key).digest();
}
