import { Name } from "../../../components/name.tsx";
import type { Item } from "../../roadmap/item.ts";
import { listTagGroups } from "../../roadmap/tag_groups.ts";
import type { Site } from "../../roadmap/sites.ts";
import { toLine } from "../../text/to_line.ts";

/** The products of a release, each with a link to the releases that have it. */
export function Products({ item, site }: { item: Item; site: Site }) {
  return (
    <ul class="products" aria-label="Products">
      {item.product_names.map((name) => (
        <li key={name}>
          <FilterLink parameter="product_name" value={name} text={name} site={site} />
        </li>
      ))}
    </ul>
  );
}

/** The tags by their groups, each with a link to the releases that have it. */
export function Tags({ item, site }: { item: Item; site: Site }) {
  const groups = listTagGroups(item.tags);
  if (groups.length === 0) return null;
  return (
    <dl class="tags">
      {groups.map(([group, values]) => (
        <div key={group}>
          <dt>
            <Name text={toLine(group)} />
          </dt>
          {values.map((value) => (
            <dd key={value}>
              <FilterLink parameter="tag" value={`${group}:${value}`} text={value} site={site} />
            </dd>
          ))}
        </div>
      ))}
    </dl>
  );
}

function FilterLink({ parameter, value, text, site }: {
  parameter: string;
  value: string;
  text: string;
  site: Site;
}) {
  return (
    <a rel="nofollow" href={`${site.path}/?${parameter}=${encodeURIComponent(value)}`}>
      <Name text={toLine(text)} />
    </a>
  );
}
