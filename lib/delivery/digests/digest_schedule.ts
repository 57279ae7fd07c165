import { getLogger } from "@logtape/logtape";
import {
  type Cadence,
  type DigestTimes,
  nextSlot,
  type ScheduledCadence,
} from "../../text/cadence.ts";
import type { Database } from "../../database/database.ts";
import { keepClaim, LEASE_SECONDS } from "../../database/leases.ts";
import * as schedules from "../../database/leases.ts";
import { readServerTime } from "../../database/server_facts_sql.ts";
import { queueReminders } from "../reminders/reminders_sql.ts";
import { findDueSlot, noteSlot } from "../slots_sql.ts";
import { queueDigests } from "./queue_digests.ts";
import type { Variant, VariantName } from "../../roadmap/variant.ts";

const log = getLogger(["roadcast", "digests"]);

const NAME = "digests";

/** The audience of a run. What could not be sent right after an import is sent within a day. */
const NOTIFIED_CADENCES: Readonly<Record<ScheduledCadence, readonly Cadence[]>> = {
  daily: ["immediate", "daily"],
  weekly: ["weekly"],
};

/** The longest pause, in seconds, after which a run that never ended is resumed. */
const LONGEST_PAUSE = 300;

/**
 * For how many seconds nothing is due.
 *
 * ```ts
 * const times = { minute: 420, weekday: 1, zone: "UTC" };
 * const pauses = ["06:00:00", "06:59:30", "07:00:01"].map((time) =>
 *   pauseBeforeSlot(new Date(`2026-07-20T${time}Z`), times)
 * );
 * if (pauses.join() !== "300,30,300") throw new Error(pauses.join());
 * ```
 */
export function pauseBeforeSlot(now: Date, times: DigestTimes): number {
  const seconds = (nextSlot("daily", now, times).getTime() - now.getTime()) / 1000;
  return Math.min(Math.max(1, seconds), LONGEST_PAUSE);
}

/** What the schedule works with. */
export interface ScheduleParts {
  readonly database: Database;
  readonly times: DigestTimes;
  readonly variantFor: (name: VariantName) => Variant;
  /** Absent: the clock of the database, which all processes share. */
  readonly clock?: () => Date;
  /** Ends a run early; the next process takes it up. */
  readonly signal?: AbortSignal;
}

/**
 * Queues the digests and reminders that are due now, unless another process is at it, and returns their number.
 */
export async function queueDueDigests(parts: ScheduleParts): Promise<number> {
  const { database } = parts;
  const holder = crypto.randomUUID();
  const claim = { holder, seconds: LEASE_SECONDS };
  await schedules.makeDue(database, NAME);
  if (!await schedules.claimWork(database, NAME, { ...claim, maxPause: 0 })) return 0;
  try {
    using kept = keepClaim(database, NAME, claim);
    const signal = AbortSignal.any([kept.lost, ...parts.signal ? [parts.signal] : []]);
    let queued = 0;
    for (const cadence of ["daily", "weekly"] as const) {
      queued += await runCadence(cadence, { ...parts, signal });
    }
    if (kept.lost.aborted) return queued;
    const now = parts.clock?.() ?? new Date(await readServerTime(database));
    const reminders = await queueReminders(database, { now, times: parts.times });
    if (reminders > 0) log.info("Queued reminders: {reminders}", { reminders });
    return queued + reminders;
  } finally {
    await schedules.releaseWork(database, NAME, { holder, seconds: 0, failures: 0 });
  }
}

async function runCadence(
  cadence: ScheduledCadence,
  { database, times, variantFor, clock, signal }: ScheduleParts,
): Promise<number> {
  const now = clock?.() ?? new Date(await readServerTime(database));
  const due = await findDueSlot(database, `digests ${cadence}`, { now, times });
  if (due === null) return 0;
  const { queued } = await queueDigests(database, {
    now,
    zone: times.zone,
    variantFor,
    cadences: NOTIFIED_CADENCES[cadence],
    signal,
  });
  if (signal?.aborted) return queued;
  await noteSlot(database, `digests ${cadence}`, due.latest);
  if (queued > 0) {
    log.info("Queued digests: {queued} ({cadence})", { queued, cadence });
  }
  return queued;
}
