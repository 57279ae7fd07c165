import { z } from "zod";
import { DAY, ID, QUARTER } from "../roadmap/answer_schemas.ts";

const COUNT = z.int().min(0);
const DATE = z.union([QUARTER, DAY]).describe("As the variant tells planned dates");
const DAYS = z.number().min(0).nullable();

const PROMISE_COUNTS = {
  due: COUNT.describe(
    "Releases that were first promised for these quarters; the sum of the next 5",
  ),
  earlier: COUNT.describe("Delivered before the quarter first promised"),
  in_quarter: COUNT.describe("Delivered in it"),
  later: COUNT.describe("Delivered after it"),
  open: COUNT.describe("Not delivered, and still on the roadmap"),
  dropped: COUNT.describe("Not delivered, and removed from the roadmap"),
  share_in_quarter: z.number().min(0).max(1).nullable()
    .describe("`in_quarter` of `due`; null where none was due"),
  median_slip_quarters: z.number().nullable()
    .describe("From the quarter first promised to that of delivery, so far where there was none"),
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
        "Later than first planned; null: without a date now",
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
export type PromiseCounts = Insights["promises"]["by_quarter"][number];
