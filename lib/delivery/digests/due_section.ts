import { formatPairs } from "../../roadmap/collection.ts";
import { filterPairs } from "../../roadmap/filter/filter_values.ts";
import type { ListedItem } from "../../roadmap/item.ts";
import { statedOf } from "../../roadmap/stated.ts";
import type { Variant } from "../../roadmap/variant.ts";
import { cleanName, excerpt } from "../../text/plain_text.ts";
import { formatPlanned } from "../../text/dates.ts";
import { joinFacts, joinParts, toLine } from "../../text/phrases.ts";
import type { MailItem } from "../mail/mail_content.ts";
import type { Preferences } from "../subscriptions/subscriptions_sql.ts";

/** What of preferences says which releases are covered. */
export type Covering = Pick<Preferences, "scope" | "filter" | "releases">;

/** The periods that a digest lists, in their order. No release is due in both. */
export const DUE_PERIODS = ["next30", "overdue"] as const;

/** What is due in a period, as a digest lists it. */
export interface DueSection {
  period: typeof DUE_PERIODS[number];
  items: MailItem[];
  /** How many releases there are, those that are not listed included. */
  total: number;
  /** The query of the roadmap page that shows all of them; null: no address says what is covered. */
  query: string | null;
}

/** The most releases of each kind that an email lists. */
export const MAX_DUE_ITEMS = 5;

/** A name as an email has it, which is no place for more. */
export function shortName(name: string): string {
  return excerpt(cleanName(name), { length: 160 });
}

/** A value as an email has it. */
export function shortValue(value: string): string {
  return excerpt(cleanName(value), { length: 60 });
}

/** A release that is due in the words of a variant. */
export function describeDueItem(
  item: ListedItem & {
    /** What its date is called where it is another one than the release date. */
    date_name?: string | null;
  },
  variant: Variant,
): MailItem {
  const products = joinParts(item.product_names.map(shortValue));
  const planned = formatPlanned(variant.formatDate(item.release_date!));
  const date = item.date_name ? `${toLine(item.date_name)} ${planned}` : planned;
  return {
    release_item_id: item.release_item_id,
    feature_name: shortName(item.feature_name),
    details: joinFacts([products, ...statedOf(item.release_status).map(shortValue), date]),
  };
}

/** Says in a query what is due of what preferences cover, neither more nor less; null: none can. */
export function queryOfDue(
  { scope, filter, releases }: Covering,
  period: DueSection["period"],
): string | null {
  if (scope === "all") return formatPairs([["due", period]]);
  const { kind: _, q = [], due = [], ...lists } = filter;
  if (scope === "watched" || releases.length + due.length > 0 || q.length > 1) return null;
  const search = q.length > 0 ? { q: q[0], match: "words" } : {};
  return formatPairs(filterPairs({ ...lists, due: period, ...search }));
}
