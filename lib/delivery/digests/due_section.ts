import type { ListedItem } from "../../roadmap/item.ts";
import { statedOf } from "../../roadmap/stated.ts";
import type { Variant } from "../../roadmap/variant.ts";
import { cleanName, excerpt } from "../../text/plain_text.ts";
import { formatPlanned } from "../../text/dates.ts";
import { joinFacts, joinParts } from "../../text/phrases.ts";

/** The periods that a digest lists, in their order, with their titles. */
export const DUE_TITLES = {
  next30: "mail.next_30_days",
  overdue: "list.overdue_title",
} as const;

/** What is due in a period, as a digest lists it. */
export interface DueSection {
  period: keyof typeof DUE_TITLES;
  items: DueItem[];
  /** How many releases there are, those that are not listed included. */
  total: number;
  /** The query of the roadmap page that shows all of them; null: no address says what is covered. */
  query: string | null;
}

/** A release that is due, in one line each. */
export interface DueItem {
  release_item_id: string;
  feature_name: string;
  /** Product, status and date. */
  details: string;
}

/** The most releases of each kind that an email lists. */
export const MAX_DUE_ITEMS = 5;
/** The most characters of a name or a value. */
const NAME_LENGTH = 160;
const VALUE_LENGTH = 60;

/** A release that is due in the words of a variant. */
export function describeDueItem(item: ListedItem, variant: Variant): DueItem {
  const shorten = (value: string) => excerpt(cleanName(value), { length: VALUE_LENGTH });
  const products = joinParts(item.product_names.map(shorten));
  const date = formatPlanned(variant.formatDate(item.release_date!));
  return {
    release_item_id: item.release_item_id,
    feature_name: excerpt(cleanName(item.feature_name), { length: NAME_LENGTH }),
    details: joinFacts([products, ...statedOf(item.release_status).map(shorten), date]),
  };
}
