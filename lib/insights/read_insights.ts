import { z } from "zod";
import type { DataCache } from "../database/data_version.ts";
import type { Connection } from "../database/database.ts";
import { flag } from "../http/requests/parameters.ts";
import { FILTER, resolveFilter } from "../roadmap/filter/filter.ts";
import { countFiltered } from "../roadmap/items_sql.ts";
import type { Variant } from "../roadmap/variant.ts";
import { searchWords, type WordServices } from "../roadmap/words/search_words.ts";
import { formatQuarter, placeOfQuarter, quarterAt } from "../text/dates.ts";
import type { Insights, PromiseCounts } from "./insights.ts";
import { readInsightsRow, readPromiseCounts } from "./insights_sql.ts";

const QUARTERS = 12;
const LIMITS = { releases: 10, products: 50 };

/** The parameters of the insights: the filter, of releases as they are now. */
export const INSIGHTS_QUERY = z.object({
  ...FILTER,
  include_inactive: flag().default(true).describe("`true` or `1`: include removed releases"),
});

export type InsightsQuery = z.output<typeof INSIGHTS_QUERY>;

/** Computes the insights of the releases that pass a filter, as of a day (`YYYY-MM-DD`). */
export async function readInsights(
  query: InsightsQuery,
  { variant, today, ...services }: WordServices & { variant: Variant; today: string },
): Promise<Insights> {
  const { filter } = await searchWords(resolveFilter(query, today), services);
  const row = await readInsightsRow(services.database, {
    filter,
    today,
    quarters: QUARTERS,
    limits: LIMITS,
    precision: variant.datePrecision,
  });
  const current = placeOfQuarter(formatQuarter(today));
  return {
    as_of: today,
    watched: row.watched,
    promises: {
      from: quarterAt(current - QUARTERS),
      to: quarterAt(current - 1),
      ...row.promises,
      by_quarter: row.promises_by_quarter,
      by_product: row.promises_by_product,
    },
    moved: { total: row.moved_total, releases: row.moved },
    shipped: {
      quarter: quarterAt(current),
      total: row.shipped_total,
      planned: row.planned_total,
      by_product: row.current_by_product,
      releases: row.shipped,
    },
    preview: { ...row.preview, by_product: row.preview_by_product },
  };
}

/** Counts the promises of the releases that pass a filter, as the insights do. */
export async function countInTime(
  query: InsightsQuery,
  { today, ...services }: WordServices & { today: string },
): Promise<PromiseCounts> {
  const { filter } = await searchWords(resolveFilter(query, today), services);
  return await readPromiseCounts(services.database, { filter, today, quarters: QUARTERS });
}

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
    return await this.dataCache.get(key, async () => {
      const filter = { product_name: [product], include_inactive: true };
      if (await countFiltered(this.database, filter) > this.maxReleases) return null;
      return await readPromiseCounts(this.database, { filter, today, quarters: QUARTERS });
    });
  }
}
