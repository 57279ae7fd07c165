import type { Change } from "../item.ts";

/** What changed of a list, or of one group of tags, as texts. */
export interface ListChange {
  /** Null: it is no tag. */
  group: string | null;
  old_value: string | null;
  new_value: string | null;
}

/**
 * The changes of products or tags, which hold JSON, by groups; of any other field, the change as it
 * is.
 *
 * ```ts
 * const [change, ...others] = splitLists({
 *   kind: "changed", field: "tags",
 *   old_value: '{"Platform": ["Web"], "Ring": ["GA"]}', new_value: '{"Platform": ["Web", "iOS"], "Ring": ["GA"]}',
 * });
 * const words = `${change?.group} ${change?.old_value} -> ${change?.new_value}`;
 * if (words !== "Platform Web -> Web, iOS" || others.length > 0) throw new Error(words);
 * ```
 */
export function splitLists(
  { field, old_value, new_value }: Extract<Change, { kind: "changed" }>,
): ListChange[] {
  if (field === "product_names") {
    return [{ group: null, old_value: joinNames(old_value), new_value: joinNames(new_value) }];
  }
  if (field !== "tags") return [{ group: null, old_value, new_value }];
  const [before, after] = [groupsIn(old_value), groupsIn(new_value)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
    .map((group) => ({
      group,
      old_value: before[group]?.join(", ") ?? null,
      new_value: after[group]?.join(", ") ?? null,
    }))
    .filter((change) => change.old_value !== change.new_value);
}

function joinNames(names: string | null): string | null {
  return names && (JSON.parse(names) as string[]).join(", ");
}

function groupsIn(tags: string | null): Record<string, string[]> {
  return tags === null ? {} : JSON.parse(tags);
}
