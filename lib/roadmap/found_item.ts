import type { Item, ListedItem } from "./item.ts";
import { cleanName } from "../text/clean_name.ts";
import { excerptOf } from "../text/plain_text.ts";
import { toLine } from "../text/to_line.ts";
import type { Variant } from "./variant.ts";

/** The longest excerpt of a description in a list. */
const EXCERPT_LENGTH = 210;

/** A release in a list, with an excerpt as its description. */
type Showable = ListedItem & Partial<Pick<Item, "feature_description">>;

/** A release for a list; `words`: the search, which the excerpt should contain. */
export function toFoundItem(variant: Variant, item: Showable, words?: string) {
  const { release_item_id, release_status } = item;
  return {
    release_item_id,
    feature_name: cleanName(item.feature_name),
    release_date: item.release_date && variant.formatDate(item.release_date),
    release_type: toLine(item.release_type),
    release_status: toLine(release_status),
    tone: item.tone,
    product_name: toLine(item.product_name),
    excerpt: excerptFor(item.feature_description ?? null, words),
    last_modified: item.last_modified,
    ...!item.active && { active: false },
  };
}

/** The excerpt of a description: around the words, or its start. */
export function excerptFor(description: string | null, words?: string): string {
  return excerptOf(description ?? "", {
    words: words?.trim() || undefined,
    length: EXCERPT_LENGTH,
  });
}
