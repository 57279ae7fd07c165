import type { History } from "../../roadmap/changes/changes_sql.ts";
import type { Item } from "../../roadmap/item.ts";
import { cleanName } from "../../text/clean_name.ts";
import { toLine } from "../../text/to_line.ts";

/** schema.org data for search engines. */
export function linkedData(
  item: Item,
  { created }: History,
  { url, description }: { url: string; description: string },
) {
  return {
    "@context": "https://schema.org",
    "@type": "TechArticle",
    headline: cleanName(item.feature_name),
    description,
    url,
    ...created !== null && { datePublished: created },
    dateModified: item.last_modified,
    about: { "@type": "Thing", name: toLine(item.product_name) },
    keywords: [item.product_name, item.release_type, item.release_status].map(toLine),
  };
}
