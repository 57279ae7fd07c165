import type { History } from "../../roadmap/changes/changes_sql.ts";
import type { Item } from "../../roadmap/item.ts";
import { cleanName } from "../../text/clean_name.ts";
import { categoriesOf } from "../../roadmap/categories.ts";
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
    about: aboutOf(item),
    keywords: categoriesOf(item).map(toLine),
  };
}

/** Its products: one, or a list. */
function aboutOf({ product_names }: Item) {
  const things = product_names.map((name) => ({ "@type": "Thing", name: toLine(name) }));
  return things.length === 1 ? things[0] : things;
}
