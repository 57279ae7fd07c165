import { Name } from "../../../islands/name.tsx";
import { Facts } from "../../../islands/search/release_row.tsx";
import { toFoundItem } from "../../roadmap/found_item.ts";
import type { ListedItem } from "../../roadmap/item.ts";
import type { Site } from "../../roadmap/sites.ts";
import { cleanName } from "../../text/clean_name.ts";

/** Releases that are like another one. */
export function Related({ items, site }: { items: ListedItem[]; site: Site }) {
  if (items.length === 0) return null;
  return (
    <section class="related" aria-labelledby="related-heading">
      <h2 id="related-heading">Related releases</h2>
      <ul class="tiles">
        {items.map((item) => (
          <li key={item.release_item_id} class="card">
            <h3>
              <a href={`${site.path}/release/${item.release_item_id}`}>
                <Name text={cleanName(item.feature_name)} />
              </a>
            </h3>
            <Facts item={toFoundItem(site.variant, item)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
