import type { StatusTone } from "../status_tone.ts";
import { addQuarters, formatQuarter, placeOfQuarter, quarterAt } from "../../text/dates.ts";

/** Columns that are no quarter: what lies outside the quarters shown, and what has no date. */
export const EARLIER = "Earlier";
export const LATER = "Later";
export const UNDATED = "No date";

/** The quarters that a board shows, and what it shows of each. */
export interface CellLimits {
  /** The first and the last quarter, `Q# YYYY`. */
  first: string;
  last: string;
  perCell: number;
}

/**
 * How far a release has come, beside its date: what is overdue should have shipped by now; what has a
 * status that nobody knows may have.
 */
export type QuarterStanding = "overdue" | "unclear" | "to come" | "shipped" | "stopped";

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
  /** A named date beside it that is still to come, in words. */
  next_date?: string;
  /** Present if it was removed. */
  active?: false;
  /** The language of its name, if that is another than the page's. */
  lang?: string;
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

/** Some releases of a column of a board: of one standing, or all of one tone. */
export interface BoardGroup {
  standing: QuarterStanding | null;
  total: number;
  items: readonly CellItem[];
  /** Where not all of them are shown: the part of a search that lists them. */
  all?: CellSearch;
}

/** A column of a board: a quarter, or how far releases have come. */
export interface BoardColumn {
  /** `Q# YYYY`, or a tone. */
  name: string;
  total: number;
  groups: readonly BoardGroup[];
}

/** What a board shows. */
export interface BoardGrid {
  columns: readonly BoardColumn[];
  /** How many releases are before and after these quarters, and the first quarter one step away. */
  earlier?: { total: number; first: string };
  later?: { total: number; first: string };
  /** Those that no quarter has. */
  undated?: { total: number; all: CellSearch };
}

/** Five quarters from the one before today on, and the most releases of a cell. */
const WINDOW = { before: 1, quarters: 5 };
const PER_CELL = 4;

/** The calendar goes from year 1 to year 9999. */
const FIRST_PLACE = placeOfQuarter("Q1 0001");
const LAST_PLACE = placeOfQuarter("Q4 9999");

/**
 * What a board shows: quarters from a first one on, or those of the dates that are chosen
 * (`YYYY-MM-DD`), or those around today.
 *
 * ```ts
 * const { first, last } = limitCells({ quarter: "Q3 2026" });
 * if (first !== "Q2 2026" || last !== "Q2 2027") throw new Error(last);
 * ```
 */
export function limitCells(
  { quarter, first: asked, from, to }: {
    quarter: string;
    first?: string;
    from?: string;
    to?: string;
  },
): CellLimits {
  const { before, quarters } = WINDOW;
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
  return { first, last: addQuarters(first, quarters - 1), perCell: PER_CELL };
}
