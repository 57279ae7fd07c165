/** How far along a release is; statuses are an open set, so that it is told from their words. */
export type StatusTone = "shipped" | "moving" | "stopped" | "planned";

const WORDS: readonly [StatusTone, RegExp][] = [
  ["stopped", /cancel|declin|reject|abandon|retired|deprecat/i],
  [
    "moving",
    /develop|progress|rolling|preview|beta|started|testing|building|delay|postpon|hold|paused/i,
  ],
  ["shipped", /ship|launch|releas|available|complete|done|live|deliver/i],
];

/**
 * The tone of a status; what no word tells of is planned.
 *
 * ```ts
 * if (statusTone("Shipped") !== "shipped" || statusTone("In development") !== "moving") throw new Error();
 * if (statusTone("Under consideration") !== "planned") throw new Error();
 * ```
 */
export function statusTone(status: string): StatusTone {
  return WORDS.find(([, pattern]) => pattern.test(status))?.[0] ?? "planned";
}
