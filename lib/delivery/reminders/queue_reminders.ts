import type { Database } from "../../database/database.ts";
import type { DigestTimes } from "../../text/cadence.ts";
import { isoDate } from "../../text/dates.ts";
import { lockRun, noteRun, planReminders, queueMails } from "./reminders_sql.ts";

/**
 * Queues the reminders that are due, in one mail for each subscriber, and returns the number of
 * emails. Each is queued once over all processes; the nearest one makes up for what was missed.
 */
export function queueReminders(
  database: Pick<Database, "transaction">,
  { now, times }: {
    now: Date;
    /** When they go out; null: now. */
    times: DigestTimes | null;
  },
): Promise<number> {
  return database.transaction(async (connection) => {
    const days = planReminders(await lockRun(connection), { now, times });
    if (days === null) return 0;
    const queued = days.after === days.upTo
      ? 0
      : await queueMails(connection, { days, today: isoDate(now), now });
    await noteRun(connection, days.upTo);
    return queued;
  });
}
