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

/** The kinds in words: as a badge, as the title of a group, and after a number. */
export const KINDS_IN_WORDS: Readonly<
  Record<ChangeKind, { name: string; title: string; count: string }>
> = {
  shipped: { name: "Shipped", title: "Shipped", count: "shipped" },
  cancelled: { name: "Cancelled", title: "Cancelled", count: "cancelled" },
  removed: { name: "Removed", title: "Removed from the roadmap", count: "removed" },
  slipped: { name: "Slipped", title: "Slipped", count: "slipped" },
  taken_back: { name: "Back to planned", title: "Back to planned", count: "back to planned" },
  started: { name: "Started", title: "Started", count: "started" },
  earlier: { name: "Earlier", title: "Moved earlier", count: "moved earlier" },
  added: { name: "New", title: "New on the roadmap", count: "new" },
  restored: { name: "Restored", title: "Restored to the roadmap", count: "restored" },
  dated: { name: "Date set", title: "Date set", count: "got a date" },
  undated: { name: "Date removed", title: "Date removed", count: "lost their date" },
  edited: { name: "Edited", title: "Edited", count: "edited" },
};

/** Kinds whose name and dates say all of a change. */
export const SAID_BY_NAME: ReadonlySet<ChangeKind> = new Set([
  "shipped",
  "cancelled",
  "removed",
  "slipped",
  "earlier",
  "added",
  "restored",
  "dated",
  "undated",
]);

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
    return count > 0 ? [`${count.toLocaleString("en")} ${KINDS_IN_WORDS[kind].count}`] : [];
  });
}

/**
 * What a list of the first releases leaves out, by kind, to stand behind their number; empty where
 * all that happened is of one kind.
 *
 * ```ts
 * const words = countLeftOut({ shipped: 2, edited: 9 }, ["shipped", "shipped", "edited"]);
 * if (words !== ": 8 edited") throw new Error(words);
 * ```
 */
export function countLeftOut(counts: KindCounts, shown: readonly ChangeKind[]): string {
  if (Object.keys(counts).length < 2) return "";
  const left = { ...counts };
  for (const kind of shown) left[kind] = (left[kind] ?? 0) - 1;
  return `: ${countKinds(left).join(", ")}`;
}
