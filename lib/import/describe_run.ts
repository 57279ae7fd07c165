import { countOf } from "../text/count_of.ts";
import type { ImportRun } from "./import_runs_sql.ts";

/** How an import ended, in words. */
export function describeOutcome(run: ImportRun): string {
  if (run.error !== null) return `failed: ${run.error}`;
  if (run.finished_at === null) return "not finished: running, or its process was stopped";
  return `as of ${run.as_of}: ${describeCounts(run)}`;
}

/** What an import that succeeded did, in words. */
export function describeCounts(
  { added, changed, removed, restored, unchanged, repaired }: ImportRun,
): string {
  return `${added} added, ${changed} changed, ${removed} removed, ${restored} restored, ` +
    `${unchanged} unchanged` +
    (repaired ? `, ${countOf(repaired, "place")} of its JSON repaired` : "");
}
