import { DatabaseAway, DatabaseBusy } from "../../database/database.ts";
import { SingleFlight } from "../../work/single_flight.ts";
import type { BuildLimit } from "../build_limit.ts";
import type { CachedResponse, Freshness } from "./freshness.ts";
import { type Content, represent, type Served } from "./representation.ts";
import { ResponseMemory } from "./response_memory.ts";

/** The key of a cached response, and how to build it. */
export interface Recipe {
  /** Names everything that the response depends on except the data and the time. */
  readonly key: string;
  readonly freshness: Freshness;
  /** The Cache-Control of the response, unless its content has its own. */
  readonly cacheControl: string;
  /** The client whose request builds it. */
  readonly client: string;
  /** The largest size of the body; absent: that of any response. */
  readonly bytes?: () => Promise<number>;
  readonly build: () => Promise<Content>;
}

/**
 * The response cache: built responses in memory. Each is built once for all concurrent requests. Its
 * freshness decides how long it may be used, and whether other processes share it. While the
 * database is away, cached responses are served stale (RFC 5861, section 4).
 */
export class ResponseCache {
  readonly #memory: ResponseMemory;
  readonly #building = new SingleFlight<Served>();

  constructor(
    maxBytes: number,
    private readonly parts: {
      readonly clock: () => Date;
      readonly buildLimit: BuildLimit;
      readonly dataVersion: { readonly isAway: boolean };
    },
  ) {
    this.#memory = new ResponseMemory(maxBytes);
  }

  /** The number of cached responses, and their bytes. */
  get size(): { count: number; bytes: number } {
    return { count: this.#memory.count, bytes: this.#memory.bytes };
  }

  /** The response in memory, if it may be served at once. */
  find(
    { key, freshness }: Pick<Recipe, "key" | "freshness">,
    client: () => string,
  ): Served | null {
    const entry = this.#memory.get(key, client);
    if (!entry) return null;
    const { representation } = entry;
    if (this.parts.dataVersion.isAway) return { representation, stale: true };
    const state = freshness.stateOf(entry, this.#now());
    return state === "expired" ? null : { representation, stale: state === "stale" };
  }

  /** The response from memory, or loaded or built. */
  async get(recipe: Recipe): Promise<Served> {
    const found = this.find(recipe, () => recipe.client);
    if (found) return found;
    const flight = `${recipe.freshness.validator()} ${recipe.key}`;
    return await this.#building.run(flight, () => this.#load(recipe));
  }

  async #load(recipe: Recipe): Promise<Served> {
    const { freshness } = recipe;
    const old = this.#memory.get(recipe.key, () => recipe.client);
    try {
      const shared = freshness.load ? await this.#loadShared(recipe) : null;
      return shared ?? await this.#buildInTurn(recipe);
    } catch (error) {
      if (!old) throw error;
      if (error instanceof DatabaseAway) return { representation: old.representation, stale: true };
      // A busy database is not away: responses are used while they may be, but no longer.
      const mayServe = error instanceof DatabaseBusy && freshness.mayServe?.(old, this.#now());
      if (!mayServe) throw error;
      return { representation: old.representation, stale: true };
    }
  }

  /** A response that another process has built; a stale one is revalidated in the background. */
  async #loadShared(recipe: Recipe): Promise<Served | null> {
    const { key, freshness, client } = recipe;
    const shared = await freshness.load?.(key);
    if (!shared) return null;
    const state = freshness.stateOf(shared, this.#now());
    if (state === "expired") return null;
    this.#memory.set(key, shared, client);
    if (state === "stale") {
      freshness.revalidate?.(key, shared, async () => void await this.#buildInTurn(recipe));
    }
    const { representation } = shared;
    return { representation, stale: state === "stale" || this.parts.dataVersion.isAway };
  }

  /** Builds as soon as there is room for it. */
  async #buildInTurn(recipe: Recipe): Promise<Served> {
    const bytes = await recipe.bytes?.();
    return await this.parts.buildLimit.build(bytes, () => this.#build(recipe));
  }

  async #build({ key, freshness, cacheControl, client, build }: Recipe): Promise<Served> {
    const validator = freshness.validator();
    const now = this.parts.clock();
    const content = await build();
    const representation = represent(content, cacheControl, now);
    const { shortLived, validUntil = Infinity } = content;
    const { isAway } = this.parts.dataVersion;
    if (shortLived?.isPrivate) return { representation, stale: isAway };
    const builtAt = now.getTime();
    const entry: CachedResponse = {
      representation,
      builtAt,
      validator,
      expiresAt: Math.min(
        validUntil,
        shortLived
          ? builtAt + shortLived.seconds * 1000
          : freshness.expiresAt(builtAt, this.#now()),
      ),
    };
    await freshness.store?.(key, entry);
    // Around midnight it is unknown which day the response is from.
    if (freshness.validator() === validator) this.#memory.set(key, entry, client);
    return { representation, stale: isAway };
  }

  /** Updates the size of a response after compressing it. */
  resize(key: string): void {
    this.#memory.resize(key);
  }

  #now(): number {
    return this.parts.clock().getTime();
  }
}
