/** Numbers from 0 up to 1. */
export type Random = () => number;

/** Draws the same numbers in each run. */
export function seedRandom(seed: number): Random {
  let state = seed;
  return () => (state = state * 48_271 % 2_147_483_647) / 2_147_483_647;
}
