/**
 * The milliseconds that a Retry-After header asks for: seconds or a moment (RFC 9110, section
 * 10.2.3); null if it asks for nothing.
 *
 * ```ts
 * const now = new Date("2026-07-20T12:00:00Z");
 * const values = ["120", "Mon, 20 Jul 2026 12:01:00 GMT", "Mon, 20 Jul 2026 11:00:00 GMT", "soon"];
 * const pauses = values.map((value) => parseRetryAfter(value, now));
 * if (JSON.stringify(pauses) !== "[120000,60000,0,null]") throw new Error(JSON.stringify(pauses));
 * ```
 */
export function parseRetryAfter(value: string | null, now: Date): number | null {
  if (value === null) return null;
  const asked = /^\s*\d+\s*$/.test(value)
    ? Number(value) * 1000
    : Date.parse(value) - now.getTime();
  return Number.isNaN(asked) ? null : Math.max(0, asked);
}
