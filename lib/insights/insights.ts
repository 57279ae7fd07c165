import { z } from "zod";
import { DAY, ID, QUARTER } from "../roadmap/collection.ts";
import type { ItemFilter } from "../roadmap/filter/filter.ts";

const COUNT = z.int().min(0);
const DATE = z.union([QUARTER, DAY]).describe("As the variant writes planned dates");
const DAYS = z.number().min(0).nullable();

const PROMISE_COUNTS = {
  due: COUNT.describe(
    "Releases that were seen before the end of the quarter first promised, and whose source was " +
      "read after it; the sum of `in_time`, `late`, `moved`, `open` and `dropped`",
  ),
  in_time: COUNT.describe("Shipped by the end of that quarter; the sum of the next 2"),
  earlier: COUNT.describe("Shipped before that quarter"),
  in_quarter: COUNT.describe("Shipped in it"),
  late: COUNT.describe("Shipped after it"),
  moved: COUNT.describe("Not shipped, and planned for another quarter now"),
  open: COUNT.describe("Not shipped, and still planned for it or without a date"),
  dropped: COUNT.describe("Not shipped, and cancelled or removed from the roadmap"),
  too_early: COUNT.describe("Not counted: the source was not read since the quarter ended"),
  not_watched: COUNT.describe("Not counted: first seen after the quarter had ended"),
  share_in_time: z.number().min(0).max(1).nullable()
    .describe("`in_time` of `due`; null where none was due"),
  median_slip_quarters: z.number().nullable()
    .describe(
      "From the quarter first promised to that of shipping, so far where it has not shipped",
    ),
};

const PREVIEW_TIMES = {
  finished: COUNT.describe("Releases that came to preview and became generally available"),
  median_days: DAYS.describe("How long those were in preview"),
  current: COUNT.describe("Releases that came to preview and have not left it"),
  median_days_so_far: DAYS.describe("How long those have been in preview"),
};

const RELEASE = {
  release_item_id: ID,
  feature_name: z.string(),
  product_name: z.string(),
  release_status: z.string(),
  release_date: DATE.nullable(),
  active: z.boolean(),
};

/** What `/api/insights` answers; docs/insights.md defines each figure. */
export const INSIGHTS = z.strictObject({
  as_of: DAY,
  watched: z.array(z.strictObject({ source: z.string(), from: DAY, to: DAY }))
    .describe("The first and the last day on which each source was read"),
  promises: z.strictObject({
    from: QUARTER,
    to: QUARTER,
    ...PROMISE_COUNTS,
    by_quarter: z.array(z.strictObject({ quarter: QUARTER, ...PROMISE_COUNTS })),
    by_product: z.array(z.strictObject({ product_name: z.string(), ...PROMISE_COUNTS })),
  }),
  moved: z.strictObject({
    total: COUNT.describe("Releases whose date has moved"),
    releases: z.array(z.strictObject({
      ...RELEASE,
      moves: COUNT,
      first_release_date: DATE,
      slip_quarters: z.int().nullable().describe(
        "Later than first planned; null: no date now",
      ),
    })),
  }),
  shipped: z.strictObject({
    quarter: QUARTER,
    total: COUNT.describe("Releases that shipped in the current quarter"),
    planned: COUNT.describe("Releases that are planned for it and have not shipped"),
    by_product: z.array(
      z.strictObject({ product_name: z.string(), shipped: COUNT, planned: COUNT }),
    ),
    releases: z.array(z.strictObject({
      ...RELEASE,
      delivered_on: DAY,
      first_promised: DATE.nullable().describe("Null: it shipped without a date"),
    })),
  }),
  preview: z.strictObject({
    ...PREVIEW_TIMES,
    by_product: z.array(z.strictObject({ product_name: z.string(), ...PREVIEW_TIMES })),
  }),
}).meta({ id: "Insights" });

export type Insights = z.output<typeof INSIGHTS>;

/** What is asked of the changes. */
export interface InsightsScope {
  filter: ItemFilter;
  /** `YYYY-MM-DD`; its quarter is the current one. */
  today: string;
  /** How many quarters before the current one are looked at. */
  quarters: number;
  /** The most releases, and the most products, of a list. */
  limits: { releases: number; products: number };
  /** What counts as a move: that the date changes, or only that its quarter does. */
  precision: "quarter" | "day";
}

/** What happened to the releases that were first promised for the quarters that are looked at. */
export type PromiseCounts = Omit<Insights["promises"]["by_quarter"][number], "quarter">;
