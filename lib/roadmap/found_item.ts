import type { Item, ListedItem } from "./item.ts";
import { excerptOf } from "../text/plain_text.ts";
import type { Variant } from "./variant.ts";

/** Of a description no more than this goes into a list. */
const EXCERPT_LENGTH = 210;

/** A release that is to be shown in a list, with its description where an excerpt of it is. */
type Showable = ListedItem & Partial<Pick<Item, "feature_description">>;

/** What a list shows of a release; `words`: what was looked for, so that the excerpt holds it. */
export function toFoundItem(variant: Variant, item: Showable, words?: string) {
  const { release_item_id, feature_name, release_type, release_status, product_name } = item;
  return {
    release_item_id,
    feature_name,
    release_date: item.release_date && variant.formatDate(item.release_date),
    release_type,
    release_status,
    product_name,
    excerpt: excerptFor(item.feature_description ?? null, words),
    last_modified: item.last_modified,
    ...!item.active && { active: false },
  };
}

/** The piece of a description that a list shows: where the words stand, else its start. */
export function excerptFor(description: string | null, words?: string): string {
  return excerptOf(description ?? "", {
    words: words?.trim() || undefined,
    length: EXCERPT_LENGTH,
  });
}
