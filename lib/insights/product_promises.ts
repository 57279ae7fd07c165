import type { Connection } from "../database/database.ts";
import type { DataVersion } from "../database/data_version.ts";
import { AsyncCache } from "../work/async_cache.ts";
import type { PromiseCounts } from "./insights_row.ts";
import { readPromiseCounts } from "./insights_sql.ts";
import { QUARTERS } from "./read_insights.ts";

/**
 * What became of the promises of a product. Every page of its releases says so, so it is counted
 * once for each state of the data.
 */
export class ProductPromises {
  readonly #cache = new AsyncCache<PromiseCounts>({ max: 200 });

  constructor(
    private readonly database: Connection,
    private readonly dataVersion: Pick<DataVersion, "current">,
  ) {}

  /** @param today `YYYY-MM-DD` */
  read(product: string, today: string): Promise<PromiseCounts> {
    return this.#cache.get(
      JSON.stringify([this.dataVersion.current, today, product]),
      () =>
        readPromiseCounts(this.database, {
          filter: { product_name: [product], include_inactive: true },
          today,
          quarters: QUARTERS,
          limits: { releases: 0, products: 0 },
          precision: "quarter",
        }),
    );
  }
}
