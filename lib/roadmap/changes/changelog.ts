import type { DatedChange, ListedItem } from "../item.ts";
import type { Variant } from "../variant.ts";

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
