import type { ReadStatus } from "./mapping/map_table.ts";

/** What decided what a status counts as. */
const REASONS: Readonly<Record<ReadStatus["by"], string>> = {
  mapping: "by the mapping",
  category: "by its category",
  word: "by its words",
  unknown: "no known word",
};

/** What a status counts as, and why, in words. */
export function describeStatus({ tone, by }: ReadStatus): { tone: string; reason: string } {
  return { tone: tone.replace("_", " "), reason: REASONS[by] };
}
