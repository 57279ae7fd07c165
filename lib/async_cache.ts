import { LRUCache } from "lru-cache";
import { SingleFlight } from "./single_flight.ts";

/** Keeps what was made for a key; whoever asks for it while it is being made shares the work. */
export class KeptValues<Value extends NonNullable<unknown>> {
  readonly #kept: LRUCache<string, Value>;
  readonly #making = new SingleFlight<Value>();

  constructor(bounds: LRUCache.Options<string, Value, unknown>) {
    this.#kept = new LRUCache(bounds);
  }

  /** @param key says all that the value depends on */
  async get(key: string, make: () => Promise<Value>): Promise<Value> {
    return this.#kept.get(key) ?? await this.#making.run(key, async () => {
      const value = await make();
      this.#kept.set(key, value);
      return value;
    });
  }
}
