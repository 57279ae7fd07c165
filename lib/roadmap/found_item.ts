import { cleanName, excerptOf } from "../text/plain_text.ts";
import { formatPlanned, quarterOf } from "../text/dates.ts";
import { foreign } from "../text/foreign.ts";
import type { Marks } from "../text/match_words.ts";
import { toLine } from "../text/phrases.ts";
import type { FilterValues } from "./filter/filter_values.ts";
import type { Item, ListedItem } from "./item.ts";
import type { CellRow } from "./quarters/quarters_sql.ts";
import type { CellItem, CellSearch } from "./quarters/quarter_grid.ts";
import { listDates, type Variant } from "./variant.ts";

/** The longest excerpt of a description in a list. */
const EXCERPT_LENGTH = 210;

/** A release in a list, with an excerpt as its description. */
type Showable = ListedItem & Partial<Pick<Item, "feature_description">>;

/**
 * A release for a list.
 *
 * @param day that of the roadmap, `YYYY-MM-DD`
 * @param marks what was searched, which the excerpt should contain
 */
export function toFoundItem(
  variant: Variant,
  item: Showable,
  { day, marks }: { day: string; marks: Marks | undefined },
) {
  const { release_item_id, release_status, moved_from } = item;
  const before = moved_from && variant.formatDate(moved_from);
  const release_date = item.release_date && variant.formatDate(item.release_date);
  const isOpen = item.tone === "planned" || item.tone === "in_progress";
  return {
    release_item_id,
    feature_name: cleanName(item.feature_name),
    release_date,
    ...isOpen && before && before !== release_date && { moved_from: before },
    ...nextDate(variant, item, day),
    release_type: toLine(item.release_type),
    release_status: toLine(release_status),
    tone: item.tone,
    product_names: item.product_names.map(toLine),
    excerpt: excerptFor(item.feature_description ?? null, marks),
    last_modified: item.last_modified,
    ...!item.active && { active: false },
    ...foreign(item.language),
  };
}

/** In words, what comes before the release date, or after a release that is not awaited any more. */
function nextDate(
  { formatDate }: Variant,
  { dates, release_date, tone, active }: Pick<
    ListedItem,
    "dates" | "release_date" | "tone" | "active"
  >,
  today: string,
): { next_date?: string } {
  const next = listDates(dates).find(([, day]) => day >= today);
  if (!next || !active || tone === "stopped") return {};
  const isAwaited = tone !== "shipped" && release_date !== null && release_date >= today;
  const [name, day] = next;
  if (isAwaited && day >= release_date) return {};
  return { next_date: `${toLine(name)} ${formatPlanned(formatDate(day))}` };
}

/** The excerpt of a description: around what was searched, or its start. */
export function excerptFor(description: string | null, marks?: Marks): string {
  return excerptOf(description ?? "", { marks, length: EXCERPT_LENGTH });
}

/** A release of a cell, with the date from which it slipped. */
export function toCellItem(
  variant: Variant,
  row: Omit<CellRow, "quarter" | "standing" | "total" | "all_items">,
  day: string,
): CellItem {
  const before = row.moved_from ?? undefined;
  const from = before && variant.formatDate(before);
  const date = row.release_date && variant.formatDate(row.release_date);
  const isOpen = row.tone === "planned" || row.tone === "in_progress";
  const hasSlipped = isOpen && from !== date && before! < row.release_date!;
  return {
    release_item_id: row.release_item_id,
    feature_name: cleanName(row.feature_name),
    release_status: toLine(row.release_status),
    tone: row.tone,
    product_name: toLine(row.product_name),
    ...hasSlipped && { slipped_from: from },
    ...nextDate(variant, row, day),
    ...!row.active && { active: false as const },
    ...foreign(row.language),
  };
}

/** The part of a search that lists the releases of a quarter; a day that was chosen may lie in it. */
export function searchQuarter(
  quarter: string,
  { release_date_from, release_date_to }: Pick<
    FilterValues,
    "release_date_from" | "release_date_to"
  >,
): CellSearch {
  const within = (bound: string) => bound !== "" && quarterOf(bound) === quarter ? bound : quarter;
  return {
    ...LISTED,
    release_date_from: within(release_date_from),
    release_date_to: within(release_date_to),
  };
}

/** No filter asks for a missing date; in the order of dates, those without come last. */
export function searchUndated(place: number, { pageSize }: { pageSize: number }): CellSearch {
  return { ...LISTED, page: Math.floor(place / pageSize) + 1 };
}

/** In the order of a view by quarter. */
export const LISTED = { sort: "release_date", order: "asc" };
