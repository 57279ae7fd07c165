import { z } from "zod";
import { day, parseParameters } from "../../http/requests/parameters.ts";
import { listInWords } from "../../text/phrases.ts";
import { daysBefore, formatDay } from "../../text/dates.ts";
import { FILTER } from "../filter/filter.ts";
import { say } from "../../text/messages.ts";

/** What can become of a planned release, what matters most first. */
export const OUTCOMES = [
  "shipped",
  "cancelled",
  "removed",
  "slipped",
  "earlier",
  "dated",
  "undated",
  "unchanged",
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** A quarter of a year: 13 weeks. */
const DAYS_BACK = 91;

const COMPARISON_QUERY = z.object({ from: day(), to: day(), ...FILTER });

export type ComparisonQuery = z.output<typeof COMPARISON_QUERY> & {
  to: string;
  /** The first day is after the last one, so there is nothing to compare. */
  isReversed: boolean;
};

/**
 * Reads the days to compare, and the filter; a day to come is today.
 *
 * @throws {Problem} 400 where one is malformed
 */
export function parseComparison(query: URLSearchParams, today: string): ComparisonQuery {
  const { from, to = today, ...filter } = parseParameters(COMPARISON_QUERY, query);
  const known = (day: string) => day > today ? today : day;
  const days = { from: from && known(from), to: known(to) };
  return { ...filter, ...days, isReversed: days.from !== undefined && days.from > days.to };
}

/** The day to compare from where none is chosen: a quarter back, or that of the first import. */
export function defaultFrom(to: string, firstDay: string | null): string {
  if (firstDay === null || firstDay > to) return to;
  const back = daysBefore(to, DAYS_BACK);
  return firstDay > back ? firstDay : back;
}

/** What happened to the releases that were planned on a day, in one sentence. */
export function describeOutcomes(
  counts: Readonly<Partial<Record<Outcome, number>>>,
  from: string,
): string {
  const found = OUTCOMES.flatMap((outcome) => {
    const count = counts[outcome] ?? 0;
    return count > 0 ? [{ count, words: say(`kind_count.${outcome}`, { count }) }] : [];
  });
  const total = found.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return say("outcome.none", { day: formatDay(from) });
  const outcomes = listInWords(found.map(({ words }) => words));
  return say("outcome.all", { total, day: formatDay(from), outcomes });
}
