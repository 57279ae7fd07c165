import { LRUCache } from "lru-cache";
import { SingleFlight } from "../single_flight.ts";
import type { Building, Keeper } from "./keeper.ts";
import type { Memory } from "./memory.ts";
import { answerNotModified, answerWhole, codingFor, encode, type Kept } from "./representation.ts";
import type { Target } from "./target.ts";

/** The addresses under which kept answers were asked for take no more than this. */
const MAX_ADDRESS_BYTES = 4 * 1024 * 1024;
/** A longer one is not remembered, so that a few of them cannot push out those of everybody. */
const LONGEST_ADDRESS = 2_048;

/** Answers GET and HEAD with kept representations; a known address is answered before any routing. */
export class Answers {
  readonly #addresses = new LRUCache<string, { keeper: Keeper; key: string }>({
    maxSize: MAX_ADDRESS_BYTES,
    sizeCalculation: ({ key }, address) => (address.length + key.length) * 2 + 100,
  });
  readonly #encoding = new SingleFlight<void>();

  constructor(private readonly memory: Memory) {}

  /** The answer, where it lies ready in memory; null: the request has to walk. */
  fromMemory(request: Request, { address }: Target): Response | null {
    if (request.method !== "GET" && request.method !== "HEAD") return null;
    const known = this.#addresses.get(address);
    const kept = known?.keeper.peek(known.key);
    if (!kept) return null;
    const notModified = answerNotModified(request, kept);
    if (notModified) return notModified;
    const coding = codingFor(request, kept.representation);
    if (coding && !kept.representation.encoded[coding]) return null;
    return answerWhole(request, kept, coding);
  }

  /** The answer of a keeper, built where it is missing, compressed as the client likes it. */
  async answer(
    request: Request,
    { target: { address }, keeper, key, building }: {
      target: Target;
      keeper: Keeper;
      key: string;
      building: Building;
    },
  ): Promise<Response> {
    const kept = await keeper.get(key, building);
    if (address.length <= LONGEST_ADDRESS) this.#addresses.set(address, { keeper, key });
    const notModified = answerNotModified(request, kept);
    if (notModified) return notModified;
    const coding = codingFor(request, kept.representation);
    if (coding && !kept.representation.encoded[coding]) await this.#encode(kept, key, coding);
    return answerWhole(request, kept, coding);
  }

  async #encode({ representation }: Kept, key: string, coding: "br" | "gzip"): Promise<void> {
    await this.#encoding.run(`${coding} ${representation.etag} ${key}`, async () => {
      await encode(representation, coding);
      this.memory.resize(key);
    });
    // The same bytes may have been built at once for another client.
    if (!representation.encoded[coding]) await encode(representation, coding);
  }
}
