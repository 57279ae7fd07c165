import { z } from "zod";
import { day, flag, wholeNumber } from "../../http/requests/parameters.ts";
import { daysBefore, isoDate } from "../../text/dates.ts";
import { formatPairs, paginate, type Pagination } from "../collection.ts";
import { FILTER, resolveFilter, takeModified } from "../filter/filter.ts";
import { filterPairs } from "../filter/filter_values.ts";
import type { DatedChange, ListedItem } from "../item.ts";
import { countFiltered } from "../items_sql.ts";
import type { Selections } from "../releases.ts";
import type { Variant } from "../variant.ts";
import { searchWords, type WordServices } from "../words/search_words.ts";
import { kindParameter } from "./changes_query.ts";
import { type ItemWithChanges, readChangesOfDay } from "./api_changelog_sql.ts";

/** The changelog (interface specification, 2.6): a page of all its items, sorted by day. */
export function formatChangelog(
  variant: Variant,
  { items, total, date }: {
    items: readonly (ListedItem & { changes: readonly DatedChange[] })[];
    total: number;
    /** Absent: each item stands on the day of its last change. */
    date?: string;
  },
): Record<string, unknown> {
  const days = [...Map.groupBy(items, (item) => date ?? item.last_modified)].map((
    [date, items],
  ) => ({
    date,
    count: items.length,
    items: items.map((item) => formatEntry(variant, item)),
  }));
  return { total_items: total, days };
}

/** One item of a changelog, in the words of the variant. */
export function formatEntry(
  variant: Variant,
  item: ListedItem & { changes: readonly DatedChange[] },
) {
  return {
    release_item_id: item.release_item_id,
    feature_name: item.feature_name,
    product_name: item.product_name,
    release_type: item.release_type,
    release_status: item.release_status,
    release_date: item.release_date && variant.formatDate(item.release_date),
    last_modified: item.last_modified,
    active: item.active,
    changed_columns: variant.describeChanges(item.changes),
  };
}

const DEFAULT_DAYS = 30;
const MAX_DAYS = 90;

/** The parameters of a changelog (interface specification, 4.4). */
export const CHANGELOG_QUERY = z.object({
  days: wholeNumber({ min: 1, max: MAX_DAYS }).default(DEFAULT_DAYS)
    .describe("Number of days to look back"),
  date: day().describe("Only changes dated this day; `days` is then ignored"),
  kind: kindParameter(),
  ...FILTER,
  include_inactive: flag().default(true).describe("`true` or `1`: include removed releases"),
  page: wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER }).default(1)
    .describe("Counted from 1"),
});

type ChangelogQuery = z.output<typeof CHANGELOG_QUERY>;

/**
 * A page of the items that changed within the days that are asked for, counted back from today. All
 * numbers of days share one selection: fewer days are the start of it.
 */
export async function readChangelog(
  { days, date, kind, page, ...filter }: ChangelogQuery,
  page_size: number,
  { selections, clock, variant, ...services }: WordServices & {
    selections: Selections;
    clock: () => Date;
    variant: Variant;
  },
): Promise<{ items: ItemWithChanges[]; pagination: Pagination }> {
  const today = isoDate(clock());
  const { since: asked, filter: resolved } = takeModified(resolveFilter(filter, today));
  const isNarrowed = date !== undefined || kind !== undefined;
  const changed = { day: date, kinds: kind, precision: variant.datePrecision };
  const lookBack = date ?? daysBefore(today, days);
  const oldest = date ?? daysBefore(today, MAX_DAYS);
  const since = asked !== undefined && asked > lookBack ? asked : lookBack;
  const within = {
    ...resolved,
    ...isNarrowed && { changed },
    ...!date && { modified_since: since },
  };
  const { filter: searched } = await searchWords(within, services);
  const [selection, total] = await Promise.all([
    selections.select({ ...searched, ...!date && { modified_since: oldest } }, {
      sort: "day",
      order: "desc",
    }),
    countFiltered(services.database, searched),
  ]);
  const end = Math.min(page * page_size, total);
  const ids = selection.slice(Math.min((page - 1) * page_size, end), end);
  const items = ids.length > 0 ? await readChangesOfDay(services.database, ids, date) : [];
  return { items, pagination: paginate({ page, page_size }, total) };
}

/** The query of a changelog's address, with its question mark; what is a default stays away. */
export function changelogQuery(
  { days, date, kind = [], include_inactive, page, ...filter }: ChangelogQuery,
): string {
  return formatPairs([
    ["days", days === DEFAULT_DAYS ? undefined : days],
    ["date", date],
    ["kind", kind],
    ...filterPairs(filter),
    ["include_inactive", include_inactive ? undefined : false],
    ["page", page === 1 ? undefined : page],
  ]);
}
