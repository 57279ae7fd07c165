import { say } from "./messages.ts";

/** How often a subscriber gets digests, the most frequent first. */
export const CADENCES = ["immediate", "daily", "weekly"] as const;

export type Cadence = (typeof CADENCES)[number];

/** A cadence whose mails go out at a time of the clock. */
export type ScheduledCadence = Exclude<Cadence, "immediate">;

/** The days of the week, as the settings name them; the first is that of `Date.getUTCDay` 0. */
export const WEEKDAYS = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
] as const;

/** When digests go out. */
export interface DigestTimes {
  /** Minutes after midnight. */
  readonly minute: number;
  /** As `Date.getUTCDay` counts. */
  readonly weekday: number;
  /** The time zone of both, an IANA name. */
  readonly zone: string;
}

/**
 * The last moment up to now at which a digest was due. When the clocks of the zone go forward over
 * the time, it is as much later; when they go back over it, the first of both counts.
 *
 * ```ts
 * const slot = (cadence: "daily" | "weekly", now: string, zone = "UTC") =>
 *   latestSlot(cadence, new Date(now), { minute: 7 * 60, weekday: 1, zone }).toISOString();
 * // 20 July 2026 is a Monday.
 * if (slot("weekly", "2026-07-20T06:59:59Z") !== "2026-07-13T07:00:00.000Z") throw new Error();
 * if (slot("weekly", "2026-07-20T07:00:00Z") !== "2026-07-20T07:00:00.000Z") throw new Error();
 * if (slot("daily", "2026-07-22T03:00:00Z") !== "2026-07-21T07:00:00.000Z") throw new Error();
 * const inBerlin = slot("daily", "2026-07-22T06:00:00Z", "Europe/Berlin");
 * if (inBerlin !== "2026-07-22T05:00:00.000Z") throw new Error(inBerlin);
 * ```
 */
export function latestSlot(cadence: ScheduledCadence, now: Date, times: DigestTimes): Date {
  return [-1, 0].map((step) => slotOf(cadence, now, times, step)).findLast((slot) => slot <= now)!;
}

/** The first such moment after now. */
export function nextSlot(cadence: ScheduledCadence, now: Date, times: DigestTimes): Date {
  return [0, 1].map((step) => slotOf(cadence, now, times, step)).find((slot) => slot > now)!;
}

/**
 * The day `YYYY-MM-DD` that it is in a time zone, an IANA name: "today" of everything that is sent.
 *
 * ```ts
 * const day = dayOf(new Date("2026-07-29T19:00:00Z"), "Pacific/Auckland");
 * if (day !== "2026-07-30") throw new Error(day);
 * ```
 */
export function dayOf(now: Date, zone: string): string {
  return plainDayOf(now, zone).toString();
}

function plainDayOf(now: Date, zone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone)
    .toPlainDate();
}

/** The moment of now's day or week in the zone, or that of one so many days or weeks later. */
function slotOf(
  cadence: ScheduledCadence,
  now: Date,
  { minute, weekday, zone }: DigestTimes,
  later: number,
): Date {
  const today = plainDayOf(now, zone);
  const isWeekly = cadence === "weekly";
  const since = isWeekly ? (today.dayOfWeek - weekday + 7) % 7 : 0;
  const day = today.add({ days: later * (isWeekly ? 7 : 1) - since });
  const plainTime = new Temporal.PlainTime(Math.floor(minute / 60), minute % 60);
  return new Date(day.toZonedDateTime({ timeZone: zone, plainTime }).epochMilliseconds);
}

/** When a cadence brings mail, for a sentence, such as `every Monday at 07:05 UTC`. */
export function describeCadence(cadence: Cadence, times: DigestTimes): string {
  if (cadence === "immediate") return say("cadence.immediate");
  const hours = String(Math.floor(times.minute / 60)).padStart(2, "0");
  const minutes = String(times.minute % 60).padStart(2, "0");
  const zone = times.zone === "UTC" ? "UTC" : `(${times.zone})`;
  const moment = { time: `${hours}:${minutes}`, zone };
  if (cadence === "daily") return say("cadence.daily", moment);
  return say("cadence.weekly", { weekday: String(times.weekday), ...moment });
}
