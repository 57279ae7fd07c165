import { classesOf, hasPhrase, parsePhrases } from "./status_classes.ts";
import { UNSOLVED_WORDS, type WordClass } from "./status_words.ts";

/** How far along a release is. */
export type StatusTone = "planned" | "in_progress" | "shipped" | "stopped";

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
export interface ToneHints {
  tones?: ToneMap;
  /** The source's own category: Jira's status category, Linear's type, the state of an issue. */
  category?: string | null;
  /** Why the work ended, where the source says that apart. */
  resolution?: string | null;
}

/** What a status is made of: what its words say, in their order; "other" is a word that is not known. */
type Sequence = readonly (WordClass | "other" | "share" | "denied" | "unbegun")[];
type Kind = Sequence[number];

/** A rule about the sequence of a status: its tone, or null where it does not apply. */
interface Rule {
  name: string;
  judge(sequence: Sequence, percent: number | null): StatusTone | null;
}

const has = (sequence: Sequence, ...kinds: readonly Kind[]) =>
  sequence.some((kind) => kinds.includes(kind));
const RELEASED: readonly Kind[] = ["ship", "available"];
const OVER: readonly Kind[] = [...RELEASED, "finish", "close"];
/** What may be denied. */
const DENIABLE: readonly Kind[] = [...OVER, "release", "work", "part", "check"];
/** What may stand between a denial and what it denies, or a wait and what it is for. */
const BETWEEN: readonly Kind[] = ["neutral", "by"];
/** What may stand beside a word of finishing that is about the release itself. */
const BESIDE_FINISH: readonly Kind[] = [
  ...["neutral", "period", "and", "finish", "close", "release", "share"] as const,
  ...RELEASED,
];

/**
 * The first rule that applies decides. They see what is denied as one: "not yet released" is
 * `denied`, "not started" is `unbegun`.
 */
const RULES: readonly Rule[] = [
  {
    name: "a word of stopping wins",
    judge: (sequence) => has(sequence, "stop") ? "stopped" : null,
  },
  {
    name: "closed though it is not done",
    judge: (sequence) => has(sequence, "close") && has(sequence, "denied") ? "stopped" : null,
  },
  {
    name: "a share counts",
    judge: (sequence, percent) => {
      if (percent === null) return null;
      if (percent < 100) return percent === 0 ? "planned" : "in_progress";
      return sequence.every((kind) => kind === "share") ? "shipped" : null;
    },
  },
  {
    name: "work is done on it now, or it is long out",
    judge: (sequence) =>
      has(sequence, "after") ? "shipped" : has(sequence, "work") ? "in_progress" : null,
  },
  {
    name: "what is denied or to come is not released",
    judge: judgeDenied,
  },
  {
    name: "a part, a stop on the way, or a part of the people is not all",
    judge: (sequence) => has(sequence, "part", "check", "waiting") ? "in_progress" : null,
  },
  {
    name: "released, or finished with nothing else said",
    judge: (sequence) => {
      if (has(sequence, ...RELEASED, "close")) return "shipped";
      if (!has(sequence, "finish")) return null;
      return sequence.every((kind) => BESIDE_FINISH.includes(kind)) ? "shipped" : "in_progress";
    },
  },
  {
    name: "on its way, or not begun",
    judge: (sequence) => {
      if (has(sequence, "release")) return "in_progress";
      return has(sequence, "open", "ready") ? "planned" : null;
    },
  },
];

function judgeDenied(sequence: Sequence): StatusTone | null {
  const isOver = has(sequence, ...OVER, "part", "check");
  if (has(sequence, "unbegun")) return "planned";
  if (has(sequence, "denied")) return isOver ? "in_progress" : "planned";
  const waits = sequence.findIndex((kind) => kind === "ready" || kind === "waiting");
  if (waits !== -1) {
    const next = sequence.slice(waits + 1).find((kind) => !BETWEEN.includes(kind));
    const before = sequence.slice(0, waits).findLast((kind) => !BETWEEN.includes(kind));
    if (next === undefined) {
      if (before === "release" || before === "available") return "in_progress";
    } else {
      const isOut = [...OVER, "release", "check"].includes(next);
      if (isOut && !has(sequence, "future")) return "in_progress";
      if (next !== "and" && sequence[waits] === "ready") return "planned";
      if (["open", "future"].includes(next)) return "planned";
    }
  }
  if (has(sequence, "future")) return "planned";
  return isForLater(sequence) ? "planned" : null;
}

