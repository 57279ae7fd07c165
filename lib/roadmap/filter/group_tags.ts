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
  const groups = new Map<string, string[]>();
  for (const tag of tags) {
    const [, group = "", value = ""] = /^([^:]*):?(.*)$/s.exec(tag)!;
    groups.set(group, [...groups.get(group) ?? [], value]);
  }
  return groups;
}
