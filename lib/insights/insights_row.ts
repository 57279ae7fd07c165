import type { ItemFilter } from "../roadmap/filter/filter.ts";

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

/** What became of the releases that were first promised for the quarters that are looked at. */
export interface PromiseCounts {
  due: number;
  earlier: number;
  in_quarter: number;
  late: number;
  moved: number;
  open: number;
  dropped: number;
  too_early: number;
  not_watched: number;
  /** In quarters; null: none was delivered or is open. */
  median_slip: number | null;
}

/** How long releases were in preview, in days, and how long others have been. */
export interface PreviewTimes {
  finished: number;
  median_days: number | null;
  current: number;
  median_days_so_far: number | null;
}

/** A release of a list. */
export interface NamedRelease {
  release_item_id: string;
  feature_name: string;
  product_name: string;
  release_status: string;
  active: boolean;
  /** `YYYY-MM-DD`, as are all days here */
  release_date: string | null;
}

export type MovedRelease = NamedRelease & {
  moves: number;
  first_date: string;
  /** In quarters; null: it has no date now. */
  slip: number | null;
};

export type ShippedRelease = NamedRelease & {
  delivered_on: string;
  first_promised: string | null;
};

/** All figures, as the database knows them. */
export interface InsightsRow {
  promises: PromiseCounts;
  /** By number of quarter: its year times 4, plus 0 to 3. */
  promises_by_quarter: (PromiseCounts & { quarter: number })[];
  promises_by_product: (PromiseCounts & { product_name: string })[];
  /** From when to when the sources of the releases were read. */
  watched: { source: string; from: string; to: string }[];
  moved_total: number;
  moved: MovedRelease[];
  shipped_total: number;
  planned_total: number;
  shipped: ShippedRelease[];
  current_by_product: { product_name: string; shipped: number; planned: number }[];
  preview: PreviewTimes;
  preview_by_product: (PreviewTimes & { product_name: string })[];
}
