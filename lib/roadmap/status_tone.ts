/** How far along a release is. */
const STATUS_TONES = ["planned", "in_progress", "shipped", "stopped"] as const;

export type StatusTone = (typeof STATUS_TONES)[number];

/** The tones of statuses, folded by `foldStatus`, as the mapping of a source says. */
export type ToneMap = Readonly<Record<string, StatusTone>>;

/** Statuses are free text: parts of words, in any case; the first that a status has counts. */
export const TONE_WORDS: readonly [tone: StatusTone, words: string][] = [
  ["stopped", "cancel|declin|reject|abandon|retired|deprecat"],
  [
    "in_progress",
    "develop|progress|rolling|preview|beta|started|testing|building|delay|postpon|hold|paused",
  ],
  ["shipped", "ship|launch|releas|available|complete|done|live|deliver"],
];

const PATTERNS = TONE_WORDS.map(([tone, words]) => [tone, new RegExp(words, "i")] as const);

/**
 * The tone of a status: what the mapping says, else what its words say; without a known word it is
 * planned.
 *
 * ```ts
 * if (statusTone("Shipped") !== "shipped" || statusTone("In development") !== "in_progress") throw new Error();
 * if (statusTone("Under consideration") !== "planned") throw new Error();
 * if (statusTone("GA soon", { "ga soon": "in_progress" }) !== "in_progress") throw new Error();
 * ```
 */
export function statusTone(status: string, tones: ToneMap = {}): StatusTone {
  return tones[foldStatus(status)] ??
    PATTERNS.find(([, pattern]) => pattern.test(status))?.[0] ?? "planned";
}

/** A status as a mapping names it: case and surrounding space do not matter. */
export function foldStatus(status: string): string {
  return status.trim().toLowerCase();
}
