import { LRUCache } from "lru-cache";
import { DatabaseAway, DatabaseBusy } from "../../database/database.ts";
import type { OneState } from "../../database/one_state.ts";
import { SingleFlight } from "../../work/async.ts";
import type { Gate } from "../clients/gate.ts";
import type { Metrics } from "../server/metrics.ts";
import type { Target } from "../requests/target.ts";
import type { Coding } from "./conditional.ts";
import { Renewals } from "./renewals.ts";
import type { CachedResponse, CacheRule } from "./cache_rule.ts";
import {
  answerNotModified,
  answerWhole,
  codingFor,
  type Content,
  encode,
  represent,
  type Served,
  sizeOf,
} from "./representation.ts";

/** Longer addresses are not remembered, so a few of them cannot evict all others. */
const MAX_ADDRESS_LENGTH = 2_048;

/** The key of a cached response, and how to build it. */
export interface Recipe {
  /** Names everything that the response depends on except the data and the time. */
  readonly key: string;
  readonly rule: CacheRule;
  /** The Cache-Control of the response, unless its content has its own. */
  readonly cacheControl: string;
  /** The tag by which a CDN finds it when the data has changed; absent: it does not change. */
  readonly cacheTag?: string;
  readonly build: () => Promise<Content>;
}

/**
 * Answers reads from built responses in memory: conditionally, and compressed if accepted. Each is
 * built once for all concurrent requests, when it is the turn of the client. Its rule decides how
 * long it may be used, and whether other processes share it. While the database is away, cached
 * responses are served stale (RFC 5861, section 4).
 */
export class ResponseCache {
  readonly #responses: LRUCache<string, CachedResponse>;
  /** What an address was routed to, so that its response is found without routing. */
  readonly #addresses: LRUCache<string, Pick<Recipe, "key" | "rule">>;
  readonly #building = new SingleFlight<Served>();
  readonly #encoding = new SingleFlight<void>();
  readonly #renewals = new Renewals();

