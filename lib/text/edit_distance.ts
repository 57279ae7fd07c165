/**
 * How many letters have to be inserted, deleted, replaced or swapped with their neighbour to make one
 * word another (optimal string alignment).
 *
 * ```ts
 * if (editDistance("fabirc", "fabric") !== 1) throw new Error();
 * if (editDistance("wharehouse", "warehouse") !== 1) throw new Error();
 * ```
 */
export function editDistance(one: string, other: string): number {
  const [a, b] = [[...one], [...other]];
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, place) => place);
  a.forEach((letter, i) => {
    const row = [i + 1];
    b.forEach((wanted, j) => {
      const replaced = last[j]! + (letter === wanted ? 0 : 1);
      const isSwapped = i > 0 && j > 0 && letter === b[j - 1] && a[i - 1] === wanted;
      const swapped = isSwapped ? before[j - 1]! + 1 : Infinity;
      row.push(Math.min(row[j]! + 1, last[j + 1]! + 1, replaced, swapped));
    });
    [before, last] = [last, row];
  });
  return last[b.length]!;
}
