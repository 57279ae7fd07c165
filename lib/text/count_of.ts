/**
 * A count with its noun, for people.
 *
 * ```ts
 * if (countOf(1, "release") !== "1 release") throw new Error();
 * if (countOf(1200, "release") !== "1,200 releases") throw new Error();
 * ```
 */
export function countOf(count: number, name: string): string {
  return count === 1 ? `1 ${name}` : `${count.toLocaleString("en")} ${name}s`;
}
