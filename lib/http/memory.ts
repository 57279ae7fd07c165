import { LRUCache } from "lru-cache";
import { type Representation, sizeOf } from "./representation.ts";

/** A representation with what is needed to tell whether it may still be served. */
export interface Entry {
  representation: Representation;
  /** The data version and the UTC day (days since 1970) it was built for. */
  version: number;
  day: number;
  /** When it was built, and until when it is served without looking, in milliseconds since 1970. */
  builtAt: number;
  expiresAt: number;
}

/** Built representations in memory, bounded by bytes: the least recently used go. */
export class Memory {
  readonly #entries: LRUCache<string, Entry>;

  constructor(maxBytes: number) {
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ representation }, key) => sizeOf(representation) + key.length * 2,
    });
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  set(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
  }

  /** Counts an entry anew after compressed forms came to it. */
  resize(key: string): void {
    const entry = this.#entries.peek(key);
    if (entry) this.#entries.set(key, { ...entry }); // the same object would keep its old size
  }

  /** What all entries take, in bytes. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  get count(): number {
    return this.#entries.size;
  }
}
