import type { ImportRun } from "./import_runs_sql.ts";
import type { ReadStatus } from "./mapping/table.ts";
import { describeBesides, listNotes, remarksInJson } from "./remarks.ts";

/** How an import ended, in words. */
export function describeOutcome(run: ImportRun): string {
  const { error, finished_at, as_of, notes } = run;
  if (error !== null) return `failed: ${error}`;
  if (finished_at === null) return "not finished: running, or its process was stopped";
  const counts = OUTCOMES.map((outcome) => `${run[outcome]} ${outcome}`).join(", ");
  return `as of ${as_of}: ` +
    [counts + describeBesides(remarksInJson(run)), ...listNotes(notes)].join(". ");
}

/** What an import does to releases, in the order in which it is said. */
const OUTCOMES = ["added", "changed", "removed", "restored", "unchanged"] as const;
type Outcome = typeof OUTCOMES[number];

/** What an import does to releases, without what it does not. */
export function listOutcomes(
  counts: Readonly<Record<Outcome, number | null>>,
): [count: number, outcome: Outcome][] {
  return OUTCOMES.map((outcome): [number, Outcome] => [counts[outcome] ?? 0, outcome])
    .filter(([count]) => count > 0);
}

/** What an import that succeeded did, without what it did not: `2 added, 10 unchanged`. */
export function summarizeCounts(run: ImportRun): string {
  const shown = listOutcomes(run).map(([count, outcome]) => `${count} ${outcome}`).join(", ") +
    describeBesides(remarksInJson(run));
  return shown.replace(/^, /, "") || "nothing";
}

const TONE_REASONS: Readonly<Record<ReadStatus["by"], string>> = {
  mapping: "by the mapping",
  category: "by its category",
  word: "from its wording",
  unknown: "no known word",
};

/** What a status counts as, and why, in words. */
export function describeReadStatus({ tone, by }: ReadStatus): { tone: string; reason: string } {
  return { tone: tone.replace("_", " "), reason: TONE_REASONS[by] };
}
