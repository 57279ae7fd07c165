import type { ListedItem } from "./item.ts";

/** The groups of tags with their values, in the order of their names. */
export function listTagGroups(
  tags: Readonly<Record<string, string[]>>,
): [group: string, values: string[]][] {
  return Object.entries(tags).sort(([one], [other]) => one < other ? -1 : 1);
}

/**
 * The values of tags such as `Platform:Web` by their groups, which end with the first colon.
 *
 * ```ts
 * const groups = groupTags(["Platform:Web", "Ring:A:B", "Platform:iOS"]);
 * const text = JSON.stringify([...groups]);
 * if (text !== '[["Platform",["Web","iOS"]],["Ring",["A:B"]]]') throw new Error(text);
 * ```
 */
export function groupTags(tags: readonly string[]): Map<string, string[]> {
  const grouped = Map.groupBy(tags, (tag) => tag.split(":")[0]!);
  return new Map(
    [...grouped].map(([group, some]) => [group, some.map((tag) => tag.slice(group.length + 1))]),
  );
}

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
