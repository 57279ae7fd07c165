import type { KindsByPrecision } from "./changes/kinds.ts";
import type { StatusTone } from "./status_tone.ts";

/** What a source says of an item: the fields whose changes are kept as history. */
interface ItemFields {
  feature_name: string;
  /** `YYYY-MM-DD` */
  release_date: string | null;
  release_type: string;
  release_status: string;
  /** UUID in lower case */
  product_id: string | null;
  product_name: string;
  /** All products, the first of which is `product_name`. */
  product_names: string[];
  /** By their groups. */
  tags: Record<string, string[]>;
  /** The days of other promises than the release date (`YYYY-MM-DD`), by their names. */
  dates: Record<string, string>;
  feature_description: string | null;
  blog_title: string | null;
  blog_url: string | null;
}

/** One item of the roadmap as the database holds it. */
export interface Item extends ItemFields {
  /** UUID in lower case */
  release_item_id: string;
  /** `YYYY-MM-DD`, the day of its last change */
  last_modified: string;
  /** false: it was removed from the roadmap */
  active: boolean;
  /** What its status says of how far along it is. */
  tone: StatusTone;
  /** The language of its texts (BCP 47), if its source says one. */
  language?: string | null;
  /** The planned day (`YYYY-MM-DD`) before its date last moved, where that was read. */
  moved_from?: string | null;
}

/** The fields whose changes are kept, in the order in which a history names them. */
export const FIELDS = [
  "feature_name",
  "release_date",
  "release_type",
  "release_status",
  "product_id",
  "product_name",
  "product_names",
  "feature_description",
  "blog_title",
  "blog_url",
  "tags",
  "dates",
] as const satisfies readonly (keyof ItemFields)[];

export type Field = (typeof FIELDS)[number];

/** What a list shows of an item: nothing that may be long. */
export type ListedItem = Omit<
  Item,
  "product_id" | "feature_description" | "blog_title" | "blog_url"
>;

/** One change of an item, as the database keeps it. */
export type Change =
  | {
    kind: "added";
    fields: Field[];
    /** The source said the day; otherwise it is the one on which the item was first seen. */
    by_source?: boolean | null;
  }
  | { kind: "changed"; field: Field; old_value: string | null; new_value: string | null }
  | { kind: "removed" }
  | { kind: "restored" };

/**
 * A change with the day it counts for (`YYYY-MM-DD`), the import that brought it, and the kinds of
 * all that the import changed of the item.
 */
export type DatedChange = Change & { day: string; run_id: number; kinds: KindsByPrecision };

/** What a snapshot says of one item. */
export interface IncomingItem extends ItemFields {
  release_item_id: string;
  /** The source's own `YYYY-MM-DD`; null where it gives none. */
  last_modified: string | null;
  /** The day on which the source says that it was created, likewise. */
  created: string | null;
}

/** How many active items have a date in one quarter. */
export interface QuarterCount {
  /** `Q# YYYY` */
  quarter: string;
  shipped: number;
  /** Everything that is still to come: neither shipped nor stopped. */
  planned: number;
  /** Those of a status that nobody knows: they are in neither number. */
  unknown?: number;
}
