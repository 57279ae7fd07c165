import type { RankedByWords } from "../roadmap/words/rank_words_sql.ts";

/** The usual constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009). */
const K = 60;

/**
 * Puts what words and meaning have found into one order, by reciprocal rank: the items whose name
 * holds the question as it stands come first, then those with every word in their name.
 *
 * ```ts
 * const ids = fuseRanks({ ids: ["a", "b"], spelt: 0, inName: 1 }, ["c", "b"]);
 * if (ids.join() !== "a,b,c") throw new Error(ids.join());
 * ```
 */
export function fuseRanks(
  { ids, spelt, inName }: RankedByWords,
  near: readonly string[],
): string[] {
  const scores = new Map<string, number>();
  for (const ranking of [ids, near]) {
    ranking.forEach((id, place) => scores.set(id, (scores.get(id) ?? 0) + 1 / (K + place + 1)));
  }
  const byScore = (a: string, b: string) => scores.get(b)! - scores.get(a)!;
  const first = new Set([...ids.slice(0, spelt), ...ids.slice(spelt, inName).sort(byScore)]);
  const rest = [...scores.keys()].filter((id) => !first.has(id)).sort(byScore);
  return [...first, ...rest];
}
