import { parseReleaseDate } from "../../text/dates.ts";

/**
 * The date in the title of a milestone or version; null if there is none.
 *
 * ```ts
 * if (dateInTitle("Q3 2026 – Beta") !== "2026-09-30") throw new Error();
 * if (dateInTitle("2026-09-30") !== "2026-09-30" || dateInTitle("10.0") !== null) throw new Error();
 * ```
 */
export function dateInTitle(title: string): string | null {
  const [, quarter, year] = /\bQ([1-4])\W*(\d{4})\b/i.exec(title) ?? [];
  return parseReleaseDate(quarter ? `Q${quarter} ${year}` : title.trim());
}
