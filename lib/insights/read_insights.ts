import { z } from "zod";
import type { DataCache } from "../database/data_version.ts";
import type { Connection } from "../database/database.ts";
import { flag } from "../http/requests/parameters.ts";
import { FILTER, resolveFilter } from "../roadmap/filter/filter.ts";
import { countFiltered } from "../roadmap/items_sql.ts";
import type { Variant } from "../roadmap/variant.ts";
import { searchWords } from "../roadmap/words/search_words.ts";
import { formatQuarter, placeOfQuarter, quarterAt } from "../text/dates.ts";
import type {
  Insights,
  InsightsRow,
  NamedRelease,
  PreviewTimes,
  PromiseCounts,
} from "./insights.ts";
import { readInsightsRow, readPromiseCounts } from "./insights_sql.ts";

/** How many past quarters are looked at. */
const QUARTERS = 12;
/** The most releases and products of a list. */
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
  { database, variant, today }: { database: Connection; variant: Variant; today: string },
): Promise<Insights> {
  const { filter } = await searchWords(resolveFilter(query, today), database);
  const row = await readInsightsRow(database, {
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
    promises: listPromises(row, current),
    moved: {
      total: row.moved_total,
      releases: row.moved.map((release) => ({
        ...formatRelease(release, variant),
        moves: release.moves,
        first_release_date: variant.formatDate(release.first_date),
        slip_quarters: release.slip,
      })),
    },
    shipped: {
      quarter: quarterAt(current),
      total: row.shipped_total,
      planned: row.planned_total,
      by_product: row.current_by_product,
      releases: row.shipped.map((release) => ({
        ...formatRelease(release, variant),
        delivered_on: release.delivered_on,
        first_promised: release.first_promised && variant.formatDate(release.first_promised),
      })),
    },
    preview: {
      ...formatPreview(row.preview),
      by_product: row.preview_by_product.map((times) => ({
        product_name: times.product_name,
        ...formatPreview(times),
      })),
    },
  };
}

/** Counts the promises of the releases that pass a filter, as the insights do. */
export async function countInTime(
  query: InsightsQuery,
  { database, today }: { database: Connection; today: string },
): Promise<Pick<Insights["promises"], "due" | "in_time">> {
  const { filter } = await searchWords(resolveFilter(query, today), database);
  return formatPromises(await readPromiseCounts(database, { filter, today, quarters: QUARTERS }));
}

/** What became of promises: in all, in each quarter before the current one, and by product. */
function listPromises(row: InsightsRow, current: number): Insights["promises"] {
  const byQuarter = new Map(row.promises_by_quarter.map((counts) => [counts.quarter, counts]));
  const quarters = Array.from({ length: QUARTERS }, (_, place) => current - QUARTERS + place);
  return {
    from: quarterAt(current - QUARTERS),
    to: quarterAt(current - 1),
    ...formatPromises(row.promises),
    by_quarter: quarters.map((quarter) => ({
      quarter: quarterAt(quarter),
      ...formatPromises(byQuarter.get(quarter) ?? NONE_DUE),
    })),
    by_product: row.promises_by_product.map((counts) => ({
      product_name: counts.product_name,
      ...formatPromises(counts),
    })),
  };
}

function formatRelease(release: NamedRelease, variant: Variant) {
  const { release_date } = release;
  return {
    release_item_id: release.release_item_id,
    feature_name: release.feature_name,
    product_name: release.product_name,
    release_status: release.release_status,
    release_date: release_date && variant.formatDate(release_date),
    active: release.active,
  };
}

const NONE_DUE: PromiseCounts = {
  due: 0,
  earlier: 0,
  in_quarter: 0,
  late: 0,
  moved: 0,
  open: 0,
  dropped: 0,
  too_early: 0,
  not_watched: 0,
  median_slip: null,
};

function formatPromises(counts: PromiseCounts) {
  const { due, earlier, in_quarter, late, moved, open, dropped, too_early, not_watched } = counts;
  const in_time = earlier + in_quarter;
  return {
    due,
    in_time,
    earlier,
    in_quarter,
    late,
    moved,
    open,
    dropped,
    too_early,
    not_watched,
    share_in_time: due === 0 ? null : Math.round(in_time / due * 10_000) / 10_000,
    median_slip_quarters: counts.median_slip,
  };
}

function formatPreview({ finished, median_days, current, median_days_so_far }: PreviewTimes) {
  return { finished, median_days, current, median_days_so_far };
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
    return await this.dataCache.get(key, () => this.#count(product, today));
  }

  async #count(product: string, today: string): Promise<PromiseCounts | null> {
    const filter = { product_name: [product], include_inactive: true };
    if (await countFiltered(this.database, filter) > this.maxReleases) return null;
    return await readPromiseCounts(this.database, { filter, today, quarters: QUARTERS });
  }
}
