import { type DigestTimes, latestSlot } from "../../text/cadence.ts";
import { daysBefore, isoDate } from "../../text/dates.ts";

/** How many days before its planned day a watched release sends a reminder. */
export const REMINDER_DAYS = [1, 7, 30] as const;

/** The days whose reminders are to be queued: those after one, up to another one, `YYYY-MM-DD`. */
export interface ReminderDays {
  after: string;
  upTo: string;
}

/**
 * The days to make up for, given the last day whose reminders were queued (null: there is none), and
 * when reminders go out; without times, now. A first start queues nothing; a stored day that is
 * still to come was stored by a clock that was wrong. Null: nothing is due.
 *
 * ```ts
 * const times = { minute: 420, weekday: 1, zone: "UTC" };
 * const plan = (last: string | null, now: string) =>
 *   JSON.stringify(planReminders(last, { now: new Date(now), times }));
 * const due = '{"after":"2026-07-19","upTo":"2026-07-20"}';
 * if (plan("2026-07-19", "2026-07-20T07:00:00Z") !== due) throw new Error();
 * if (plan("2026-07-19", "2026-07-20T06:59:00Z") !== "null") throw new Error();
 * if (plan("2026-09-19", "2026-07-20T07:00:00Z") !== due) throw new Error();
 * ```
 */
export function planReminders(
  last: string | null,
  { now, times }: { now: Date; times: DigestTimes | null },
): ReminderDays | null {
  const today = isoDate(now);
  const upTo = times === null ? today : isoDate(latestSlot("daily", now, times));
  const before = daysBefore(upTo, 1);
  if (times !== null) {
    if (last === null) return { after: upTo, upTo };
    if (last === upTo || last === today) return null;
  }
  // By hand, what became due since this morning is queued as well.
  return { after: last !== null && last < before ? last : before, upTo };
}
