import type { Item, ListedItem } from "./item.ts";
import { cleanName } from "../text/clean_name.ts";
import { excerptOf } from "../text/plain_text.ts";
import type { Marks } from "../text/mark_words.ts";
import { toLine } from "../text/to_line.ts";
import type { Variant } from "./variant.ts";

/** The longest excerpt of a description in a list. */
const EXCERPT_LENGTH = 210;

/** A release in a list, with an excerpt as its description. */
type Showable = ListedItem & Partial<Pick<Item, "feature_description">>;

/**
 * A release for a list.
 *
 * @param marks what was searched, which the excerpt should contain
 * @param movedFrom the day, `YYYY-MM-DD`, from which its date last moved
 */
export function toFoundItem(
  variant: Variant,
  item: Showable,
  { marks, movedFrom }: { marks?: Marks; movedFrom?: string } = {},
) {
  const { release_item_id, release_status } = item;
  const before = movedFrom && variant.formatDate(movedFrom);
  const release_date = item.release_date && variant.formatDate(item.release_date);
  const isOpen = item.tone === "planned" || item.tone === "in_progress";
  return {
    release_item_id,
    feature_name: cleanName(item.feature_name),
    release_date,
    ...isOpen && before && before !== release_date && { moved_from: before },
    release_type: toLine(item.release_type),
    release_status: toLine(release_status),
    tone: item.tone,
    product_names: item.product_names.map(toLine),
    excerpt: excerptFor(item.feature_description ?? null, marks),
    last_modified: item.last_modified,
    ...!item.active && { active: false },
  };
}

/** The excerpt of a description: around what was searched, or its start. */
export function excerptFor(description: string | null, marks?: Marks): string {
  return excerptOf(description ?? "", { marks, length: EXCERPT_LENGTH });
}
