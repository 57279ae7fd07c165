/** The values of a filter that a form lists. */
export interface ListedValues {
  /** Those that most releases have, sorted. */
  values: readonly string[];
  /** How many there are, those that are not listed included. */
  total: number;
}

/** The tags of all groups as one list: `Platform:Web`. */
export function listTags(groups: Readonly<Record<string, ListedValues>>): ListedValues {
  const lists = Object.entries(groups);
  return {
    values: lists.flatMap(([group, { values }]) => values.map((value) => `${group}:${value}`)),
    total: lists.reduce((sum, [, { total }]) => sum + total, 0),
  };
}

/**
 * A note that a list is incomplete; null if it is complete.
 *
 * ```ts
 * const words = describeUnlisted({ values: ["A", "B"], total: 9 }, "products");
 * if (words !== "Showing 2 of 9 products: those with the most releases.") throw new Error();
 * if (describeUnlisted({ values: ["A"], total: 1 }, "products") !== null) throw new Error();
 * ```
 */
export function describeUnlisted({ values, total }: ListedValues, name: string): string | null {
  return total > values.length
    ? `Showing ${values.length} of ${
      total.toLocaleString("en")
    } ${name}: those with the most releases.`
    : null;
}

/**
 * The values that a form lists, those first that are chosen and not listed: a link may name a value
 * that no release has (any more).
 */
export function withChosen(values: readonly string[], chosen: readonly string[]): string[] {
  return [...new Set([...chosen.filter((value) => !values.includes(value)), ...values])];
}
