import type { StatusTone } from "../status_tone.ts";
import { addQuarters, formatQuarter, placeOfQuarter, quarterAt } from "../../text/dates.ts";

/** Columns that are no quarter: what lies outside the quarters shown, and what has no date. */
export const EARLIER = "Earlier";
export const LATER = "Later";
export const UNDATED = "No date";

/** What a board or a timeline shows of each cell. */
export interface CellLimits {
  /** The first and the last quarter, `Q# YYYY`. */
  first: string;
  last: string;
  /** The releases of a cell, at most. */
  perCell: number;
  /** The products with rows of their own, at most; null: cells are by standing. */
  products: number | null;
}

/** How far a release has come, beside its date: what is overdue should have shipped by now. */
export type Standing = "overdue" | "to come" | "shipped" | "stopped";

/** A release in a cell. */
export interface CellItem {
  release_item_id: string;
  feature_name: string;
  release_status: string;
  /** How far along it is, by the words of its status. */
  tone: StatusTone;
  product_name: string;
  /** The date from which it last slipped; absent: it did not, or is not awaited any more. */
  slipped_from?: string;
  /** Present if it was removed. */
  active?: false;
}

/** The releases of a quarter, or of a product in a quarter. */
export interface Cell {
  /** `Q# YYYY`, or one of the columns that are no quarter. */
  quarter: string;
  /** Empty where products share a cell. */
  product: string;
  total: number;
  /** The first of them. */
  items: readonly CellItem[];
  /** Where not all of them are shown: the part of a search that lists them. */
  all?: CellSearch;
}

/** The part of a search that lists the releases of a cell. */
export interface CellSearch {
  product_name?: readonly string[];
  release_status?: readonly string[];
  due?: string;
  release_date_from?: string;
  release_date_to?: string;
  sort: string;
  order: string;
  page?: number;
}

/** What a board or a timeline shows. */
export interface QuarterGrid {
  /** The names of the columns, in the order of time. */
  columns: readonly string[];
  /** How many of them are over. */
  past: number;
  /** Those with releases: by column, then by product. */
  cells: readonly Cell[];
}

/** Some releases of a column of a board: of one standing, or all of one tone. */
export interface BoardGroup {
  standing: Standing | null;
  total: number;
  /** The first of them. */
  items: readonly CellItem[];
  /** Where not all of them are shown: the part of a search that lists them. */
  all?: CellSearch;
}

/** A column of a board: a quarter, or how far releases have come. */
export interface BoardColumn {
  name: string;
  total: number;
  groups: readonly BoardGroup[];
}

/** What a board shows. */
export interface BoardGrid {
  columns: readonly BoardColumn[];
  /** How many releases are outside of the quarters shown, and the first quarter one step away. */
  earlier?: { total: number; first: string };
  later?: { total: number; first: string };
  /** Those that no quarter has. */
  undated?: { total: number; all: CellSearch };
}

/** How a view by quarter is cut: quarters before today and in all, releases in a cell, products. */
const VIEWS = {
  board: { before: 2, quarters: 6, perCell: 4, products: null },
  timeline: { before: 0, quarters: 6, perCell: 3, products: 50 },
} as const;

export type QuarterView = keyof typeof VIEWS;

/** Tells whether a view of the roadmap is one by quarter. */
export function isQuarterView(view: string): view is QuarterView {
  return Object.hasOwn(VIEWS, view);
}

/** The calendar goes from year 1 to year 9999. */
const FIRST_PLACE = placeOfQuarter("Q1 0001");
const LAST_PLACE = placeOfQuarter("Q4 9999");

/**
 * What a view shows: quarters from a first one on, or those of the dates that are chosen
 * (`YYYY-MM-DD`), or those around today.
 *
 * ```ts
 * const { first, last } = limitCells("timeline", { quarter: "Q3 2026" });
 * if (first !== "Q3 2026" || last !== "Q4 2027") throw new Error(last);
 * ```
 */
export function limitCells(
  view: QuarterView,
  { quarter, first: asked, from, to }: {
    quarter: string;
    first?: string;
    from?: string;
    to?: string;
  },
): CellLimits {
  const { before, quarters, perCell, products } = VIEWS[view];
  const now = placeOfQuarter(quarter);
  const end = to === undefined ? now : placeOfQuarter(formatQuarter(to));
  const wanted = asked !== undefined
    ? placeOfQuarter(asked)
    : from !== undefined
    ? placeOfQuarter(formatQuarter(from))
    : end < now
    ? end + 1 - quarters
    : now - before;
  const place = Math.min(Math.max(wanted, FIRST_PLACE), LAST_PLACE + 1 - quarters);
  const first = quarterAt(place);
  return { first, last: addQuarters(first, quarters - 1), perCell, products };
}
