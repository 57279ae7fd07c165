import type { Connection } from "../database/database.ts";
import type { DataCache } from "../database/data_cache.ts";
import { countFiltered } from "../roadmap/items_sql.ts";
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
  constructor(
    private readonly database: Connection,
    private readonly dataCache: DataCache,
    private readonly maxReleases = MAX_RELEASES,
  ) {}

  /**
   * Null: the product has too many releases.
   *
   * @param today `YYYY-MM-DD`
   */
  async read(product: string, today: string): Promise<PromiseCounts | null> {
    const key = JSON.stringify(["promises", today, product]);
    return await this.dataCache.get(key, () => this.#count(product, today));
  }

  async #count(product: string, today: string): Promise<PromiseCounts | null> {
    const filter = { product_name: [product], include_inactive: true };
    if (await countFiltered(this.database, filter) > this.maxReleases) return null;
    return await readPromiseCounts(this.database, { filter, today, quarters: QUARTERS });
  }
}
