import { formatDay, formatPlanned, formatQuarter, placeOfQuarter } from "../../text/dates.ts";
import { joinParts } from "../../text/phrases.ts";
import type { Variant } from "../variant.ts";
import { say } from "../../text/messages.ts";

/** A planned date, and since when it was said; days and dates as `YYYY-MM-DD`. */
export interface SaidDate {
  since: string;
  /** Null: no date was said. */
  date: string | null;
}

/** A change of a planned date. */
export interface DateChange {
  day: string;
  old_value: string | null;
  new_value: string | null;
}

/**
 * What dates were said since a release was first seen until its date of today, from its changes,
 * oldest first. What a later change of the same day replaced is left out. Nobody saw what a source
 * says of the time before.
 */
export function followDates(
  changes: readonly DateChange[],
  firstSeen: string,
  date: string | null,
): SaidDate[] {
  const [first] = changes;
  if (!first) return [{ since: firstSeen, date }];
  const said = [
    { since: firstSeen, date: first.old_value },
    ...changes.map(({ day, new_value }) => (
      { since: day < firstSeen ? firstSeen : day, date: new_value }
    )),
  ];
  return said.filter(({ since }, place) => since !== said[place + 1]?.since);
}

/**
 * How often a date has moved, and how far it is now from the first one; null where it has not. A
 * date shown as a quarter has not moved if it changed within that quarter.
 */
export function describeSlip(
  changes: readonly DateChange[],
  variant: Pick<Variant, "datePrecision" | "formatDate">,
): string | null {
  const dates = [changes[0]?.old_value, ...changes.map(({ new_value }) => new_value)]
    .filter((date) => typeof date === "string");
  const moves =
    dates.filter((date, place) => place > 0 && distanceOf(dates[place - 1]!, date, variant) !== 0)
      .length;
  const [first] = dates;
  if (moves === 0 || first === undefined) return null;
  const now = changes.at(-1)!.new_value;
  const firstSaid = formatPlanned(variant.formatDate(first));
  const times = say("promise.times", { moves });
  const values = { times, first: firstSaid };
  if (now === null) return say("promise.no_date", values);
  const slip = distanceOf(first, now, variant);
  if (slip === 0) return say("promise.back", values);
  return say(`promise.${variant.datePrecision}s_${slip > 0 ? "later" : "earlier"}`, {
    ...values,
    distance: Math.abs(slip),
  });
}

/** In the units that the variant shows. */
function distanceOf(
  from: string,
  to: string,
  { datePrecision }: Pick<Variant, "datePrecision">,
): number {
  if (datePrecision === "day") return (Date.parse(to) - Date.parse(from)) / 86_400_000;
  return placeOfQuarter(formatQuarter(to)) - placeOfQuarter(formatQuarter(from));
}

/** What was said and since when, in words: the text of a drawing. */
export function describeDates(
  said: readonly SaidDate[],
  { formatDate }: Pick<Variant, "formatDate">,
): string {
  return joinParts(
    said.map(({ since, date }) =>
      date === null ? say("promise.said_none", { since: formatDay(since) }) : say("promise.said", {
        since: formatDay(since),
        date: formatPlanned(formatDate(date)),
      })
    ),
  );
}

/** Whether a date is later than the first one that was said. */
export function isLater(changes: readonly DateChange[], date: string | null): boolean {
  const first = changes.find(({ old_value }) => old_value !== null)?.old_value;
  return Boolean(first && date && date > first);
}
