/** The usual constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009). */
const K = 60;

/**
 * What items score by their places in several orders, each of which counts by its weight.
 *
 * ```ts
 * const scores = scoreRanks([["a", "b"], 1], [["b"], 0.5]);
 * if (!(scores.get("b")! > scores.get("a")!)) throw new Error();
 * ```
 */
export function scoreRanks(
  ...orders: readonly (readonly [ids: readonly string[], weight: number])[]
): Map<string, number> {
  const scores = new Map<string, number>();
  for (const [ids, weight] of orders) {
    ids.forEach((id, place) => scores.set(id, (scores.get(id) ?? 0) + weight / (K + place + 1)));
  }
  return scores;
}
