import type { Connection } from "../database/database.ts";
import type { DataVersion } from "../database/data_version.ts";
import { countFiltered } from "../roadmap/items_sql.ts";
import { AsyncCache } from "../work/async_cache.ts";
import type { PromiseCounts } from "./insights_row.ts";
import { readPromiseCounts } from "./insights_sql.ts";
import { QUARTERS } from "./read_insights.ts";

/** The changes of more releases take seconds to follow, longer than a page of a release may wait. */
const MAX_RELEASES = 10_000;

/**
 * What became of the promises of a product. Every page of its releases says so, so it is counted
 * once for each state of the data.
 */
export class ProductPromises {
  readonly #cache = new AsyncCache<{ promises: PromiseCounts | null }>({ max: 200 });

  constructor(
    private readonly database: Connection,
    private readonly dataVersion: Pick<DataVersion, "current">,
    private readonly maxReleases = MAX_RELEASES,
  ) {}

  /**
   * Null: the product has too many releases.
   *
   * @param today `YYYY-MM-DD`
   */
  async read(product: string, today: string): Promise<PromiseCounts | null> {
    const key = JSON.stringify([this.dataVersion.current, today, product]);
    const { promises } = await this.#cache.get(key, async () => ({
      promises: await this.#count(product, today),
    }));
    return promises;
  }

  async #count(product: string, today: string): Promise<PromiseCounts | null> {
    const filter = { product_name: [product], include_inactive: true };
    if (await countFiltered(this.database, filter) > this.maxReleases) return null;
    return await readPromiseCounts(this.database, { filter, today, quarters: QUARTERS });
  }
}
