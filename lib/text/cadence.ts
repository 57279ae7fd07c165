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

/** When digests go out, in UTC. */
export interface DigestTimes {
  /** Minutes after midnight. */
  readonly minute: number;
  /** As `Date.getUTCDay` counts. */
  readonly weekday: number;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const WEEK = 7 * DAY;
/** 1 January 1970 was a Thursday. */
const EPOCH_WEEKDAY = 4;

/**
 * The last moment up to now at which a digest was due. Counted in whole days or weeks of UTC, which
 * has no summer time: nothing adds up from one to the next.
 *
 * ```ts
 * const times = { minute: 7 * 60, weekday: 1 };
 * const slot = (cadence: "daily" | "weekly", now: string) =>
 *   latestSlot(cadence, new Date(now), times).toISOString();
 * // 20 July 2026 is a Monday.
 * if (slot("weekly", "2026-07-20T06:59:59Z") !== "2026-07-13T07:00:00.000Z") throw new Error();
 * if (slot("weekly", "2026-07-20T07:00:00Z") !== "2026-07-20T07:00:00.000Z") throw new Error();
 * if (slot("daily", "2026-07-22T03:00:00Z") !== "2026-07-21T07:00:00.000Z") throw new Error();
 * ```
 */
export function latestSlot(
  cadence: ScheduledCadence,
  now: Date,
  { minute, weekday }: DigestTimes,
): Date {
  const period = periodOf(cadence);
  const days = cadence === "weekly" ? weekday - EPOCH_WEEKDAY : 0;
  const first = days * DAY + minute * MINUTE;
  return new Date(Math.floor((now.getTime() - first) / period) * period + first);
}

/** The moment after that. */
export function nextSlot(cadence: ScheduledCadence, now: Date, times: DigestTimes): Date {
  return new Date(latestSlot(cadence, now, times).getTime() + periodOf(cadence));
}

function periodOf(cadence: ScheduledCadence): number {
  return cadence === "weekly" ? WEEK : DAY;
}

/**
 * When a cadence brings mail, for a sentence.
 *
 * ```ts
 * const words = describeCadence("weekly", { minute: 425, weekday: 1 });
 * if (words !== "every Monday at 07:05 UTC") throw new Error(words);
 * ```
 */
export function describeCadence(cadence: Cadence, times: DigestTimes): string {
  if (cadence === "immediate") return "as soon as something changes";
  const hours = String(Math.floor(times.minute / 60)).padStart(2, "0");
  const time = `${hours}:${String(times.minute % 60).padStart(2, "0")} UTC`;
  if (cadence === "daily") return `every day at ${time}`;
  const name = WEEKDAYS[times.weekday]!;
  return `every ${name[0]!.toUpperCase()}${name.slice(1)} at ${time}`;
}
