import { daysBefore } from "../../text/dates.ts";

/** When an unfinished release is due, as addresses say it. */
export const DUE_PERIODS = ["overdue", "next7", "next30", "next90"] as const;

export type DuePeriod = (typeof DUE_PERIODS)[number];

/** Whether a text names a period. */
export function isDuePeriod(text: string): text is DuePeriod {
  return (DUE_PERIODS as readonly string[]).includes(text);
}

/** The first and the last day of a period, `YYYY-MM-DD`; overdue has no first one. */
export interface DueDays {
  from?: string;
  to: string;
}

/**
 * The days of a period, counted from a day.
 *
 * ```ts
 * const { from, to } = dueDays("next7", "2026-11-23");
 * if (from !== "2026-11-23" || to !== "2026-11-30") throw new Error(to);
 * if (dueDays("overdue", "2026-11-23").to !== "2026-11-22") throw new Error();
 * ```
 */
export function dueDays(period: DuePeriod, today: string): DueDays {
  if (period === "overdue") return { to: daysBefore(today, 1) };
  return { from: today, to: daysBefore(today, -Number(period.slice("next".length))) };
}

/** What a filter demands of the planned day, as words within a sentence; empty: nothing. */
export function describeDue(due: string): string[] {
  if (due === "") return [];
  return [due === "overdue" ? "overdue" : `due in the next ${due.replace(/\D/g, "")} days`];
}
