import type { DueItem } from "../digests/due_section.ts";
import type { WrittenItem } from "./mail_content.ts";
import { writeHtmlItem } from "./mail_html.ts";

/** A release that is due, for a list of a mail. */
export function writeDueItem(item: DueItem, siteUrl: string): WrittenItem {
  const url = `${siteUrl}/release/${item.release_item_id}`;
  return {
    html: writeHtmlItem({ ...item, changes: [] }, () => url),
    text: [`- ${item.feature_name}`, item.details, url].join("\n  "),
  };
}
