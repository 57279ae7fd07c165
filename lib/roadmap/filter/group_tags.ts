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
