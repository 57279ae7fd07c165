import { getLogger } from "@logtape/logtape";
import {
  type Cadence,
  type DigestTimes,
  nextSlot,
  type ScheduledCadence,
} from "../../text/cadence.ts";
import type { Database } from "../../database/database.ts";
import { readServerTime } from "../../database/server_facts_sql.ts";
import { queueReminders } from "../reminders/reminders_sql.ts";
import { findDueSlot, noteSlot } from "../slots_sql.ts";
import { lockRuns } from "./digests_sql.ts";
import { queueImmediate, queueWithin } from "./queue_digests.ts";

const log = getLogger(["roadcast", "digests"]);

/** The audience of a run. What could not be sent right after an import is sent within a day. */
const NOTIFIED_CADENCES: Readonly<Record<ScheduledCadence, readonly Cadence[]>> = {
  daily: ["immediate", "daily"],
  weekly: ["weekly"],
};

/** The longest pause, in seconds, after which a run that failed is repeated. */
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
  /** Absent: the clock of the database, which all processes share. */
  readonly clock?: () => Date;
}

/** Queues the digests and reminders that are due now, each once over all processes, and returns their number. */
export async function queueDueDigests({ database, times, clock }: ScheduleParts): Promise<number> {
  const now = clock?.() ?? new Date(await readServerTime(database));
  const { zone } = times;
  let all = await queueImmediate(database, { now, zone });
  if (all > 0) log.info("Queued digests: {queued} (immediate)", { queued: all });
  for (const cadence of ["daily", "weekly"] as const) {
    all += await database.transaction(async (connection) => {
      await lockRuns(connection);
      const due = await findDueSlot(connection, `digests ${cadence}`, { now, times });
      if (due === null) return 0;
      await noteSlot(connection, `digests ${cadence}`, due.latest);
      const cadences = NOTIFIED_CADENCES[cadence];
      const { queued } = await queueWithin(connection, { now, zone, cadences });
      if (queued > 0) log.info("Queued digests: {queued} ({cadence})", { queued, cadence });
      return queued;
    });
  }
  const reminders = await queueReminders(database, { now, times });
  if (reminders > 0) log.info("Queued reminders: {reminders}", { reminders });
  return all + reminders;
}
