import type { ListedItem } from "./item.ts";
import { listTagGroups } from "./tag_groups.ts";

/** What a release is filed under in feeds and calendars: products, type, status and tags, each once. */
export function categoriesOf(
  { product_names, release_type, release_status, tags }: Pick<
    ListedItem,
    "product_names" | "release_type" | "release_status" | "tags"
  >,
): string[] {
  const own = [...product_names, release_type, release_status];
  const values = listTagGroups(tags).flatMap(([, values]) => values).filter((tag) =>
    !own.includes(tag)
  );
  return [...own, ...new Set(values)];
}
