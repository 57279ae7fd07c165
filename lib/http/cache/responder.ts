import { LRUCache } from "lru-cache";
import { SingleFlight } from "../../work/single_flight.ts";
import type { BuildLimit } from "../build_limit.ts";
import {
  answerNotModified,
  answerWhole,
  codingFor,
  encode,
  type Served,
} from "./representation.ts";
import type { Recipe, ResponseCache } from "./response_cache.ts";
import type { Target } from "../target.ts";

/** Longer addresses are not remembered, so a few of them cannot evict all others. */
const MAX_ADDRESS_LENGTH = 2_048;

/** A response from memory; `stale`: newer data could exist. */
export interface KnownAnswer {
  readonly response: Response;
  readonly stale: boolean;
}

/** Answers GET and HEAD from the response cache: conditionally, and compressed if accepted. */
export class Responder {
  readonly #addresses: LRUCache<string, Pick<Recipe, "key" | "freshness">>;
  readonly #encoding = new SingleFlight<void>();

  constructor(
    private readonly cache: ResponseCache,
    private readonly buildLimit: BuildLimit,
    /** The most memory for the addresses of cached responses. */
    maxAddressBytes: number,
  ) {
    this.#addresses = new LRUCache({
      maxSize: maxAddressBytes,
      sizeCalculation: ({ key }, address) => (address.length + key.length) * 2 + 100,
    });
  }

  /** The response for an address that was requested before; null: it has to be routed. */
  answerKnown(
    request: Request,
    { address }: Target,
    client: () => string,
  ): KnownAnswer | null {
    if (request.method !== "GET" && request.method !== "HEAD") return null;
    const known = this.#addresses.get(address);
    const served = known && this.cache.find(known, client);
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
    if (address.length <= MAX_ADDRESS_LENGTH) this.#addresses.set(address, { key, freshness });
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
    // The same bytes may have been built concurrently for another client.
    if (!representation.encoded[coding]) await encode(representation, coding);
  }
}
