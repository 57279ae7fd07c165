import { AsyncCache } from "../work/async.ts";
import type { DataVersion } from "./data_version.ts";

const MAX_ENTRIES = 200;

/** What is read from the database once for each state of the data. */
export interface CachedRead<Value> {
  read(): Promise<Value>;
}

/** Holds small results that many answers need, until the data changes. */
export class DataCache {
  #version = -1;
  #results = new AsyncCache<{ value: unknown }>({ max: MAX_ENTRIES });

  constructor(private readonly dataVersion: Pick<DataVersion, "current">) {}

  /** @param key names what is read, and everything but the data that it depends on */
  async get<Value>(key: string, load: () => Promise<Value>): Promise<Value> {
    this.#dropOutdated();
    const { value } = await this.#results.get(key, async () => ({ value: await load() }));
    return value as Value;
  }

  /** The same for a result that depends on nothing but the data. */
  reader<Value>(key: string, load: () => Promise<Value>): CachedRead<Value> {
    return { read: () => this.get(key, load) };
  }

  /** What is being read when the data changes goes into the dropped cache. */
  #dropOutdated(): void {
    const { current } = this.dataVersion;
    if (current === this.#version) return;
    this.#version = current;
    this.#results = new AsyncCache({ max: MAX_ENTRIES });
  }
}
