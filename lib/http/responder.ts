import { LRUCache } from "lru-cache";
import { SingleFlight } from "../single_flight.ts";
import type { BuildLimit } from "./build_limit.ts";
import {
  answerNotModified,
  answerWhole,
  codingFor,
  encode,
  type Served,
} from "./representation.ts";
import type { Recipe, ResponseCache } from "./response_cache.ts";
import type { Target } from "./target.ts";

/** The addresses under which cached responses were asked for take no more than this. */
const MAX_ADDRESS_BYTES = 4 * 1024 * 1024;
/** A longer one is not remembered, so that a few of them cannot push out those of everybody. */
const LONGEST_ADDRESS = 2_048;

/** An answer that was in memory; `stale`: newer data could exist. */
export interface KnownAnswer {
  readonly response: Response;
  readonly stale: boolean;
}

/** Answers GET and HEAD from the response cache: conditionally, and compressed as clients like it. */
export class Responder {
  readonly #addresses = new LRUCache<string, Pick<Recipe, "key" | "freshness">>({
    maxSize: MAX_ADDRESS_BYTES,
    sizeCalculation: ({ key }, address) => (address.length + key.length) * 2 + 100,
  });
  readonly #encoding = new SingleFlight<void>();

  constructor(
    private readonly cache: ResponseCache,
    private readonly buildLimit: BuildLimit,
  ) {}

  /** The answer to an address that was asked for before; null: it has to be routed and built. */
  answerKnown(request: Request, { address }: Target): KnownAnswer | null {
    if (request.method !== "GET" && request.method !== "HEAD") return null;
    const known = this.#addresses.get(address);
    const served = known && this.cache.find(known);
    if (!served) return null;
    const notModified = answerNotModified(request, served);
    const { stale } = served;
    if (notModified) return { response: notModified, stale };
    const coding = codingFor(request, served.representation);
    if (coding && !served.representation.encoded[coding]) return null;
    return { response: answerWhole(request, served, coding), stale };
  }

  /** Answers a request that was routed. */
  async answer(request: Request, { address }: Target, recipe: Recipe): Promise<Response> {
    const served = await this.cache.get(recipe);
    const { key, freshness } = recipe;
    if (address.length <= LONGEST_ADDRESS) this.#addresses.set(address, { key, freshness });
    const notModified = answerNotModified(request, served);
    if (notModified) return notModified;
    const coding = codingFor(request, served.representation);
    if (coding && !served.representation.encoded[coding]) await this.#encode(served, key, coding);
    return answerWhole(request, served, coding);
  }

  async #encode({ representation }: Served, key: string, coding: "br" | "gzip"): Promise<void> {
    await this.#encoding.run(`${coding} ${representation.etag} ${key}`, async () => {
      const { length } = representation.body;
      await this.buildLimit.finish(length, () => encode(representation, coding));
      this.cache.resize(key);
    });
    // The same bytes may have been built at once for another client.
    if (!representation.encoded[coding]) await encode(representation, coding);
  }
}
