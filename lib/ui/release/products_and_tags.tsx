import { Name } from "../../../islands/name.tsx";
import type { Item } from "../../roadmap/item.ts";
import { listTagGroups } from "../../roadmap/tag_groups.ts";
import type { Site } from "../../roadmap/sites.ts";
import { toLine } from "../../text/to_line.ts";

/** Several products, and the tags by their groups, each with a link to the releases that have it. */
export function ProductsAndTags({ item, site }: { item: Item; site: Site }) {
  const products = item.product_names.length > 1
    ? [{ title: "Products", links: item.product_names.map((name) => linkTo("product_name", name)) }]
    : [];
  const groups = listTagGroups(item.tags).map(([group, values]) => ({
    title: group,
    links: values.map((value) => ({ ...linkTo("tag", `${group}:${value}`), name: value })),
  }));
  if (products.length + groups.length === 0) return null;
  return (
    <dl class="tags">
      {[...products, ...groups].map(({ title, links }) => (
        <div key={title}>
          <dt>
            <Name text={toLine(title)} />
          </dt>
          {links.map(({ name, query }) => (
            <dd key={name}>
              <a href={`${site.path}/${query}`}>
                <Name text={toLine(name)} />
              </a>
            </dd>
          ))}
        </div>
      ))}
    </dl>
  );
}

function linkTo(parameter: string, name: string) {
  return { name, query: `?${parameter}=${encodeURIComponent(name)}` };
}
