/** How far along a release is; statuses are free text, so it is derived from their words. */
export type StatusTone = "shipped" | "moving" | "stopped" | "planned";

/** Parts of words, in any case, that tell a tone; the first that a status holds counts. */
export const TONE_WORDS: readonly [tone: StatusTone, words: string][] = [
  ["stopped", "cancel|declin|reject|abandon|retired|deprecat"],
  [
    "moving",
    "develop|progress|rolling|preview|beta|started|testing|building|delay|postpon|hold|paused",
  ],
  ["shipped", "ship|launch|releas|available|complete|done|live|deliver"],
];

const PATTERNS = TONE_WORDS.map(([tone, words]) => [tone, new RegExp(words, "i")] as const);

/**
 * The tone of a status; without a known word it is planned.
 *
 * ```ts
 * if (statusTone("Shipped") !== "shipped" || statusTone("In development") !== "moving") throw new Error();
 * if (statusTone("Under consideration") !== "planned") throw new Error();
 * ```
 */
export function statusTone(status: string): StatusTone {
  return PATTERNS.find(([, pattern]) => pattern.test(status))?.[0] ?? "planned";
}
