import { STATUS_WORDS } from "./status_words.ts";

/** How far along a release is. */
const STATUS_TONES = ["planned", "in_progress", "shipped", "stopped"] as const;

export type StatusTone = (typeof STATUS_TONES)[number];

/** The tones of statuses, folded by `foldStatus`, as the mapping of a source says. */
export type ToneMap = Readonly<Record<string, StatusTone>>;

/** What decided the tone of a status; nothing did for an unknown one, which counts as planned. */
export type ToneReason = "mapping" | "category" | "word" | "unknown";

/** The tone of a status, and why. */
export interface DecidedTone {
  tone: StatusTone;
  by: ToneReason;
}

/** What decides the tone of a status, besides its words. */
interface ToneHints {
  /** What a mapping says of statuses. */
  tones?: ToneMap;
  /** The source's own category: Jira's status category, Linear's type, the state of an issue. */
  category?: string | null;
  /** Why the work ended, where the source says that apart. */
  resolution?: string | null;
}

/** The expression of some words, which stand between spaces. */
function any(source: string, flags?: string): RegExp {
  return new RegExp(` (?:${source})(?= )`, flags);
}

const WORDS = Object.fromEntries(
  Object.entries(STATUS_WORDS).map((
    [name, words],
  ) => [name, words.split("\n").map((line) => line.trim()).join("")]),
) as Record<keyof typeof STATUS_WORDS, string>;
const { started, shipped, shipping } = WORDS;

/** What is not so yet. */
const DENIED = any(
  `${WORDS.undone}|(?:(?:${WORDS.still}) )?(?:${WORDS.not})(?: (?:${WORDS.between}))* ` +
    `(?:${started}|${shipped}|${shipping})|${WORDS.notYet}`,
  "g",
);
/** Finished work that waits for its release, or for the last look at it. */
const WAITING = any(
  `release candidate|rc[0-9]*|(?:${WORDS.waiting})(?: (?:${WORDS.waitingTo}))* ` +
    `(?:${shipping}|${shipped}|${WORDS.waitingFor})`,
);
const NOT_STOPPED = any(WORDS.notStopped);
const STOPPED = any(WORDS.stopped);
const AT_WORK = any(WORDS.atWork);
const BEFORE_WORK = any(`${WORDS.beforeWork}|${WORDS.toCome}`);
const NEARLY = any(WORDS.nearly);
const SHIPPED = any(shipped);
const SHIPPING = any(shipping);
const PLANNED = any(WORDS.planned);
const UNSOLVED = any(WORDS.unsolved);

/**
 * The tone of a status by its words; null if it has no known word.
 *
 * ```ts
 * if (toneOfWords("Shipped") !== "shipped" || toneOfWords("Unreleased") !== "planned") throw new Error();
 * if (toneOfWords("Won't do") !== "stopped" || toneOfWords("Waved 2") !== null) throw new Error();
 * ```
 */
export function toneOfWords(status: string): StatusTone | null {
  const words = toWords(status);
  if (NOT_STOPPED.test(words)) return "planned";
  if (STOPPED.test(words)) return "stopped";
  const percent = / ([0-9]{1,3}) percent /.exec(words)?.[1];
  if (percent === "0") return "planned";
  if (percent !== undefined && Number(percent) < 100) return "in_progress";
  if (percent !== undefined && words.trim() === "100 percent") return "shipped";
  const asserted = words.replace(DENIED, " denied");
  const isDenied = asserted !== words;
  const isShipped = SHIPPED.test(asserted);
  if (AT_WORK.test(asserted)) return "in_progress";
  if (isDenied) return isShipped ? "in_progress" : "planned";
  if (WAITING.test(asserted)) return "in_progress";
  if (BEFORE_WORK.test(asserted)) return "planned";
  if (NEARLY.test(asserted)) return "in_progress";
  if (isShipped) return "shipped";
  if (SHIPPING.test(asserted) || asserted === " now ") return "in_progress";
  return PLANNED.test(asserted) ? "planned" : null;
}

/** Longer than any status. */
const MAX_STATUS = 500;

/** A status as words in lower case and ASCII, each between single spaces. */
function toWords(status: string): string {
  // Marks that a text goes on and on with would be put in order for minutes.
  const plain = status.slice(0, MAX_STATUS).replace(/[ßẞ]/g, "ss").replace(/[øØ]/g, "o")
    .replace(/[łŁ]/g, "l").replace(/[æÆ]/g, "ae").normalize("NFKD")
    .replace(/[\u0300-\u036f\u200b-\u200f\u00ad\ufeff]/g, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2").replace(/%/g, " percent ").toLowerCase();
  return ` ${plain.replace(/[^a-z0-9]+/g, " ").trim()} `;
}

/** Categories that are no words of a status; null: it says nothing. */
const CATEGORIES: ReadonlyMap<string, StatusTone | null> = new Map([
  ["indeterminate", "in_progress"],
  ["undefined", null],
  // An open issue may be at any step.
  ["open", null],
  ["opened", null],
  ["reopened", null],
]);

/**
 * Decides how far along a release is: what the mapping says of its status, else the source's own
 * category, else the words of the status; without any of them it is planned.
 *
 * ```ts
 * if (decideTone("Live", { tones: { live: "in_progress" } }).by !== "mapping") throw new Error();
 * if (decideTone("QA3", { category: "indeterminate" }).tone !== "in_progress") throw new Error();
 * if (decideTone("Closed", { resolution: "Won't Fix" }).tone !== "stopped") throw new Error();
 * ```
 */
export function decideTone(
  status: string,
  { tones = {}, category, resolution }: ToneHints = {},
): DecidedTone {
  const folded = foldStatus(status);
  if (Object.hasOwn(tones, folded)) return { tone: tones[folded]!, by: "mapping" };
  const word = toneOfWords(status);
  const own = category ? toneOfCategory(category) : null;
  if ((own ?? word) === "shipped" && resolution && isStopping(resolution)) {
    return { tone: "stopped", by: "category" };
  }
  // A category such as Jira's "Done" holds what was called off as well.
  if (own !== null && !(own === "shipped" && word === "stopped")) {
    return { tone: own, by: "category" };
  }
  return word === null ? { tone: "planned", by: "unknown" } : { tone: word, by: "word" };
}

function toneOfCategory(category: string): StatusTone | null {
  const known = CATEGORIES.get(toWords(category).trim());
  return known === undefined ? toneOfWords(category) : known;
}

function isStopping(resolution: string): boolean {
  return toneOfWords(resolution) === "stopped" || UNSOLVED.test(toWords(resolution));
}

/** A status as a mapping names it: case and surrounding space do not matter. */
export function foldStatus(status: string): string {
  return status.trim().toLowerCase();
}
