/** A receiver that asks for a longer pause is asked again after this one. */
export const LONGEST_PAUSE_MS = 24 * 60 * 60 * 1000;

/**
 * The milliseconds for which a receiver asks not to be told: seconds or a moment (RFC 9110, section
 * 10.2.3), a day at most; 0 where it asks for nothing.
 *
 * ```ts
 * const now = new Date("2026-07-20T12:00:00Z");
 * const asked = ["120", "Mon, 20 Jul 2026 12:01:00 GMT", "soon", null, "9999999"];
 * const pauses = asked.map((value) => askedDelay(value, now));
 * if (pauses.join() !== "120000,60000,0,0,86400000") throw new Error(pauses.join());
 * ```
 */
export function askedDelay(value: string | null, now: Date): number {
  if (value === null) return 0;
  const asked = /^\s*\d+\s*$/.test(value)
    ? Number(value) * 1000
    : Date.parse(value) - now.getTime();
  return Number.isNaN(asked) ? 0 : Math.min(Math.max(0, asked), LONGEST_PAUSE_MS);
}
