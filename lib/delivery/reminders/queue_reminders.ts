import type { Database } from "../../database/database.ts";
import { dayOf, type DigestTimes } from "../../text/cadence.ts";
import { lockRun, noteRun, planReminders, queueMails } from "./reminders_sql.ts";

/**
 * Queues the reminders that are due, in one mail for each subscriber, and returns the number of
 * emails. Each is queued once over all processes; the nearest one makes up for what was missed.
 */
export function queueReminders(
  database: Pick<Database, "transaction">,
  { now, times, isByHand = false }: {
    now: Date;
    times: DigestTimes;
    /** They go out now, whatever the time is. */
    isByHand?: boolean;
  },
): Promise<number> {
  return database.transaction(async (connection) => {
    const days = planReminders(await lockRun(connection), { now, times, isByHand });
    if (days === null) return 0;
    const queued = days.after === days.upTo
      ? 0
      : await queueMails(connection, { days, today: dayOf(now, times.zone), now });
    await noteRun(connection, days.upTo);
    return queued;
  });
}
