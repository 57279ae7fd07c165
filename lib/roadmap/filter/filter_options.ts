/** What the filters of a collection can be set to: the distinct values of the active items. */
export interface FilterOptions<List = string[]> {
  product_names: List;
  release_types: List;
  release_statuses: List;
  /** By their groups; empty where there are none. */
  tags: Record<string, List>;
  /** The names of the sources; empty where all items come from one. */
  sources: List;
}

/** The names of the sources that are a choice: none where there is only one. */
export function namesOfSeveral(names: readonly string[]): string[] {
  return names.length > 1 ? [...names].sort() : [];
}
