import { Name } from "../../../components/name.tsx";
import type { ListedItem } from "../../roadmap/item.ts";
import type { Site } from "../../roadmap/sites.ts";
import { cleanName } from "../../text/clean_name.ts";
import { formatPlanned } from "../../text/dates.ts";
import { toLine } from "../../text/to_line.ts";

/** Releases that are like another one. */
export function Related({ items, site: { path, variant } }: { items: ListedItem[]; site: Site }) {
  if (items.length === 0) return null;
  return (
    <section class="related" aria-labelledby="related-heading">
      <h2 id="related-heading">Related releases</h2>
      <ul>
        {items.map((item) => (
          <li key={item.release_item_id}>
            <span class={`badge tone-${item.tone}`}>{toLine(item.release_status)}</span>{" "}
            <a href={`${path}/release/${item.release_item_id}`}>
              <Name text={cleanName(item.feature_name)} />
            </a>{" "}
            <span class="quiet">
              {item.release_date === null
                ? "No date"
                : formatPlanned(variant.formatDate(item.release_date))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
