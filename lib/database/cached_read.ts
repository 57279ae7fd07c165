import { AsyncCache } from "../work/async_cache.ts";
import type { DataVersion } from "./data_version.ts";

/** What many answers need of the database: it is read once for each state of the data. */
export class CachedRead<Value extends NonNullable<unknown>> {
  readonly #cache = new AsyncCache<Value>({ max: 2 });

  constructor(
    private readonly dataVersion: Pick<DataVersion, "current">,
    private readonly load: () => Promise<Value>,
  ) {}

  read(): Promise<Value> {
    return this.#cache.get(String(this.dataVersion.current), this.load);
  }
}
