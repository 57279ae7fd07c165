import { listTagGroups } from "./filter/filter_values.ts";
import type { z } from "zod";
import type { Change, DatedChange, Field, Item } from "./item.ts";

/** The variants that there are, as subscriptions keep them. */
export type VariantName = "A" | "B";

/** What differs between the two variants of the interface (interface specification, 9). */
export interface Variant {
  readonly name: VariantName;
  /** How long clients may consider a response fresh, in seconds (RFC 9111, section 5.2.2.1). */
  readonly freshSeconds: number;
  /** How long they may then use it while they revalidate it, in seconds (RFC 5861, section 3). */
  readonly staleSeconds: number;
  /**
   * How long a cached response may be used: `dataVersion` for as long as neither the data nor the
   * UTC day has changed, `shared` for a fixed time by all processes, whatever changes.
   */
  readonly cacheRule: "dataVersion" | "shared";
  /** It shows removed items on request. */
  readonly showsInactive: boolean;
  /** `q` searches by meaning if an embedding service is configured. */
  readonly searchesByMeaning: boolean;
  readonly hasChangelog: boolean;
  /** What one entry of a history shows; all changes of one import are one modification. */
  readonly historyShows: "change" | "modification";
  readonly hiddenFields: readonly Field[];
  readonly datePrecision: "quarter" | "day";
  /** A planned date `YYYY-MM-DD` as it shows it. */
  formatDate(date: string): string;
  /** What `formatItem` and `formatHistory` make, for the description of the API. */
  readonly itemSchema: z.ZodObject;
  readonly changedColumnsSchema: z.ZodType;
  /** One item as the interface shows it (2.1). */
  formatItem(item: Item): Record<string, unknown>;
  /** The history of an item (2.5), from its changes newest first. */
  formatHistory(changes: readonly DatedChange[]): HistoryEntry[];
  /** What a feed says about some changes, one line each. */
  describeChanges(changes: readonly Change[]): string[];
}

/** One entry of a history (2.5). */
export interface HistoryEntry {
  changed_columns: string | string[];
  last_modified: string;
}

/** What every variant shows of an item, in the shape of `itemShape`. */
export function formatShared(item: Item, formatDate: Variant["formatDate"]) {
  const { product_names, tags, dates } = item;
  return {
    release_item_id: item.release_item_id,
    feature_name: item.feature_name,
    release_date: item.release_date && formatDate(item.release_date),
    release_type: item.release_type,
    release_status: item.release_status,
    product_id: item.product_id,
    product_name: item.product_name,
    ...product_names.length > 1 && { product_names },
    ...Object.keys(tags).length > 0 && { tags: Object.fromEntries(listTagGroups(tags)) },
    ...Object.keys(dates).length > 0 && {
      dates: Object.fromEntries(listDates(dates).map(([name, day]) => [name, formatDate(day)])),
    },
    feature_description: item.feature_description,
  };
}

/** Named dates in the order of their days, `YYYY-MM-DD`, then of their names. */
export function listDates(dates: Readonly<Record<string, string>>): [name: string, day: string][] {
  const keyOf = ([name, day]: [string, string]) => `${day} ${name}`;
  return Object.entries(dates).sort((one, other) => keyOf(one) < keyOf(other) ? -1 : 1);
}

/**
 * The address of a release's announcement; null where there is none that a variant shows. Only
 * http(s) URLs become links, since the source is not trusted.
 */
export function blogAddress(
  { blog_url }: Pick<Item, "blog_url">,
  { hiddenFields }: Pick<Variant, "hiddenFields">,
): string | null {
  const isShown = !hiddenFields.includes("blog_url") && /^https?:\/\//i.test(blog_url ?? "");
  return isShown ? blog_url : null;
}

/**
 * The name of a field in words; of tags with their group, of a named date with its name.
 *
 * ```ts
 * if (fieldLabel("blog_url") !== "Blog Url") throw new Error();
 * if (fieldLabel("dates", "Preview") !== "Date (Preview)") throw new Error();
 * ```
 */
export function fieldLabel(field: Field, group: string | null = null): string {
  if (field === "product_names") return "Products";
  const words = field === "dates" && group !== null ? "date" : field;
  const label = words.split("_").map((word) => word[0]!.toUpperCase() + word.slice(1)).join(" ");
  return group === null ? label : `${label} (${group})`;
}
