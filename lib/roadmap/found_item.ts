import { cleanName, excerptOf } from "../text/plain_text.ts";
import { formatPlanned } from "../text/dates.ts";
import { foreign } from "../text/foreign.ts";
import type { Marks } from "../text/match_words.ts";
import { toLine } from "../text/phrases.ts";
import type { Item, ListedItem } from "./item.ts";
import { listDates, type Variant } from "./variant.ts";

/** The longest excerpt of a description in a list. */
const EXCERPT_LENGTH = 210;

/**
 * A release for a list.
 *
 * @param day that of the roadmap, `YYYY-MM-DD`
 * @param marks what was searched, which the excerpt should contain
 */
export function toFoundItem(
  variant: Variant,
  item: ListedItem & Partial<Pick<Item, "feature_description">>,
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
export function nextDate(
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
