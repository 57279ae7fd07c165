import { z } from "zod";
import { excerptFor } from "../roadmap/found_item.ts";
import type { Item, ListedItem } from "../roadmap/item.ts";
import { listTagGroups } from "../roadmap/tag_groups.ts";
import type { Site } from "../roadmap/sites.ts";
import type { Variant } from "../roadmap/variant.ts";
import { cleanName } from "../text/plain_text.ts";
import { formatPlanned } from "../text/dates.ts";
import { shorten, toLine } from "../text/phrases.ts";
import { marksOf } from "../text/match_words.ts";

/** The address of the page of a release. */
export function pageOf(id: string, { url }: Site): string {
  return `${url}/release/${id}`;
}

/** A release as a tool gives it: in the shape of the variant, with its page. */
export function describeRelease(
  item: Item,
  { site, longest }: { site: Site; longest: number },
): Record<string, unknown> {
  const description = item.feature_description;
  return {
    ...site.variant.formatItem({
      ...item,
      feature_name: cleanName(item.feature_name),
      feature_description: description && shorten(description, longest),
    }),
    url: pageOf(item.release_item_id, site),
  };
}

/** The schema of `describeRelease`. */
export function releaseSchema({ itemSchema }: Variant) {
  return itemSchema.extend({ url: z.url().describe("Its page; link to it in what you write") });
}

/** A release in a few lines of text. */
export function writeRelease(
  item: ListedItem & Partial<Pick<Item, "feature_description">>,
  { site, words }: { site: Site; words?: string },
): string {
  const date = item.release_date &&
    formatPlanned(site.variant.formatDate(item.release_date));
  const facts = [
    item.active ? toLine(item.release_status) : "removed from the roadmap",
    toLine(item.release_type),
    date ? `planned for ${date}` : "no date",
    `changed ${item.last_modified}`,
    ...listTagGroups(item.tags).map(([group, values]) =>
      `${toLine(group)}: ${values.map(toLine).join(", ")}`
    ),
  ];
  const products = item.product_names.map(toLine).join(", ");
  const excerpt = excerptFor(item.feature_description ?? null, words ? marksOf(words) : undefined);
  return [
    `${cleanName(item.feature_name)} (${products}): ${facts.join(", ")}`,
    ...excerpt ? [excerpt] : [],
    pageOf(item.release_item_id, site),
  ].join("\n");
}
