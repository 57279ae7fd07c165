import type { Change, DatedChange, ListedItem } from "../roadmap/item.ts";
import { decodeEntities, excerptOf } from "../text/plain_text.ts";
import type { Variant } from "../roadmap/variant.ts";

/** A longer value of a change is shortened: a mail is no place for whole descriptions. */
const VALUE_LENGTH = 140;

/** What a digest tells, ready to be written as a mail. */
export interface Digest {
  /** By day, the newest first. */
  items: DigestItem[];
  /** How many items changed that are not listed. */
  more: number;
  /** Where these can be read, below the site. */
  morePath: string;
}

/** One item of a digest; every text is one line, in the words of the subscriber's variant. */
export interface DigestItem {
  release_item_id: string;
  feature_name: string;
  product_name: string;
  release_type: string;
  release_status: string;
  release_date: string | null;
  /** `YYYY-MM-DD`: the day of the newest change that is told */
  day: string;
  changes: string[];
}

/** An item with the changes that were not told yet, oldest first, and the newest day of these. */
export type ChangedItem = ListedItem & { day: string; changes: readonly DatedChange[] };

/** Puts into a variant's words what has changed: the first items of so many in all. */
export function formatDigest(
  variant: Variant,
  items: readonly ChangedItem[],
  total: number,
): Digest {
  return {
    items: items.map((item) => formatItem(variant, item)),
    more: total - items.length,
    morePath: variant.hasChangelog ? "/changelog" : "/",
  };
}

function formatItem(variant: Variant, item: ChangedItem): DigestItem {
  return {
    release_item_id: item.release_item_id,
    feature_name: toLine(decodeEntities(item.feature_name)),
    product_name: toLine(item.product_name),
    release_type: toLine(item.release_type),
    release_status: toLine(item.release_status),
    release_date: item.release_date && variant.formatDate(item.release_date),
    day: item.day,
    changes: variant.describeChanges(item.changes.map(shorten)).map(toLine),
  };
}

function shorten(change: Change): Change {
  if (change.kind !== "changed") return change;
  const { old_value, new_value } = change;
  return { ...change, old_value: shortenValue(old_value), new_value: shortenValue(new_value) };
}

function shortenValue(value: string | null): string | null {
  return value && value.length > VALUE_LENGTH ? excerptOf(value, { length: VALUE_LENGTH }) : value;
}

/**
 * A text without line breaks and control characters, which could forge lines of a mail or steer
 * the terminal that shows the log.
 *
 * ```ts
 * if (toLine("a\r\nBcc:\u001b[2J b ") !== "a Bcc: [2J b") throw new Error();
 * ```
 */
export function toLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Bidi_Control}]+/gu, " ").trim();
}
