import { joinParts } from "../../text/phrases.ts";
import { say } from "../../text/messages.ts";

/**
 * What a change means to a person who waits for a release, the heaviest first. Which change is of
 * which kind is decided by the database function `change_kinds` alone.
 */
export const CHANGE_KINDS = [
  "shipped",
  "cancelled",
  "removed",
  "slipped",
  "taken_back",
  "started",
  "earlier",
  "added",
  "restored",
  "dated",
  "undated",
  "edited",
] as const;

export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The kinds of what one import did to a release, by what a variant shows of a date. */
export type KindsByPrecision = Readonly<Record<"quarter" | "day", readonly ChangeKind[]>>;

/** A kind as a badge. */
export function nameKind(kind: ChangeKind): string {
  return say(`kind.${kind}`);
}

/** A kind as the title of so many releases. */
export function titleKind(kind: ChangeKind, count: number): string {
  return say(`kind_title.${kind}`, { count });
}

/** The heaviest of some kinds. */
export function heaviestKind(kinds: Iterable<ChangeKind>): ChangeKind {
  const found = new Set(kinds);
  return CHANGE_KINDS.find((kind) => found.has(kind)) ?? "edited";
}

/** How many releases, by the heaviest of what happened to them. */
export type KindCounts = Partial<Record<ChangeKind, number>>;

/** What happened how often, the heaviest first, such as `2 shipped, 3 slipped`. */
export function countKinds(counts: KindCounts): string[] {
  return CHANGE_KINDS.flatMap((kind) => {
    const count = counts[kind] ?? 0;
    return count > 0 ? [say(`kind_count.${kind}`, { count })] : [];
  });
}

/**
 * What a list of the first releases leaves out, by kind, to stand behind their number, such as
 * `: 8 edited`; empty where all that happened is of one kind.
 */
export function countLeftOut(counts: KindCounts, shown: readonly ChangeKind[]): string {
  if (Object.keys(counts).length < 2) return "";
  const left = { ...counts };
  for (const kind of shown) left[kind] = (left[kind] ?? 0) - 1;
  return say("kind.left_out", { kinds: joinParts(countKinds(left)) });
}
