const MINUTE = 60_000;

/** The second attempt comes after the first of these delays; they double up to the last. */
const DELAY = { first: MINUTE, longest: 4 * 60 * MINUTE };
/** Between two looks into the outbox. */
const PAUSE = { shortest: 1_000, longest: 5_000 };

/**
 * How long to wait after a number of attempts, in milliseconds.
 *
 * ```ts
 * const minutes = [1, 2, 3, 9, 20].map((attempts) => delayAfter(attempts) / 60_000);
 * if (minutes.join() !== "1,2,4,240,240") throw new Error(minutes.join());
 * ```
 */
export function delayAfter(attempts: number): number {
  return Math.min(DELAY.first * 2 ** (attempts - 1), DELAY.longest);
}

/** In seconds: after no attempt, one, two … up to the longest. */
export const DELAYS = [
  0,
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempts) => delayAfter(attempts) / 1000),
];

/**
 * How long to pause, in milliseconds.
 *
 * ```ts
 * const pauses = [0, 0.5, 1].map((drawn) => drawPause(() => drawn));
 * if (pauses.join() !== "1000,3000,5000") throw new Error(pauses.join());
 * ```
 */
export function drawPause(random: () => number): number {
  return PAUSE.shortest + random() * (PAUSE.longest - PAUSE.shortest);
}
