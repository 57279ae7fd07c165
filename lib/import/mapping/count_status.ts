import {
  type DecidedTone,
  decideTone,
  foldStatus,
  type ToneHints,
  type ToneMap,
} from "../../roadmap/status_tone.ts";
import { textOf } from "./cell_text.ts";
import { means } from "./lexicon.ts";
import { lookUpFirst, type Row } from "./look_up.ts";
import type { ReadStatus } from "./table.ts";

/** The most statuses whose tones are kept in memory. */
const MAX_TONES = 1_000;

/** What says how far along the rows of a table are, and the statuses that were counted so far. */
export interface StatusHints {
  tones: ToneMap;
  /** Where the source has its own category of a status. */
  categories: readonly string[];
  isDone(row: Row): boolean;
  reasonOf(row: Row): string | null;
  /** The categories of statuses that mean something else in this tool than elsewhere. */
  states: ReadonlyMap<string, string>;
  statuses: Map<string, ReadStatus>;
  /** What was decided before, by the status and what its tool says of it. */
  tonesSeen: Map<string, DecidedTone>;
}

/** Counts the status of a row, and returns what it counts as. */
export function countStatus(status: string, row: Row | null, hints: StatusHints): DecidedTone {
  const { tones, tonesSeen, statuses } = hints;
  const textAt = (paths: readonly string[]) => row && textOf(lookUpFirst(row, paths));
  const category = row && hints.isDone(row)
    ? "done"
    : textAt(hints.categories) ?? hints.states.get(foldStatus(status));
  const resolution = row && hints.reasonOf(row);
  const said = JSON.stringify([status, category, resolution]);
  const decided = tonesSeen.get(said) ?? toneOf(status, { tones, category, resolution });
  if (tonesSeen.size < MAX_TONES) tonesSeen.set(said, decided);
  const key = JSON.stringify([status, decided.tone, decided.by]);
  const seen = statuses.get(key);
  if (seen) seen.count++;
  else statuses.set(key, { status, count: 1, ...decided });
  return decided;
}

/** The lexicon has whole statuses of more languages than those whose words of work are known. */
function toneOf(status: string, hints: ToneHints): DecidedTone {
  const { tones } = hints;
  const decided = decideTone(status, hints);
  if (
    decided.by === "mapping" || hints.category || hints.resolution || decided.tone === "stopped"
  ) {
    return decided;
  }
  if (means(status, "unsolved")) return decideTone(status, { tones, resolution: "Won't do" });
  if (decided.by !== "unknown") return decided;
  const category = CATEGORIES.find(([concept]) => means(status, concept))?.[1];
  return category === undefined ? decided : decideTone(status, { tones, category });
}

/** What statuses of the lexicon count as; some call open what others call active. */
const CATEGORIES = [
  ["done", "done"],
  ["closed", "done"],
  ["active", "in progress"],
  ["open", "to do"],
] as const;
