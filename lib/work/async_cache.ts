import { LRUCache } from "lru-cache";
import { SingleFlight } from "./single_flight.ts";

/** A bounded cache of values that take time to make; callers that want the same one share the work. */
export class AsyncCache<Value extends NonNullable<unknown>> {
  readonly #values: LRUCache<string, Value>;
  readonly #pending = new SingleFlight<Value>();

  constructor(bounds: LRUCache.Options<string, Value, unknown>) {
    this.#values = new LRUCache(bounds);
  }

  /** @param key names everything that the value depends on */
  async get(key: string, make: () => Promise<Value>): Promise<Value> {
    return this.#values.get(key) ?? await this.#pending.run(key, async () => {
      const value = await make();
      this.#values.set(key, value);
      return value;
    });
  }
}