  /** The bytes of all responses, and of the addresses that are known. */
  constructor(
    bounds: { readonly responses: number; readonly addresses: number },
    private readonly parts: {
      readonly clock: () => Date;
      readonly gate: Gate;
      readonly metrics: Pick<Metrics, "countCached">;
      readonly dataVersion: { readonly isAway: boolean };
      readonly oneState: Pick<OneState, "read">;
    },
  ) {
    this.#responses = new LRUCache({
      maxSize: bounds.responses,
      sizeCalculation: ({ representation }, key) => sizeOf(representation) + key.length * 2,
    });
    this.#addresses = new LRUCache({
      maxSize: bounds.addresses,
      sizeCalculation: ({ key }, address) => (address.length + key.length) * 2 + 100,
    });
  }

  /** The number of cached responses, and their bytes. */
  get size(): { count: number; bytes: number } {
    return { count: this.#responses.size, bytes: this.#responses.calculatedSize };
  }

  /** The response to an address that was requested before; null: it has to be routed. */
  answerKnown(request: Request, { address }: Target): Response | null {
    if (request.method !== "GET" && request.method !== "HEAD") return null;
    const known = this.#addresses.get(address);
    const served = known && this.find(known);
    if (!served) return null;
    const response = this.#answerReady(request, served);
    if (response !== null) this.parts.metrics.countCached(response.status, served.stale);
    return response;
  }

  /** Answers a request that was routed. */
  async answer(request: Request, { address }: Target, recipe: Recipe): Promise<Response> {
    const { key, rule } = recipe;
    const found = this.find(recipe) ?? this.#findBefore(recipe);
    const ready = found && this.#answerReady(request, found);
    const response = ready ??
      await this.parts.gate.run(async () => this.#serve(request, await this.get(recipe), key))
        .catch((error) => this.#answerInstead(request, recipe, error));
    if (address.length <= MAX_ADDRESS_LENGTH) this.#addresses.set(address, { key, rule });
    return response;
  }

  /** The response in memory, if it may be served at once. */
  find({ key, rule }: Pick<Recipe, "key" | "rule">): Served | null {
    const entry = this.#responses.get(key);
    if (!entry) return null;
    const { representation } = entry;
    if (this.parts.dataVersion.isAway) return { representation, stale: true };
    const state = rule.stateOf(entry, this.#now());
    return state === "expired" ? null : { representation, stale: state === "stale" };
  }

  /** What was right until a moment ago, where its successor would have to wait; that is built soon. */
  #findBefore(recipe: Recipe): Served | null {
    const { key, rule } = recipe;
    const old = this.#responses.get(key);
    if (!old || !this.parts.gate.isFull || !rule.wasRight?.(old, this.#now())) return null;
    const codings = Object.keys(old.representation.encoded) as Coding[];
    this.#renewals.ask(key, () =>
      this.parts.gate.run(async () => {
        const renewed = await this.get(recipe);
        for (const coding of codings) await this.#encode(renewed, key, coding);
      }));
    return { representation: old.representation, stale: true, passes: true };
  }

  /** The response from memory, or loaded or built; whoever asks meanwhile waits for the same. */
  async get(recipe: Recipe): Promise<Served> {
    const flight = `${recipe.rule.dataState()} ${recipe.key}`;
    return this.find(recipe) ??
      await this.#building.run(
        flight,
        async () => await this.#loadShared(recipe) ?? await this.#store(recipe),
      );
  }

  /** Null: it is not compressed yet as the client wants it. */
  #answerReady(request: Request, served: Served): Response | null {
    const notModified = answerNotModified(request, served);
    if (notModified) return notModified;
    const coding = codingFor(request, served.representation);
    if (coding && !served.representation.encoded[coding]) return null;
    return answerWhole(request, served, coding);
  }

  /** Answers with what may be served, compressed as the client wants it. */
  async #serve(request: Request, served: Served, key: string): Promise<Response> {
    const ready = this.#answerReady(request, served);
    if (ready !== null) return ready;
    const coding = codingFor(request, served.representation)!;
    await this.#encode(served, key, coding);
    return answerWhole(request, served, coding);
  }

  async #encode({ representation }: Served, key: string, coding: Coding): Promise<void> {
    await this.#encoding.run(`${coding} ${representation.etag} ${key}`, async () => {
      await encode(representation, coding);
      const entry = this.#responses.peek(key);
      // The same object would keep its old size.
      if (entry?.representation === representation) this.#responses.set(key, { ...entry });
    });
    // The same bytes may have been built concurrently for another client.
    if (!representation.encoded[coding]) await encode(representation, coding);
  }

  /** Answers with the old response where the database could not be asked. */
  async #answerInstead(request: Request, recipe: Recipe, error: unknown): Promise<Response> {
    const { key, rule } = recipe;
    const old = this.#responses.get(key);
    // A busy database is not away: responses are used while they may be, but no longer.
    const mayServe = error instanceof DatabaseAway ||
      error instanceof DatabaseBusy && old && rule.mayServe?.(old, this.#now());
    if (!old || !mayServe) throw error;
    return await this.#serve(request, { representation: old.representation, stale: true }, key);
  }

  /** A response that another process has built; a stale one is revalidated in the background. */
  async #loadShared(recipe: Recipe): Promise<Served | null> {
    const { key, rule } = recipe;
    const shared = await rule.load?.(key);
    if (!shared) return null;
    const state = rule.stateOf(shared, this.#now());
    if (state === "expired") return null;
    this.#responses.set(key, shared);
    if (state === "stale") {
      const build = () => this.parts.gate.run(() => this.#store(recipe));
      rule.revalidate?.(key, shared, async () => void await build());
    }
    const { representation } = shared;
    return { representation, stale: state === "stale" || this.parts.dataVersion.isAway };
  }

  async #store({ key, rule, cacheControl, cacheTag, build }: Recipe): Promise<Served> {
    const { dataState, now, content } = await this.parts.oneState.read(async () => ({
      dataState: rule.dataState(),
      now: this.parts.clock(),
      content: await build(),
    }));
    const representation = represent(content, { cacheControl, cacheTag }, now);
    const { shortLived, validUntil = Infinity } = content;
    const { isAway } = this.parts.dataVersion;
    if (shortLived?.isPrivate) return { representation, stale: isAway };
    const builtAt = now.getTime();
    const entry: CachedResponse = {
      representation,
      builtAt,
      dataState,
      expiresAt: Math.min(
        validUntil,
        shortLived ? builtAt + shortLived.seconds * 1000 : rule.expiresAt(builtAt, this.#now()),
      ),
    };
    await rule.store?.(key, entry);
    // Around midnight it is unknown which day the response is from.
    if (rule.dataState() === dataState) this.#responses.set(key, entry);
    return { representation, stale: isAway };
  }

  #now(): number {
    return this.parts.clock().getTime();
  }
}
