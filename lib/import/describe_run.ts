import { countOf, toLine } from "../text/phrases.ts";
import type { ImportRun } from "./import_runs_sql.ts";
import type { ReadStatus } from "./mapping/table.ts";

/** How an import ended, in words. */
export function describeOutcome(run: ImportRun): string {
  if (run.error !== null) return `failed: ${run.error}`;
  if (run.finished_at === null) return "not finished: running, or its process was stopped";
  return `as of ${run.as_of}: ${[describeCounts(run), ...listNotes(run.notes)].join(". ")}`;
}

/** What is to be said of a table, a line each. */
export function listNotes(notes: readonly string[] | null | undefined): string[] {
  return (notes ?? []).map(toLine);
}

/** How many rows were left out, and why: `2 left out (1 archived, 1 confidential)`. */
export function describeLeftOut(
  { left_out = 0, left_out_because = {} }: {
    left_out?: number;
    left_out_because?: Readonly<Record<string, number>>;
  },
): string {
  return left_out === 0 ? "" : `, ${left_out} left out (${listReasons(left_out_because)})`;
}

/** How many rows were left out in all, and for which reasons; nothing where there are none. */
export function sumLeftOut(
  leftOut: Readonly<Record<string, number>>,
): { left_out?: number; left_out_because?: Readonly<Record<string, number>> } {
  const counted = Object.entries(leftOut).filter(([, count]) => count > 0);
  if (counted.length === 0) return {};
  const left_out = counted.reduce((sum, [, count]) => sum + count, 0);
  return { left_out, left_out_because: Object.fromEntries(counted) };
}

/** How many rows were left out for each reason: `3 archived, 1 confidential`. */
export function listReasons(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts).map(([reason, count]) => `${count} ${reason}`).join(", ");
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

/** What an import that succeeded did, in words. */
function describeCounts(run: ImportRun): string {
  return OUTCOMES.map((outcome) => `${run[outcome]} ${outcome}`).join(", ") + describeBesides(run);
}

/** What an import that succeeded did, without what it did not: `2 added, 10 unchanged`. */
export function summarizeCounts(run: ImportRun): string {
  const shown = listOutcomes(run).map(([count, outcome]) => `${count} ${outcome}`).join(", ") +
    describeBesides(run);
  return shown.replace(/^, /, "") || "nothing";
}

/** What an import did besides. */
function describeBesides({ left_out, repaired }: ImportRun): string {
  return describeLeftOut(sumLeftOut(left_out ?? {})) +
    (repaired ? `, ${countOf(repaired, "place")} of its JSON repaired` : "");
}

/** What decided what a status counts as. */
const REASONS: Readonly<Record<ReadStatus["by"], string>> = {
  mapping: "by the mapping",
  category: "by its category",
  word: "from its wording",
  unknown: "no known word",
};

/** What a status counts as, and why, in words. */
export function describeReadStatus({ tone, by }: ReadStatus): { tone: string; reason: string } {
  return { tone: tone.replace("_", " "), reason: REASONS[by] };
}
