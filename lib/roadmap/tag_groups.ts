/** The groups of tags with their values, in the order of their names. */
export function listTagGroups(
  tags: Readonly<Record<string, string[]>>,
): [group: string, values: string[]][] {
  return Object.entries(tags).sort(([one], [other]) => one < other ? -1 : 1);
}
