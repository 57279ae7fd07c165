import {
  type DigestTimes,
  latestSlot,
  nextSlot,
  type ScheduledCadence,
} from "../../text/cadence.ts";

/** How far a cadence has come. */
export interface RunState {
  slot: Date;
  changes_up_to: string | null;
}

/** What is to be done for a cadence now. */
interface RunStep {
  /** The moment that is to be stored as served. */
  slot: Date;
  /** Begin a run for everybody, go on with a run that never ended, or do nothing. */
  does: "begin" | "resume" | "nothing";
}

/**
 * What is due for a cadence: after the first start nothing before the next moment, and after an
 * outage one run for all moments that were missed. A stored moment further ahead than the next one
 * comes from a wrong clock, and counts as the last one.
 */
export function planRun(
  cadence: ScheduledCadence,
  stored: RunState | null,
  { now, times }: { now: Date; times: DigestTimes },
): RunStep {
  const latest = latestSlot(cadence, now, times);
  if (stored === null) return { slot: latest, does: "nothing" };
  if (stored.changes_up_to !== null) return { slot: stored.slot, does: "resume" };
  if (stored.slot > nextSlot(cadence, now, times)) return { slot: latest, does: "nothing" };
  if (stored.slot < latest) return { slot: latest, does: "begin" };
  return { slot: stored.slot, does: "nothing" };
}