/** "GA in March" is to come, "Shipped in March" is not; "Done by March" is again. */
function isForLater(sequence: Sequence): boolean {
  return sequence.some((kind, place) => {
    if (![...OVER, "release"].includes(kind)) return false;
    const behind = sequence.slice(place + 1);
    const period = behind.findIndex((next) => !BETWEEN.includes(next));
    if (behind[period] !== "period") return false;
    return ["available", "release"].includes(kind) || behind.slice(0, period).includes("by");
  });
}

/**
 * The tone of a status by its words, and the rule that decided; null if it has no known word.
 *
 * ```ts
 * if (judgeWords("Shipped")?.tone !== "shipped" || judgeWords("Unreleased")?.tone !== "planned") {
 *   throw new Error();
 * }
 * if (judgeWords("Won't do")?.tone !== "stopped" || judgeWords("Waved 2") !== null) throw new Error();
 * ```
 */
export function judgeWords(status: string): { tone: StatusTone; rule: string } | null {
  const { classes, percent } = classesOf(status);
  const sequence = afterLastStep(joinDenials(classes));
  for (const { name, judge } of RULES) {
    const tone = judge(sequence, percent);
    if (tone !== null) return { tone, rule: name };
  }
  return null;
}

/** The tone of a status by its words alone; null if it has no known word. */
export function toneOfWords(status: string): StatusTone | null {
  return judgeWords(status)?.tone ?? null;
}

/** What is denied becomes one; a denied word of stopping is open again. */
function joinDenials(classes: Sequence): Sequence {
  const joined: Kind[] = [];
  for (let place = 0; place < classes.length; place++) {
    const kind = classes[place]!;
    if (kind === "undone") {
      // "Not yet" and "Yet to" deny what follows.
      const next = nextBehind(classes, place);
      joined.push(classes[next] === "work" ? "unbegun" : "denied");
      if (next !== -1 && DENIABLE.includes(classes[next]!)) place = next;
      continue;
    }
    const next = kind === "deny" ? nextBehind(classes, place) : -1;
    const denied = next === -1 ? undefined : classes[next];
    if (denied === "stop") joined.push("open");
    else if (denied === "worth") joined.push("stop");
    else if (denied === "work") joined.push("unbegun");
    else if (denied !== undefined && [...DENIABLE, "undone"].includes(denied)) {
      joined.push("denied");
    } else {
      if (kind !== "deny") joined.push(kind);
      continue;
    }
    place = next;
  }
  return joined;
}

/** The place of what a denial denies: words that say nothing, and "ready", may stand before it. */
function nextBehind(classes: Sequence, place: number): number {
  return classes.findIndex((kind, at) =>
    at > place && !["neutral", "ready", "deny"].includes(kind)
  );
}

/** "Tested and released" is released. */
function afterLastStep(sequence: Sequence): Sequence {
  const last = sequence.lastIndexOf("and");
  const next = last <= 0 ? undefined : sequence[last + 1];
  const isAll = next === "ship" && !has(sequence.slice(0, last), "denied", "stop", "future");
  return isAll ? sequence.slice(last + 1) : sequence;
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
const UNSOLVED = parsePhrases({ stop: UNSOLVED_WORDS });

/**
 * Decides how far along a release is: what the mapping says of its status, else the source's own
 * category, else the words of the status; without any of them it is planned. Work that ended with a
 * resolution such as "Won't fix" is stopped, unless it has not begun.
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
  const isStopping = resolution &&
    (toneOfWords(resolution) === "stopped" || hasPhrase(resolution, UNSOLVED));
  if ((own ?? word) !== "planned" && isStopping) {
    return { tone: "stopped", by: "category" };
  }
  // A category such as Jira's "Done" holds what was called off as well.
  if (own !== null && !(own === "shipped" && word === "stopped")) {
    return { tone: own, by: "category" };
  }
  return word === null ? { tone: "planned", by: "unknown" } : { tone: word, by: "word" };
}

function toneOfCategory(category: string): StatusTone | null {
  const known = CATEGORIES.get(category.trim().toLowerCase());
  return known === undefined ? toneOfWords(category) : known;
}

/** A status or a column as a mapping names it: case and surrounding space do not matter. */
export function foldStatus(status: string): string {
  return status.trim().toLowerCase();
}
