import { LRUCache } from "lru-cache";
import type { CachedResponse } from "./freshness.ts";
import { sizeOf } from "./representation.ts";

interface Entry {
  readonly response: CachedResponse;
  /** The client that it was first built for. */
  readonly client: string;
}

/**
 * Responses in memory, bounded by bytes: a segmented LRU. A response is on probation until a second
 * client requests it, and protected from then on, so that one client that walks over all pages does
 * not evict what all clients read. A quarter of the memory is for the protected ones; the least
 * recently used of them go back on probation.
 */
export class ResponseMemory {
  readonly #probation: LRUCache<string, Entry>;
  readonly #protected: LRUCache<string, Entry>;

  constructor(maxBytes: number) {
    const protectedBytes = Math.ceil(maxBytes / 4);
    const sizeCalculation = ({ response: { representation } }: Entry, key: string) =>
      sizeOf(representation) + key.length * 2;
    this.#probation = new LRUCache({ maxSize: maxBytes - protectedBytes, sizeCalculation });
    this.#protected = new LRUCache<string, Entry>({
      maxSize: protectedBytes,
      sizeCalculation,
      disposeAfter: (entry, key, reason) => {
        if (reason === "evict") this.#probation.set(key, entry);
      },
    });
  }

  get count(): number {
    return this.#probation.size + this.#protected.size;
  }

  get bytes(): number {
    return this.#probation.calculatedSize + this.#protected.calculatedSize;
  }

  /** @param client the sender of the request, determined only for a response on probation */
  get(key: string, client: () => string): CachedResponse | undefined {
    const known = this.#protected.get(key);
    if (known) return known.response;
    const entry = this.#probation.get(key);
    if (entry && entry.client !== client()) {
      this.#probation.delete(key);
      this.#protected.set(key, entry);
    }
    return entry?.response;
  }

  /** Leaves what is protected protected. */
  set(key: string, response: CachedResponse, client: string): void {
    const segment = this.#protected.has(key) ? this.#protected : this.#probation;
    segment.set(key, { response, client });
  }

  /** Updates the size of a response after compressing it. */
  resize(key: string): void {
    for (const segment of [this.#probation, this.#protected]) {
      const entry = segment.peek(key);
      if (entry) segment.set(key, { ...entry }); // the same object would keep its old size
    }
  }
}
